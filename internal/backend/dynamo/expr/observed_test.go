package expr_test

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/expr"
)

//go:embed testdata/observed.txt
var observed string

// world is what expressions in tests are about: one item, and the values and
// names that placeholders stand for.
type world struct {
	item   attr.Item
	values attr.Item
	names  []expr.Name
}

// schema is the primary key of the table that observed.txt was made with.
var schema = expr.Schema{Hash: "pk", HashKind: attr.S, Range: "sk", RangeKind: attr.S}

// readObserved calls line for each expression of observed.txt.
func readObserved(t testing.TB, line func(w *world, number int, kind, text, want string)) {
	t.Helper()
	w := &world{}
	for i, l := range strings.Split(observed, "\n") {
		f := strings.Split(l, "\t")
		switch f[0] {
		case "filter", "key", "project":
			var text string
			if err := json.Unmarshal([]byte(f[1]), &text); err != nil {
				t.Fatalf("observed.txt:%d: %v", i+1, err)
			}
			line(w, i+1, f[0], text, f[2])
		default:
			w.define(t, f)
		}
	}
}

// define reads the fields of a line about the world.
func (w *world) define(t testing.TB, f []string) {
	t.Helper()
	switch f[0] {
	case "item":
		w.item = mustItem(t, f[1])
	case "value":
		v, err := attr.NewReader([]byte(f[2])).Value()
		if err != nil {
			t.Fatalf("value %s: %v", f[1], err)
		}
		w.values = w.values.With(f[1], v)
	case "name":
		w.names = append(w.names, expr.Name{Placeholder: f[1], Attribute: f[2]})
	}
}

func mustItem(t testing.TB, text string) attr.Item {
	t.Helper()
	it, err := attr.NewReader([]byte(text)).Item()
	if err != nil {
		t.Fatal(err)
	}
	return it
}

var placeholder = regexp.MustCompile(`[:#][A-Za-z0-9_]+`)

// substitutions returns those that the text mentions.
func (w *world) substitutions(t testing.TB, text string) *expr.Substitutions {
	t.Helper()
	mentioned := placeholder.FindAllString(text, -1)
	var names []expr.Name
	for _, n := range w.names {
		if slices.Contains(mentioned, n.Placeholder) {
			names = append(names, n)
		}
	}
	var values attr.Item
	for _, v := range w.values {
		if slices.Contains(mentioned, v.Name) {
			values = append(values, v)
		}
	}
	s, err := expr.NewSubstitutions(names, values)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// answer is what the service answers in terms of observed.txt.
func (w *world) answer(t testing.TB, kind, text string) string {
	t.Helper()
	subs := w.substitutions(t, text)
	answer, err := w.evaluate(kind, text, subs)
	if err == nil {
		err = subs.Unused()
	}
	if err != nil {
		return "error: " + err.Error()
	}
	return answer
}

func (w *world) evaluate(kind, text string, subs *expr.Substitutions) (string, error) {
	switch kind {
	case "filter":
		c, err := expr.ParseCondition(expr.FilterExpression, text, subs)
		if err != nil {
			return "", err
		}
		return strconv.FormatBool(c.Holds(w.item)), nil
	case "key":
		k, err := expr.ParseKeyCondition(text, subs)
		if err != nil {
			return "", err
		}
		r, err := k.Resolve(schema)
		if err != nil {
			return "", err
		}
		pk, _ := w.item.Attribute("pk")
		sk, _ := w.item.Attribute("sk")
		return strconv.FormatBool(pk.Equal(r.Hash) && r.Contains(sk)), nil
	default:
		p, err := expr.ParseProjection(text, subs)
		if err != nil {
			return "", err
		}
		return p.Apply(w.item).String(), nil
	}
}

func TestObserved(t *testing.T) {
	readObserved(t, func(w *world, number int, kind, text, want string) {
		if got := w.answer(t, kind, text); got != want {
			t.Errorf("observed.txt:%d: %s %s\n got %s\nwant %s", number, kind, text, got, want)
		}
	})
}

// Whether an item is decoded makes no difference to any expression.
func TestObservedOnEncodedItem(t *testing.T) {
	readObserved(t, func(w *world, number int, kind, text, want string) {
		subs := w.substitutions(t, text)
		encoded := w.item.Encode()
		got := want
		switch kind {
		case "filter":
			if c, err := expr.ParseCondition(expr.FilterExpression, text, subs); err == nil {
				got = strconv.FormatBool(c.Holds(encoded))
			}
		case "project":
			if p, err := expr.ParseProjection(text, subs); err == nil {
				got = p.Apply(encoded).String()
			}
		}
		if got != want {
			t.Errorf("observed.txt:%d: %s %s on the encoded item: %s, want %s", number, kind, text, got, want)
		}
	})
}

// FuzzExpression parses any text as every kind of expression, with the values
// and names of observed.txt, and evaluates what it can: an error or an answer,
// never a panic.
func FuzzExpression(f *testing.F) {
	w := &world{}
	readObserved(f, func(seen *world, _ int, _, text, _ string) {
		*w = *seen
		f.Add(text)
	})
	f.Add(strings.Repeat("(", expr.MaxLength))
	f.Add(strings.Repeat("NOT ", expr.MaxLength/4))
	f.Add(strings.Repeat("pk,", expr.MaxLength/3))
	f.Add("a" + strings.Repeat("[0]", expr.MaxLength/3))
	f.Fuzz(func(t *testing.T, text string) {
		subs, err := expr.NewSubstitutions(w.names, w.values)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range []string{"filter", "key", "project"} {
			if _, err := w.evaluate(kind, text, subs); err != nil {
				checkError(t, text, err)
			}
		}
	})
}

// checkError checks that an error is one that a user can be shown.
func checkError(t *testing.T, text string, err error) {
	t.Helper()
	if e, ok := err.(*expr.Error); !ok || e == nil || e.Message == "" || len(e.Message) > 3*len(text)+400 { //nolint:errorlint // the very type is promised
		t.Fatalf("%q: %T %v", text, err, err)
	}
}
