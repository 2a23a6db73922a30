package difftest

import (
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/attr"
)

// A Difference is a known and accepted one: as far as documents show, DynamoDB Local
// does something else than AWS, and the embedded DynamoDB does as AWS.
type Difference struct {
	Name   string
	Why    string // what AWS does, and the source of that
	covers func(step Step, ours, theirs *outcome) bool
}

// Differences lists all of them. Any other difference is a defect of one side.
var Differences = []Difference{
	{
		Name: "updated-attributes",
		Why: "AWS returns as UPDATED_OLD and UPDATED_NEW only the values at the paths of the update, and no new value for what was removed " +
			"(ExtendDB#98 and #105, dynoxide#36, verified there against AWS); DynamoDB Local returns whole attributes",
		covers: func(s Step, ours, theirs *outcome) bool {
			return s.Operation == "UpdateItem" && strings.Contains(s.Body, `"ReturnValues":"UPDATED_`) && ours.ok() && theirs.ok() &&
				partOf(ours.attributes(), theirs.attributes())
		},
	},
	{
		Name: "fault-of-one-action",
		Why: "a key that does not fit its table, an update of a key attribute, or an update that cannot be made cancels a " +
			"transaction with that action's reason ValidationError and a reason for every other action (captured on AWS: " +
			"paritysuite/dynamodb-conformance#46, #60; API reference, TransactWriteItems, \"Cancellation reason codes\"). DynamoDB Local " +
			"refuses the whole request, or gives no reasons, or none behind the first fault, or evaluates the conditions first",
		covers: func(s Step, ours, theirs *outcome) bool {
			switch {
			case !strings.HasPrefix(s.Operation, "Transact"):
				return false
			case ours.canceledFor("ValidationError"):
				return theirs.failure == "ValidationException" || theirs.failure == "TransactionCanceledException"
			default: // the whole request has a fault as well
				return ours.failure == "ValidationException" && theirs.failure == "TransactionCanceledException" && len(theirs.lines) == 0
			}
		},
	},
	{
		Name: "key-update-before-condition",
		Why: "an update of a key attribute is refused from the request alone, before the item is read " +
			"(as by dynalite, which follows AWS); DynamoDB Local evaluates the condition first",
		covers: func(_ Step, ours, theirs *outcome) bool {
			return strings.Contains(ours.message, "This attribute is part of the key") && theirs.failure == "ConditionalCheckFailedException"
		},
	},
	{
		Name: "one-item-twice",
		Why: "a transaction with two actions on one item is refused (API reference, TransactWriteItems); DynamoDB Local carries out " +
			"some of them, with a ConditionCheck or a Delete among the two (docs/facts/dynamodb.md §2)",
		covers: func(_ Step, ours, _ *outcome) bool {
			return strings.Contains(ours.message, "multiple operations on one item")
		},
	},
	{
		Name: "internal-failure",
		Why:  "DynamoDB Local answers InternalFailure to UPDATED_OLD or UPDATED_NEW without an update expression: a defect of its own",
		covers: func(s Step, _, theirs *outcome) bool {
			return theirs.failure == "InternalFailure" && s.Operation == "UpdateItem" && !strings.Contains(s.Body, `"UpdateExpression"`)
		},
	},
	{
		Name: "last-key-at-the-end-of-the-range",
		Why: "a page that ends at its limit has a last key, whether or not something follows (page Query, \"Paginating\"); " +
			"DynamoDB Local leaves it out where nothing can follow, the item's key being the bound of the key condition",
		covers: func(s Step, ours, theirs *outcome) bool {
			n := len(theirs.lines)
			return s.Operation == "Query" && strings.Contains(s.Body, `"Limit":`) && ours.ok() && theirs.ok() &&
				len(ours.lines) == n+2 && slices.Equal(ours.lines[:n], theirs.lines) &&
				strings.HasPrefix(ours.lines[n], "last key") && ours.lines[n+1] == "page: 0 of 0"
		},
	},
}

// attributes are those that an UpdateItem returned.
func (o *outcome) attributes() attr.Item {
	for _, line := range o.lines {
		if text, ok := strings.CutPrefix(line, "attributes "); ok {
			item, _ := attr.NewReader([]byte(text)).Item() // it was spelt by canonical
			return item
		}
	}
	return nil
}

// partOf reports whether an item has only attributes that another has too: equal ones,
// or parts of maps and lists.
func partOf(part, whole attr.Item) bool {
	for _, f := range part {
		v, ok := whole.Attribute(f.Name)
		if !ok || !valuePartOf(f.Value, v) {
			return false
		}
	}
	return true
}

func valuePartOf(part, whole attr.Value) bool {
	switch {
	case part.Kind() == attr.M && whole.Kind() == attr.M:
		return partOf(part.Fields(), whole.Fields())
	case part.Kind() == attr.L && whole.Kind() == attr.L:
		rest := whole.Elements()
		for _, e := range part.Elements() {
			i := slices.IndexFunc(rest, func(w attr.Value) bool { return valuePartOf(e, w) })
			if i < 0 {
				return false
			}
			rest = rest[i+1:]
		}
		return true
	default:
		return part.Equal(whole)
	}
}

func (o *outcome) ok() bool { return o.failure == "" }

// canceledFor reports whether a transaction was cancelled with a reason.
func (o *outcome) canceledFor(code string) bool {
	return o.failure == "TransactionCanceledException" && slices.Contains(o.lines, "reason "+code)
}

// explain returns the difference that covers what two services answered, nil if
// none does.
func explain(s Step, ours, theirs *outcome) *Difference {
	for i := range Differences {
		if Differences[i].covers(s, ours, theirs) {
			return &Differences[i]
		}
	}
	return nil
}
