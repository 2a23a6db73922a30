package difftest

import (
	"strings"
)

// A Difference is one that is known and wanted: DynamoDB Local does something else
// than AWS, as far as that is documented.
type Difference struct {
	Name   string
	Why    string // what AWS does, and where that is known from
	covers func(step Step, ours, theirs *outcome) bool
}

// Differences are all of them. Whatever else differs is a defect of one side.
var Differences = []Difference{
	{
		Name: "updated-attributes",
		Why: "AWS returns the values at an update's very paths as UPDATED_OLD and UPDATED_NEW, and nothing new for what was removed " +
			"(ExtendDB#98 and #105, dynoxide#36, verified there against AWS); DynamoDB Local returns whole attributes",
		covers: func(s Step, ours, theirs *outcome) bool {
			return s.Operation == "UpdateItem" && strings.Contains(s.Body, `"ReturnValues":"UPDATED_`) &&
				ours.failure == "" && theirs.failure == ""
		},
	},
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
