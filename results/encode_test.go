package results_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
)

func sample() results.Document { return resultstest.CatalogRefresh(1, 0, 1000, 10000, 100000) }

func encode(t testing.TB, doc results.Document) []byte {
	t.Helper()
	data, err := results.Encode(doc)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestEncodeReadsBackTheSame(t *testing.T) {
	doc := sample()
	data := encode(t, doc)
	back, err := results.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encode(t, back), data) {
		t.Error("reading and writing again changes the bytes")
	}
	back.Workload.Params, doc.Workload.Params = nil, nil // whole numbers become int64
	byValue := cmp.Comparer(func(a, b results.Value) bool { return a == b })
	if d := cmp.Diff(doc, back, byValue); d != "" {
		t.Errorf("document changed (-written +read):\n%s", d)
	}
}

// Keys are sorted at every depth: a generic decode of each object, read in
// order, says so without knowing the format.
func TestEncodeSortsKeys(t *testing.T) {
	dec := json.NewDecoder(bytes.NewReader(encode(t, sample())))
	var walk func() // past one value
	walk = func() {
		token, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch token {
		case json.Delim('{'):
			var keys []string
			for dec.More() {
				key, err := dec.Token()
				if err != nil {
					t.Fatal(err)
				}
				keys = append(keys, key.(string))
				walk()
			}
			if !slices.IsSorted(keys) {
				t.Errorf("keys not sorted: %v", keys)
			}
		case json.Delim('['):
			for dec.More() {
				walk()
			}
		default:
			return
		}
		if _, err := dec.Token(); err != nil { // the closing bracket
			t.Fatal(err)
		}
	}
	walk()
}

func TestEncodeNumbers(t *testing.T) {
	doc := sample()
	doc.Seed = math.MaxUint64
	s := &doc.Series[0]
	s.Evaluated = 1<<53 + 1 // not a float64
	s.Metrics["third"] = 1.0 / 3
	s.Metrics["whole"] = 7475
	s.Metrics["tiny"] = 1.25e-7
	text := string(encode(t, doc))
	for _, want := range []string{
		`"seed": 18446744073709551615`, `"evaluated": 9007199254740993`,
		`"third": 0.3333333333333333`, `"whole": 7475`, `"tiny": 1.25e-7`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the document", want)
		}
	}
}

func TestEncodeSaysNothingAsEmpty(t *testing.T) {
	doc := sample()
	doc.Series, doc.Checks, doc.Summary = nil, nil, results.Summary{}
	if text := string(encode(t, doc)); strings.Contains(text, "null") {
		t.Errorf("null in the document:\n%s", text)
	}
}

func TestEncodeRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*results.Document)
		want   string
	}{
		"metric not finite": {func(d *results.Document) { d.Series[0].Metrics["usd/op"] = math.NaN() }, "metric usd/op is NaN"},
		"run id a path":     {func(d *results.Document) { d.RunID = "../x" }, `run_id is "../x"`},
		"run id a dot":      {func(d *results.Document) { d.RunID = "." }, `run_id is "."`},
		"twice":             {func(d *results.Document) { d.Series[1] = d.Series[0] }, "appears twice"},
		"sum":               {func(d *results.Document) { d.Series[0].Operations["refresh"] = results.Operations{Count: 2, OK: 1} }, "count 2 is not ok 1"},
		"attempt twice": {func(d *results.Document) {
			s := &d.Series[0]
			s.Attempts = append(s.Attempts, s.Attempts[0])
		}, "appears twice"},
		"hash":          {func(d *results.Document) { d.Workload.Params["tables"] = 7 }, "workload hash"},
		"other axes":    {func(d *results.Document) { delete(d.Series[1].Point, "tables") }, "other parameters"},
		"repeat":        {func(d *results.Document) { d.Series[0].Repeat = 1 }, "repeat is 1: expected 0 to 0"},
		"growth class":  {func(d *results.Document) { d.Summary.Growth[0].Class = "" }, "the class of requests/op of v1"},
		"empty value":   {func(d *results.Document) { d.Series[0].Point["tables"] = results.Value{} }, "coordinate"},
		"metric twice":  {func(d *results.Document) { d.Metrics = append(d.Metrics, d.Metrics[0]) }, "metric requests/op is declared twice"},
		"no noun":       {func(d *results.Document) { d.Metrics = results.Metrics{{Name: "x/op"}} }, "metric 0 has no name or no noun"},
		"no assumption": {func(d *results.Document) { d.Metrics = results.Metrics{{Name: "x/op", Noun: "x"}} }, `assume is ""`},
		"no direction": {func(d *results.Document) {
			d.Metrics = results.Metrics{{Name: "x/op", Noun: "x", Assume: results.Exact}}
		}, `better is ""`},
		"unknown quantity": {sourced(results.Source{Quantity: "rows"}), `its quantity "rows" is not one that a series counts`},
		"two sources":      {sourced(results.Source{Quantity: results.QuantityRRU, Time: results.ServiceTime}), "from a quantity and from a time"},
		"no percentile":    {sourced(results.Source{Time: results.ServiceTime}), "its percentile is 0"},
		"no time":          {sourced(results.Source{Percentile: 50}), "its percentile is 50"},
		"unknown time":     {sourced(results.Source{Time: "wall", Percentile: 50}), `its time is "wall"`},
		"check unnamed":    {func(d *results.Document) { d.Checks[0].Name = "" }, "check"},
	} {
		t.Run(name, func(t *testing.T) {
			doc := resultstest.CatalogRefresh(1, 0, 100_000)
			c.change(&doc)
			if _, err := results.Encode(doc); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Encode: %v; want an error with %q", err, c.want)
			}
		})
	}
}

