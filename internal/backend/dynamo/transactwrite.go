package dynamo

import (
	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/units"
)

// transactWriteInput is a TransactWriteItems request.
type transactWriteInput struct {
	actions  []transactAction
	token    *string
	capacity capacityMode
	metrics  string // ReturnItemCollectionMetrics
}

// transactAction is one action of it.
type transactAction struct {
	placeholders
	kind            actionKind
	several         bool // more than one kind
	table           string
	item, key       attr.Item
	update          *string
	condition       *string
	returnOnFailure string
}

type actionKind string

const (
	actionPut    actionKind = "Put"
	actionDelete actionKind = "Delete"
	actionCheck  actionKind = "ConditionCheck"
	actionUpdate actionKind = "Update"
)

func (in *transactWriteInput) member(r *attr.Reader, name string) error {
	switch name {
	case "TransactItems":
		return readList(r, &in.actions, (*transactAction).member)
	case "ClientRequestToken":
		return readText(r, &in.token)
	case "ReturnConsumedCapacity":
		return readCapacityMode(r, &in.capacity)
	case "ReturnItemCollectionMetrics":
		return readString(r, &in.metrics)
	default:
		return r.Skip()
	}
}

func (a *transactAction) member(r *attr.Reader, name string) error {
	switch kind := actionKind(name); kind {
	case actionPut, actionDelete, actionCheck, actionUpdate:
		a.several = a.several || a.kind != ""
		a.kind = kind
		return object(r, a.parameter)
	default:
		return r.Skip()
	}
}

func (a *transactAction) parameter(r *attr.Reader, name string) error {
	switch name {
	case "TableName":
		return readString(r, &a.table)
	case "Item":
		return readItem(r, &a.item)
	case "Key":
		return readItem(r, &a.key)
	case "UpdateExpression":
		return readText(r, &a.update)
	case "ConditionExpression":
		return readText(r, &a.condition)
	case "ReturnValuesOnConditionCheckFailure":
		return readString(r, &a.returnOnFailure)
	default:
		return a.placeholders.member(r, name)
	}
}

// maxToken bounds a ClientRequestToken (API reference, TransactWriteItems).
const maxToken = 36

func (in *transactWriteInput) validate() *serviceError {
	if err := checkActionCount(len(in.actions)); err != nil {
		return err
	}
	if err := checkToken(in.token); err != nil {
		return err
	}
	for i := range in.actions {
		if err := in.actions[i].validate(); err != nil {
			return err
		}
	}
	return nil
}

func checkToken(token *string) *serviceError {
	const at = "1 validation error detected: Value '%s' at 'clientRequestToken' failed to satisfy constraint: "
	switch {
	case token == nil:
	case *token == "":
		return invalid(at+"Member must have length greater than or equal to 1", *token)
	case len(*token) > maxToken:
		return invalid(at+"Member must have length less than or equal to %d", *token, maxToken)
	}
	return nil
}

func checkActionCount(n int) *serviceError {
	switch {
	case n == 0:
		return invalid("1 validation error detected: Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1")
	case n > units.MaxTransactItems:
		return invalid("1 validation error detected: Value at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to %d", units.MaxTransactItems)
	}
	return nil
}

func (a *transactAction) validate() *serviceError {
	switch {
	case a.several:
		return invalid("TransactItems can only contain one of Check, Put, Update or Delete")
	case a.kind == "":
		return invalid("Invalid Request: TransactWriteRequest should contain Delete or Put or Update request")
	case a.kind == actionUpdate && a.update == nil:
		return null("transactItems.member.update.updateExpression")
	case a.kind == actionCheck && a.condition == nil:
		return null("transactItems.member.conditionCheck.conditionExpression")
	}
	if err := checkReturnOnFailure(a.returnOnFailure); err != nil {
		return err
	}
	if err := checkTableName(a.table); err != nil {
		return err
	}
	if a.kind == actionPut {
		return checkPresent("transactItems.member.put.item", a.item)
	}
	return checkPresent("transactItems.member.key", a.key)
}

// prepare makes the action's write.
func (a *transactAction) prepare(e *Engine) (write, *serviceError) {
	change, condition, err := a.compileUpdate(a.update, a.condition)
	if err != nil {
		return write{}, err
	}
	t, err := e.table(a.table)
	if err != nil {
		return write{}, err
	}
	var w write
	switch a.kind {
	case actionPut:
		w, err = t.put(a.item)
	case actionUpdate:
		w, err = t.change(a.key, change)
	case actionDelete, actionCheck:
		w, err = t.delete(a.key)
		if a.kind == actionCheck {
			w.kind = writeCheck
		}
	}
	if err == nil {
		err = t.checkScalar(condition, change)
	}
	w.condition = condition
	return w, err
}

// transactWriteOutput is the answer to a TransactWriteItems.
type transactWriteOutput struct{ capacity capacityMode }

func (out *transactWriteOutput) appendJSON(o *jsonObject, b *bill) {
	o.capacities(b, out.capacity, true)
}
