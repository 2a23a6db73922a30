package expr_test

import (
	_ "embed"
	"slices"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/expr"
)

//go:embed reserved.txt
var reserved string

// keywords are reserved words that are tokens of the grammar as well, so that a
// bare one is a syntax error.
var keywords = []string{"ADD", "AND", "BETWEEN", "DELETE", "IN", "NOT", "OR", "SET"}

func TestReservedWords(t *testing.T) {
	words := strings.Fields(reserved)
	if len(words) != 573 || !slices.IsSorted(words) {
		t.Fatalf("%d words, sorted: %v; the guide lists 573 in order", len(words), slices.IsSorted(words))
	}
	for _, word := range words {
		for _, spelled := range []string{word, strings.ToLower(word), word[:1] + strings.ToLower(word[1:])} {
			_, err := expr.ParseProjection("a."+spelled, nil)
			want := "Invalid ProjectionExpression: Attribute name is a reserved keyword; reserved keyword: " + spelled
			if slices.Contains(keywords, word) {
				want = `Invalid ProjectionExpression: Syntax error; token: "` + spelled + `", near: ".` + spelled + `"`
			}
			if err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", spelled, err, want)
			}
		}
		subs, err := expr.NewSubstitutions([]expr.Name{{Placeholder: "#w", Attribute: word}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := expr.ParseCondition(expr.FilterExpression, "attribute_exists(#w)", subs)
		if err != nil || !c.Holds(attr.Item{{Name: word, Value: attr.Null()}}) {
			t.Errorf("%s by placeholder: %v", word, err)
		}
	}
	for _, word := range []string{"pk", "value1", "names_", "localtimestamps", "a", "statu", "xZONE", "ABOR"} {
		if _, err := expr.ParseProjection(word, nil); err != nil {
			t.Errorf("%s: %v", word, err)
		}
	}
}