// sourced declares one metric, of that source.
func sourced(src results.Source) func(*results.Document) {
	return func(d *results.Document) {
		d.Metrics = results.Metrics{{Name: "x/op", Noun: "x", Assume: results.Exact, Better: results.Neither, From: src}}
	}
}

// small is a document with one of everything.
func small() results.Document {
	doc := resultstest.CatalogRefresh(1, 0, 100_000)
	doc.Series, doc.Checks = doc.Series[:1], doc.Checks[:1]
	sum := &doc.Summary
	sum.Metrics, sum.Growth, sum.Crossover, sum.Slopes = sum.Metrics[:1], sum.Growth[:1], sum.Crossover[:1], sum.Slopes[:1]
	sum.Disturbed = []results.Disturbance{{Variant: "v1", Point: doc.Series[0].Point, Counts: map[string]int64{"throttled": 1}}}
	return doc
}

// edit decodes a valid document into maps, changes them, and returns JSON.
func edit(t *testing.T, change func(doc map[string]any)) []byte {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(encode(t, small())))
	dec.UseNumber()
	var doc map[string]any
	if err := dec.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	change(doc)
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func firstSeries(doc map[string]any) map[string]any {
	return doc["series"].([]any)[0].(map[string]any)
}

// Whatever member is taken out of a document, at any depth, Decode says that
// something is missing, except for those that nothing is computed from, and what
// a metric can be without.
func TestDecodeRefusesEveryMissingMember(t *testing.T) {
	descriptions := append([]string{"environment.", "lakebench.", "checks.detail", "metrics.column"}, optional...)
	edit(t, func(doc map[string]any) {
		for _, m := range members("", doc) {
			if slices.ContainsFunc(descriptions, func(d string) bool { return strings.HasPrefix(m.path, d) }) {
				continue
			}
			value := m.owner[m.name]
			delete(m.owner, m.name)
			data, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := results.Decode(data); err == nil {
				t.Errorf("accepted without %s", m.path)
			} else if strings.Contains(err.Error(), "\n") {
				t.Errorf("message of more than one line: %q", err)
			}
			m.owner[m.name] = value
		}
	})
}

// optional are members that the format does not require.
var optional = []string{"metrics.per", "metrics.from", "workload.summary", "workload.variants", "workload.focus", "series.interleaved"}

// member is a member of an object in a document; its path leaves indices out.
type member struct {
	path, name string
	owner      map[string]any
}

// members finds the members that the format names in the first object of each
// list; parameters, metrics, coordinates and operations have names of their own.
func members(path string, v any) []member {
	ownNames := []string{"params.", "point.", "metrics.", "latency.", "operations."}
	var all []member
	switch v := v.(type) {
	case map[string]any:
		own := slices.ContainsFunc(ownNames, func(n string) bool { return strings.HasSuffix(path, "."+n) }) && path != "summary.metrics."
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if !own {
				all = append(all, member{path + name, name, v})
			}
			all = append(all, members(path+name+".", v[name])...)
		}
	case []any:
		if len(v) > 0 {
			all = members(path, v[0])
		}
	}
	return all
}

