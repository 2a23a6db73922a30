package base_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/backendtest"
	"github.com/lakebench/lakebench/manifest/object"
	"github.com/lakebench/lakebench/wal/base"
	"github.com/lakebench/lakebench/wal/entry"
)

func names(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// open makes a table in a bucket of its own.
func open(t *testing.T) (base.Table, *object.Writer) {
	t.Helper()
	b := backendtest.OpenBucket(t.Context(), t, backend.DefaultConfig())
	w, err := object.NewWriter(object.Config{Client: b.SDK(), Bucket: b.Name, Random: rand.NewPCG(1, 1), Backoff: object.DefaultBackoff()})
	if err != nil {
		t.Fatal(err)
	}
	table := base.Table{Objects: w.Reader, Dir: "lake/orders"}
	if _, err := table.Latest(t.Context()); !errors.Is(err, base.ErrNoTable) {
		t.Fatalf("%v, expected ErrNoTable", err)
	}
	for range 2 { // the second time it is there
		if err := table.Create(t.Context(), w, names(1)); err != nil {
			t.Fatal(err)
		}
	}
	return table, w
}

func rows(value string, keys ...string) []entry.Row {
	var out []entry.Row
	for _, k := range keys {
		out = append(out, entry.Row{Key: k, Value: []byte(value)})
	}
	return out
}

// Passes of two shards that began with one version both land, whichever is first,
// and a key's row is that of the later one.
func TestMergesOfTwoShards(t *testing.T) {
	table, w := open(t)
	from, err := table.Latest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := table.Merge(t.Context(), w, from, "one", 3, rows("1", "b", "a"), names(2)); err != nil {
		t.Fatal(err)
	}
	v, err := table.Merge(t.Context(), w, from, "two", 1, rows("2", "c", "b"), names(3))
	if err != nil || v.Number != 3 || v.Compacted["one"] != 3 || v.Compacted["two"] != 1 {
		t.Fatalf("%+v (%v)", v, err)
	}
	for key, want := range map[string]string{"a": "1", "b": "2", "c": "2", "d": ""} {
		r, found, err := table.Get(t.Context(), v, key)
		if err != nil || found != (want != "") || string(r.Value) != want {
			t.Errorf("%s is %q, %v (%v), expected %q", key, r.Value, found, err, want)
		}
	}
	all, err := table.Rows(t.Context(), v)
	if err != nil || len(all) != 3 || string(all["b"].Value) != "2" {
		t.Errorf("%v (%v)", all, err)
	}
}

// A pass whose generations the table has by now adds nothing, also when it has
// begun before.
func TestAPassIsMadeOnce(t *testing.T) {
	table, w := open(t)
	from, err := table.Latest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(2) {
		v, err := table.Merge(t.Context(), w, from, "one", 3, rows("1", "a"), names(10+i))
		if err != nil || len(v.Fragments) != 1 || v.Number != 2 {
			t.Fatalf("%+v (%v), expected one fragment", v, err)
		}
	}
}

// What is damaged is an error that names the object.
func TestDamage(t *testing.T) {
	table, w := open(t)
	from, err := table.Latest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v, err := table.Merge(t.Context(), w, from, "one", 3, rows("1", "a"), names(2))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Put(t.Context(), "lake/orders/"+v.Fragments[0].Path, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := table.Get(t.Context(), v, "a"); !errors.Is(err, base.ErrDamaged) {
		t.Errorf("%v, expected ErrDamaged", err)
	}
	for o, err := range w.List(t.Context(), "lake/orders/_versions/", "") {
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Put(t.Context(), o.Key, []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := table.Latest(t.Context()); !errors.Is(err, base.ErrDamaged) {
		t.Errorf("%v, expected ErrDamaged", err)
	}
}
