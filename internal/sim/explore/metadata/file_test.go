package metadata_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/sim/explore/metadata"
	"github.com/lakebench/lakebench/internal/yamlfile"
	"github.com/lakebench/lakebench/store"
)

// small is a scenario file that is right.
const small = `layout: v1
actors: {writers: 2, readers: 1}
operations: 3
keys:
  - guard: lease/a
    targets: [tbl/a]
values: {shared: [x], unique: 0.5}
mix:
  writers: {cas: 1}
  readers: {get: 1}
page_limit: 2
shards: 2
parallel: 1
faults: |
  # a comment
  on dynamodb p 0.5 : throttle
checks: [linearizable]
policies: [fifo]
`

func TestParse(t *testing.T) {
	c, err := metadata.Parse("s.yaml", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	if c.Layout != store.V1 || c.Writers != 2 || c.Readers != 1 || c.Operations != 3 || c.Unique != 0.5 ||
		len(c.Faults) != 1 || c.Faults[0].Select.P != 0.5 || len(c.Checks) != 1 || len(c.Policies) != 1 || c.Mix["writers"]["cas"] != 1 {
		t.Errorf("parsed %+v", c)
	}
}

// Every mistake is told in one line, with its place.
func TestMistakesInFiles(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"operations: 3", "operation: 3", `s.yaml:3:1: unknown key "operation", did you mean "operations"? (allowed: actors, checks, commit_delay`},
		{"operations: 3", "operations: 0", `s.yaml:3:13: "0" is no number from 1 to 10000`},
		{"operations: 3", "operations: many", `s.yaml:3:13: "many" is no number`},
		{"operations: 3\n", "", `s.yaml:1:1: key "operations" is missing`},
		{"operations: 3", "operations: 3\noperations: 3", `s.yaml:4:1: key "operations" is given twice`},
		{"layout: v1", "layout: v3", `s.yaml:1:9: layout is "v3", expected v1 or v2`},
		{"{writers: 2, readers: 1}", "{}", `s.yaml:2:9: no actors, expected at least one writer or reader`},
		{"{writers: 2, readers: 1}", "{writers: 0}", `s.yaml:2:9: no actors`},
		{"{writers: 2, readers: 1}", "{writers: 60, readers: 5}", `s.yaml:2:9: 65 actors, at most 64`},
		{"{writers: 2, readers: 1}", "{writer: 2}", `s.yaml:2:10: unknown key "writer", did you mean "writers"? (allowed: readers, writers)`},
		{"{writers: 2, readers: 1}", "7", `s.yaml:2:9: actors: expected keys with values, found "7"`},
		{"guard: lease/a", "guard: tbl/a", `s.yaml:5:3: key "tbl/a" is there twice`},
		{"targets: [tbl/a]", "targets: []", `s.yaml:6:14: expected a list of at least one`},
		{"unique: 0.5", "unique: 1.5", `s.yaml:7:31: a probability of 1.5 is impossible; it is 0 to 1`},
		{"unique: 0.5", "unique: often", `s.yaml:7:31: "often" is no probability`},
		{"readers: {get: 1}", "readers: {get: 0}", `s.yaml:10:12: readers do nothing`},
		{"  readers: {get: 1}\n", "", `s.yaml:1:1: mix says nothing of readers, of which there are 1`},
		{"readers: {get: 1}", "readers: {put: 1}", `s.yaml:10:13: unknown key "put", did you mean "get"? (allowed: cas, delete, get, guarded, list)`},
		{"p 0.5", "p 1.5", `s.yaml:16:17: a probability of 1.5 is impossible`},
		{"throttle", "throtle", `s.yaml:16:23: expected an effect`},
		{"|\n  # a comment\n  on dynamodb p 0.5 : throttle", "some", `s.yaml:14:9: expected rules, a line each, below "faults: |"`},
		{"[linearizable]", "[]", `s.yaml:17:9: expected a list of at least one`},
		{"checks: [linearizable]\n", "", `s.yaml:1:1: key "checks" is missing`},
		{"[linearizable]", "[linear]", `s.yaml:17:10: unknown word "linear" (allowed: answers, linearizable, listings)`},
		{"[fifo]", "[lifo]", `s.yaml:18:12: no such policy: "lifo", expected fifo, random, pct or pct:DEPTH`},
		{"[fifo]", `["pct:0"]`, `s.yaml:18:12: no such policy: "pct:0", the depth of pct is a number from 1 to 100`},
		{"shards: 2", "shards: 2\nlatency: -1s", `s.yaml:13:10: "-1s" is no duration from 0s to 1m0s`},
		{"shards: 2", "shards: 2\ntransport: pigeon", `s.yaml:13:12: no such transport: "pigeon", expected direct or sdk`},
		{small, "", `s.yaml: the file is empty`},
		{small, "a: [", `s.yaml: not readable as YAML`},
		{small, small + "---\n" + small, `s.yaml:19:1: more than one YAML document`},
		{small, "- 1", `s.yaml:1:1: the file: expected keys with values, found a list`},
	} {
		if strings.Count(small, test.old) != 1 {
			t.Fatalf("%q is not once in the file", test.old)
		}
		_, err := metadata.Parse("s.yaml", []byte(strings.Replace(small, test.old, test.new, 1)))
		var file *yamlfile.Error
		var syntax *fault.SyntaxError
		if err == nil || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %s", test.new, err, test.want)
		} else if !errors.As(err, &file) && !errors.As(err, &syntax) {
			t.Errorf("%q: error of type %T", test.new, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Add(metadata.Shipped())
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := metadata.Parse("s.yaml", text)
		if err == nil {
			err = c.Scenario("s.yaml").Validate()
			if err != nil {
				t.Errorf("accepted, and yet: %v", err)
			}
		}
	})
}
