package run

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var sample = &Workload{Name: "sample", Params: []Param{
	{Name: "tables", Kind: Integer, Min: 1, Max: 100, Default: "10", Swept: true},
	{Name: "refreshes", Kind: Integer, Min: 1, Max: math.MaxInt64, Default: "3"},
	{Name: "consistency", Kind: Choice, Choices: []string{"strong", "eventual"}, Default: "strong"},
	{Name: "days", Span: "retention", Unit: 24 * time.Hour, Kind: Integer, Min: 1, Max: 3650, Default: "1,7", Swept: true},
}}

func TestResolve(t *testing.T) {
	for _, tt := range []struct {
		set  map[string]string
		want []any
	}{
		{nil, []any{int64(10)}},
		{map[string]string{"tables": "5"}, []any{int64(5)}},
		{map[string]string{"tables": "5, 7,9"}, []any{int64(5), int64(7), int64(9)}},
		// Ranges as docs/spec/results.md §2 has them.
		{map[string]string{"tables": "1..8"}, []any{int64(1), int64(2), int64(4), int64(8)}},
		{map[string]string{"tables": "3..20"}, []any{int64(3), int64(4), int64(8), int64(16), int64(20)}},
		{map[string]string{"tables": "7..7"}, []any{int64(7)}},
	} {
		p, err := sample.Resolve(tt.set)
		if err != nil {
			t.Errorf("%v: %v", tt.set, err)
			continue
		}
		if diff := cmp.Diff(tt.want, p["tables"]); diff != "" {
			t.Errorf("%v: %s", tt.set, diff)
		}
	}
	for set, want := range map[string][]any{
		"retention=1d,1w,30d": {int64(1), int64(7), int64(30)}, "retention=1d..1w": {int64(1), int64(2), int64(4), int64(7)},
		"days=3": {int64(3)}, "tables=9": {int64(1), int64(7)}, "days=1e3,1_001": {int64(1000), int64(1001)},
	} {
		name, value, _ := strings.Cut(set, "=")
		if p, err := sample.Resolve(map[string]string{name: value}); err != nil || !cmp.Equal(want, p["days"]) {
			t.Errorf("%s: %v, %v, want %v", set, p["days"], err, want)
		}
	}
	if _, err := sample.Resolve(map[string]string{"days": "1", "retention": "1d"}); err == nil || !strings.Contains(err.Error(), "is given as days too") {
		t.Errorf("days and retention: %v", err)
	}
	zero := Param{Name: "n", Kind: Integer, Max: 64, Swept: true}
	got, err := zero.parse("0..5")
	if err != nil || !cmp.Equal(got, []any{int64(0), int64(1), int64(2), int64(4), int64(5)}) {
		t.Errorf("0..5 is %v, %v", got, err)
	}
}

func TestResolveRefuses(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"tabels", "5", `did you mean "tables"? (allowed: consistency, refreshes, retention, tables)`},
		{"zzz", "5", `unknown parameter "zzz" (allowed:`},
		{"tables", "0", "0 is out of range; allowed is 1 to 100"},
		{"tables", "1,000", `"000" begins with 0: large numbers are written as 1000, 1_000 or 1e3`},
		{"tables", "10k", `"10k" is no whole number: write a thousand as 1_000 or 1e3`},
		{"refreshes", "1,000", "a thousand is written 1000, 1_000 or 1e3"},
		{"retention", "7", `"7" has no unit of time: write 7s, 7m, 7h, 7d, 7w or 7y; allowed is 1d to 3650d`},
		{"retention", "36h", "36h is no multiple of 1d; allowed is"},
		{"retention", "11y", "11y is out of range; allowed is 1d to 3650d"},
		{"days", "7d", `"7d" is no whole number; allowed is 1 to 3650`},
		{"tables", "101", "101 is out of range"},
		{"tables", "ten", `"ten" is no whole number; allowed is 1 to 100`},
		{"tables", "1.5", "no whole number"},
		{"tables", "", "no whole number"},
		{"tables", "1,,2", "no whole number"},
		{"tables", "1,2,1", "gives the value 1 twice"},
		{"tables", "9..3", "ends below its start"},
		{"tables", "1..", "no whole number"},
		{"refreshes", "1,2", "takes one value, not a list"},
		{"refreshes", "1..2", "takes one value, not a range"},
		{"refreshes", "0", "allowed is 1 or more"},
		{"refreshes", "99999999999999999999", "is too large"},
		{"consistency", "strog", `did you mean "strong"? (allowed: eventual, strong)`},
	} {
		_, err := sample.Resolve(map[string]string{tt.name: tt.value})
		var pe *ParamError
		if !errors.As(err, &pe) {
			t.Errorf("%s=%s: %v, expected a ParamError", tt.name, tt.value, err)
			continue
		}
		if !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s=%s: %q, expected one line with %q", tt.name, tt.value, err, tt.want)
		}
		if !strings.Contains(err.Error(), tt.name) || !strings.Contains(err.Error(), "sample") {
			t.Errorf("%s=%s: %q does not say which parameter of which workload", tt.name, tt.value, err)
		}
	}
}

func TestReadParams(t *testing.T) {
	got, err := ReadParams(strings.NewReader("tables: [1, 2]\nconsistency: eventual\nrefreshes: 4\n"), "p.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"tables": "1,2", "consistency": "eventual", "refreshes": "4"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, err := ReadParams(strings.NewReader(""), "p.yaml"); err != nil || len(got) != 0 {
		t.Errorf("empty file: %v, %v", got, err)
	}
	for _, tt := range []struct{ text, want string }{
		{"tables: 1\ntables: 2\n", `p.yaml:2:1: key "tables" is given twice`},
		{"- a\n", "p.yaml:1:1: the file: expected keys with values, found a list"},
		{"tables: {a: 1}\n", `p.yaml:1:9: parameter "tables": expected a value`},
		{"tables: []\n", "the list is empty"},
		{"tables: [[1]]\n", `p.yaml:1:10: parameter "tables": expected a value, found a list`},
		{"a: 1\n---\nb: 2\n", "more than one YAML document"},
		{"a: [1\n", "not readable as YAML"},
	} {
		_, err := ReadParams(strings.NewReader(tt.text), "p.yaml")
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, expected %q", tt.text, err, tt.want)
		}
	}
}
