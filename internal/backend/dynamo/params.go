package dynamo

import (
	"strings"

	"github.com/lakebench/lakebench/internal/attr"
)

// capacityMode is a request's ReturnConsumedCapacity.
type capacityMode int

const (
	capacityNone capacityMode = iota
	capacityTotal
	capacityIndexes // as total, and the table's own part once more
)

func readCapacityMode(r *attr.Reader, to *capacityMode) error {
	var text string
	if err := readString(r, &text); err != nil {
		return err
	}
	mode, err := capacityModeOf(text)
	if err != nil {
		return err
	}
	*to = mode
	return nil
}

func capacityModeOf(text string) (capacityMode, *serviceError) {
	switch text {
	case "NONE":
		return capacityNone, nil
	case "TOTAL":
		return capacityTotal, nil
	case "INDEXES":
		return capacityIndexes, nil
	default:
		return 0, notEnum("returnConsumedCapacity", text, "INDEXES, TOTAL, NONE")
	}
}

// itemParams is what all requests about one item have in common.
type itemParams struct {
	placeholders
	table    string
	capacity capacityMode
}

func (p *itemParams) member(r *attr.Reader, name string) error {
	switch name {
	case "TableName":
		return readString(r, &p.table)
	case "ReturnConsumedCapacity":
		return readCapacityMode(r, &p.capacity)
	default:
		return p.placeholders.member(r, name)
	}
}

func (p *itemParams) validate() *serviceError { return checkTableName(p.table) }

// writeParams is what all writes of one item have in common.
type writeParams struct {
	itemParams
	condition       *string
	returnValues    string
	returnOnFailure string // ReturnValuesOnConditionCheckFailure
}

func (p *writeParams) member(r *attr.Reader, name string) error {
	switch name {
	case "ConditionExpression":
		return readText(r, &p.condition)
	case "ReturnValues":
		return readString(r, &p.returnValues)
	case "ReturnValuesOnConditionCheckFailure":
		return readString(r, &p.returnOnFailure)
	default:
		return p.itemParams.member(r, name)
	}
}

func (p *writeParams) validate() *serviceError {
	switch p.returnValues {
	case "", returnNone, returnAllOld, returnAllNew, returnUpdatedOld, returnUpdatedNew:
	default:
		return notEnum("returnValues", p.returnValues, "ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW")
	}
	if err := checkReturnOnFailure(p.returnOnFailure); err != nil {
		return err
	}
	return p.itemParams.validate()
}

// returnsOld refuses what only an update can return.
func (p *writeParams) returnsOld() *serviceError {
	switch p.returnValues {
	case returnAllNew, returnUpdatedOld, returnUpdatedNew:
		return invalid("ReturnValues can only be ALL_OLD or NONE")
	default:
		return nil
	}
}

func checkReturnOnFailure(value string) *serviceError {
	switch value {
	case "", returnNone, returnAllOld:
		return nil
	default:
		return notEnum("returnValuesOnConditionCheckFailure", value, "ALL_OLD, NONE")
	}
}

// legacy names the parameters from before expressions. Ignoring them would
// change what a request means.
func legacy(name string) bool {
	switch name {
	case "AttributesToGet", "AttributeUpdates", "ConditionalOperator", "Expected", "KeyConditions", "QueryFilter", "ScanFilter":
		return true
	default:
		return false
	}
}

// skipUnknown passes over a member that no operation reads.
func skipUnknown(r *attr.Reader, name string) error {
	if legacy(name) {
		return refuseLegacy(name)
	}
	return r.Skip()
}

func refuseLegacy(name string) *serviceError {
	return invalid("lakebench's embedded DynamoDB does not support the legacy parameter %s: use expressions", name)
}

// Lengths of table names (page ServiceQuotas).
const (
	minTableName = 3
	maxTableName = 255
)

func checkTableName(name string) *serviceError {
	const at = "1 validation error detected: Value '%s' at 'tableName' failed to satisfy constraint: "
	switch {
	case name == "":
		return invalid("The parameter 'TableName' is required but was not present in the request")
	case len(name) < minTableName:
		return invalid(at+"Member must have length greater than or equal to %d", name, minTableName)
	case len(name) > maxTableName:
		return invalid(at+"Member must have length less than or equal to %d", name, maxTableName)
	case strings.IndexFunc(name, notInTableName) >= 0:
		return invalid(at+"Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+", name)
	}
	return nil
}

func notInTableName(c rune) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '.', c == '-':
		return false
	default:
		return true
	}
}

// checkPresent refuses a request without a required item or key.
func checkPresent(parameter string, it attr.Item) *serviceError {
	if it == nil {
		return null(parameter)
	}
	return nil
}

// null is the error of a required parameter that is missing.
func null(parameter string) *serviceError {
	return invalid("1 validation error detected: Value null at '%s' failed to satisfy constraint: Member must not be null", parameter)
}

func notEnum(parameter, value, allowed string) *serviceError {
	return invalid("1 validation error detected: Value '%s' at '%s' failed to satisfy constraint: Member must satisfy enum value set: [%s]", value, parameter, allowed)
}

func outOfRange(parameter string, value, low, high int64) *serviceError {
	if value < low {
		return invalid("1 validation error detected: Value '%d' at '%s' failed to satisfy constraint: Member must have value greater than or equal to %d", value, parameter, low)
	}
	return invalid("1 validation error detected: Value '%d' at '%s' failed to satisfy constraint: Member must have value less than or equal to %d", value, parameter, high)
}