func TestDecodeRefuses(t *testing.T) {
	whole := encode(t, small())
	for name, c := range map[string]struct {
		data []byte
		kind error
		want string
	}{
		"empty":         {nil, results.ErrDamaged, "ends after 0 bytes"},
		"truncated":     {whole[:len(whole)/2], results.ErrDamaged, "ends after"},
		"last byte off": {whole[:len(whole)-2], results.ErrDamaged, "ends after"},
		"two documents": {slices.Concat(whole, whole), results.ErrDamaged, "after top-level value"},
		"not JSON":      {[]byte("goos: linux\n"), results.ErrForeign, ""},
		"an array":      {[]byte("[]"), results.ErrForeign, ""},
		"null":          {[]byte("null"), results.ErrForeign, "found none"},
		"an object":     {[]byte("{}"), results.ErrForeign, "found none"},
		"other schema":  {edit(t, func(d map[string]any) { d["schema"] = "k6" }), results.ErrForeign, `found "k6"`},
		"older":         {edit(t, func(d map[string]any) { d["schema_version"] = 1 }), results.ErrVersion, "expected 3, found 1: the file is older than this lakebench"},
		"newer":         {edit(t, func(d map[string]any) { d["schema_version"] = 4 }), results.ErrVersion, "expected 3, found 4: this lakebench is older than the file"},
		"no version":    {edit(t, func(d map[string]any) { delete(d, "schema_version") }), results.ErrVersion, "found none"},
		"unknown field": {edit(t, func(d map[string]any) { firstSeries(d)["extra"] = 1 }), results.ErrDamaged, "unknown field /series/0/extra"},
		"wrong case":    {edit(t, func(d map[string]any) { firstSeries(d)["Evaluated"] = 1 }), results.ErrDamaged, "unknown field /series/0/Evaluated"},
		"wrong type":    {edit(t, func(d map[string]any) { firstSeries(d)["evaluated"] = "many" }), results.ErrDamaged, "/series/0/evaluated"},
		"a fraction":    {edit(t, func(d map[string]any) { firstSeries(d)["evaluated"] = 0.5 }), results.ErrDamaged, "/series/0/evaluated"},
		"negative":      {edit(t, func(d map[string]any) { firstSeries(d)["cost_usd"] = -1 }), results.ErrDamaged, "cost_usd"},
		"null point":    {edit(t, func(d map[string]any) { firstSeries(d)["point"] = map[string]any{"tables": nil} }), results.ErrDamaged, "/series/0/point/tables"},
		"null series":   {edit(t, func(d map[string]any) { d["series"] = nil }), results.ErrDamaged, "series is missing"},
		"phase":         {edit(t, func(d map[string]any) { firstSeries(d)["phase"] = "ramp" }), results.ErrDamaged, `phase is "ramp"`},
		"key twice": {bytes.Replace(whole, []byte(`"repeats": 1,`), []byte(`"repeats": 1, "repeats": 1,`), 1),
			results.ErrForeign, "repeats"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := results.Decode(c.data)
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Decode: %v; want one line of kind %q with %q", err, c.kind, c.want)
			}
		})
	}
}

func TestReadNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := results.Read(path); !errors.Is(err, results.ErrDamaged) || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("Read: %v", err)
	}
	if _, err := results.Read(path + "x"); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), path+"x") {
		t.Errorf("Read of no file: %v", err)
	}
}

// Whatever parameters, coordinates, counts and metrics a document has, reading
// it back and writing it again gives the same bytes.
func TestRoundTripProperty(t *testing.T) {
	number := rapid.OneOf(
		rapid.Float64Range(-1e300, 1e300).AsAny(), rapid.Int64().AsAny(), rapid.Bool().AsAny(),
		rapid.String().AsAny(), rapid.SliceOf(rapid.Float64Range(0, 1e25)).AsAny(), rapid.Uint64().AsAny(),
	)
	one := resultstest.CatalogRefresh(1, 0)
	one.Summary = results.Summary{}
	rapid.Check(t, func(t *rapid.T) {
		doc := one
		doc.Workload.Params = rapid.MapOf(rapid.String(), number).Draw(t, "params")
		var err error
		if doc.Workload.Hash, err = results.HashWorkload(doc.Workload.Name, doc.Workload.Version, doc.Workload.Params); err != nil {
			t.Fatal(err)
		}
		doc.Series = slices.Clone(one.Series[:1])
		s := &doc.Series[0]
		s.Metrics = rapid.MapOf(rapid.String(), rapid.Float64Range(-1e300, 1e300)).Draw(t, "metrics")
		s.Point = results.Point{
			rapid.String().Draw(t, "name"): results.Number(rapid.Float64Range(-1e300, 1e300).Draw(t, "number")),
			"word":                         results.Word(rapid.String().Draw(t, "word")),
			"switch":                       results.Bool(rapid.Bool().Draw(t, "switch")),
		}
		s.Evaluated = rapid.Int64Range(0, math.MaxInt64).Draw(t, "evaluated")
		s.RRU = rapid.Float64Range(0, 1e300).Draw(t, "rru")
		data, err := results.Encode(doc)
		if err != nil {
			t.Fatal(err)
		}
		back, err := results.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		again, err := results.Encode(back)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, again) {
			t.Fatalf("changed:\n%s", cmp.Diff(string(data), string(again)))
		}
	})
}

// FuzzDecode: no bytes make Decode panic, and what it accepts can be written.
func FuzzDecode(f *testing.F) {
	f.Add(encode(f, small()))
	f.Add([]byte(`{"schema":"lakebench.result","schema_version":3}`))
	f.Add([]byte(`{"schema":["lakebench.result"]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := results.Decode(data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("message of more than one line: %q", err)
			}
			return
		}
		if _, err := results.Encode(doc); err != nil {
			t.Errorf("accepted, but cannot be written: %v", err)
		}
	})
}
