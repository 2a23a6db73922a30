package expr_test

import (
	"testing"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/expr"
)

func BenchmarkParseCondition(b *testing.B) {
	values := attr.Item{{Name: ":v", Value: attr.String("x")}}
	for name, text := range map[string]string{
		"not exists": "attribute_not_exists(pk)",
		"equal":      "#v = :v",
		"several":    "attribute_exists(pk) AND (#v = :v OR begins_with(#v, :v)) AND NOT contains(deep.way[3], :v)",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				subs, err := expr.NewSubstitutions([]expr.Name{{Placeholder: "#v", Attribute: "value"}}, values)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := expr.ParseCondition(expr.ConditionExpression, text, subs); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
