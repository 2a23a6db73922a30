package expr_test

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/expr"
)

//go:embed testdata/updates.txt
var updates string

// readUpdates calls line for each update of updates.txt.
func readUpdates(t testing.TB, line func(w *world, number int, text, want string)) {
	t.Helper()
	w := &world{}
	for i, l := range strings.Split(updates, "\n") {
		f := strings.Split(l, "\t")
		if f[0] != "update" {
			w.define(t, f)
			continue
		}
		var text string
		if err := json.Unmarshal([]byte(f[1]), &text); err != nil {
			t.Fatalf("updates.txt:%d: %v", i+1, err)
		}
		line(w, i+1, text, f[2])
	}
}

func (w *world) applied(t testing.TB, text string) string {
	t.Helper()
	subs := w.substitutions(t, text)
	u, err := expr.ParseUpdate(text, subs)
	if err == nil {
		err = subs.Unused()
	}
	var after attr.Item
	if err == nil {
		after, err = u.Apply(w.item, w.item)
	}
	if err != nil {
		return "error: " + err.Error()
	}
	return after.String()
}

func TestUpdatesObserved(t *testing.T) {
	readUpdates(t, func(w *world, number int, text, want string) {
		before := w.item.String()
		if !strings.HasPrefix(want, "error: ") {
			want = mustItem(t, want).String()
		}
		if got := w.applied(t, text); got != want {
			t.Errorf("updates.txt:%d: %s\n got %s\nwant %s", number, text, got, want)
		}
		if after := w.item.String(); after != before {
			t.Errorf("updates.txt:%d: %s changed the item that it was applied to: %s", number, text, after)
		}
	})
}

// What an update returns of the item before and after it: the values at its very
// paths, and after it nothing of what it removed.
func TestUpdatedAttributes(t *testing.T) {
	w := &world{}
	readUpdates(t, func(seen *world, _ int, _, _ string) { w = seen })
	for _, c := range []struct{ text, before, after string }{
		{"SET m.x = :n", `{"m":{"M":{"x":{"N":"1"}}}}`, `{"m":{"M":{"x":{"N":"2"}}}}`},
		{"SET m.x = :n, m.w = :s", `{"m":{"M":{"x":{"N":"1"}}}}`, `{"m":{"M":{"w":{"S":"t"},"x":{"N":"2"}}}}`},
		{"SET l[1] = :s", `{"l":{"L":[{"N":"2"}]}}`, `{"l":{"L":[{"S":"t"}]}}`},
		{"SET l[7] = :s", `{}`, `{}`},
		{"REMOVE l[0]", `{"l":{"L":[{"N":"1"}]}}`, `{}`},
		{"REMOVE m.x, n", `{"m":{"M":{"x":{"N":"1"}}},"n":{"N":"5"}}`, `{}`},
		{"SET q = :n", `{}`, `{"q":{"N":"2"}}`},
		{"ADD n :n", `{"n":{"N":"5"}}`, `{"n":{"N":"7"}}`},
		{"DELETE ss :ab", `{"ss":{"SS":["a","b"]}}`, `{}`},
		{"DELETE ss :ss", `{"ss":{"SS":["a","b"]}}`, `{"ss":{"SS":["a"]}}`},
		{"SET n = :n REMOVE s", `{"n":{"N":"5"},"s":{"S":"x"}}`, `{"n":{"N":"2"}}`},
	} {
		u, err := expr.ParseUpdate(c.text, w.substitutions(t, c.text))
		if err != nil {
			t.Fatal(err)
		}
		after, err := u.Apply(w.item, w.item)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := u.Touched(w.item).String(), mustItem(t, c.before).String(); got != want {
			t.Errorf("%s: before %s, want %s", c.text, got, want)
		}
		if got, want := u.Set(after).String(), mustItem(t, c.after).String(); got != want {
			t.Errorf("%s: after %s, want %s", c.text, got, want)
		}
	}
}

// An update that would nest deeper than an item may is refused (page ServiceQuotas),
// whatever it takes to get there.
func TestUpdateTooDeep(t *testing.T) {
	nested := func(levels int) attr.Value {
		v := attr.Int(1)
		for range levels {
			v = attr.List(v)
		}
		return v
	}
	item := attr.Item{}.With("m", attr.Map(nil)).With("deep", nested(attr.MaxDepth-1))
	for _, c := range []struct {
		text  string
		value attr.Value
		ok    bool
	}{
		{"SET q = :v", nested(attr.MaxDepth), true},
		{"SET m.q = :v", nested(attr.MaxDepth - 1), true},
		{"SET m.q = :v", nested(attr.MaxDepth), false},
		{"SET q = list_append(:v, deep)", attr.List(), true},
		{"SET m.q = deep, q = :v", attr.Int(1), true},
		{"SET m.q = list_append(deep, :v)", attr.List(nested(attr.MaxDepth - 1)), false},
	} {
		values := attr.Item{}.With(":v", c.value)
		subs, err := expr.NewSubstitutions(nil, values)
		if err != nil {
			t.Fatal(err)
		}
		u, err := expr.ParseUpdate(c.text, subs)
		if err != nil {
			t.Fatal(err)
		}
		after, err := u.Apply(item, item)
		if (err == nil) != c.ok {
			t.Errorf("%s with %d levels: error %v, want ok %v", c.text, c.value.Depth(), err, c.ok)
		}
		if _, wrong := attr.DecodeItem(string(after.Encode())); err == nil && wrong != nil {
			t.Errorf("%s made an item that cannot be stored: %v", c.text, wrong)
		}
	}
}

// Operators and functions of an update count, its verbs and equal signs do not
// (DynamoDB Local; page ServiceQuotas has the limit of 300).
func TestUpdateOperatorLimit(t *testing.T) {
	sums := func(n int) string {
		var clauses []string
		for i := range n {
			clauses = append(clauses, "x_"+string(rune('a'+i/26))+string(rune('a'+i%26))+"=:n+n")
		}
		return "SET " + strings.Join(clauses, ",")
	}
	w := &world{}
	readUpdates(t, func(seen *world, _ int, _, _ string) { w = seen })
	for n, ok := range map[int]bool{300: true, 301: false} {
		_, err := expr.ParseUpdate(sums(n), w.substitutions(t, sums(n)))
		if (err == nil) != ok {
			t.Errorf("%d sums: error %v, want ok %v", n, err, ok)
		}
	}
}

// FuzzUpdate parses any text as an update and applies it: an item that can be
// stored, or an error, never a panic.
func FuzzUpdate(f *testing.F) {
	w := &world{}
	readUpdates(f, func(seen *world, _ int, text, _ string) {
		w = seen
		f.Add(text)
	})
	f.Add("SET a = " + strings.Repeat("(", expr.MaxLength-10))
	f.Add("SET a = " + strings.Repeat("if_not_exists(a,", expr.MaxLength/17))
	f.Fuzz(func(t *testing.T, text string) {
		subs, err := expr.NewSubstitutions(w.names, w.values)
		if err != nil {
			t.Fatal(err)
		}
		u, err := expr.ParseUpdate(text, subs)
		var after attr.Item
		if err == nil {
			after, err = u.Apply(w.item, w.item)
		}
		if err != nil {
			checkError(t, text, err)
			return
		}
		if _, err := attr.DecodeItem(string(after.Encode())); err != nil {
			t.Fatalf("%q made an item that cannot be stored: %v", text, err)
		}
		u.Touched(w.item)
		u.Set(after)
	})
}
