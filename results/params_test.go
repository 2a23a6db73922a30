package results_test

import (
	"encoding/json"
	"testing"

	"github.com/lakebench/lakebench/results"
)

// The hash was computed with another program, from the canonical JSON in the
// comment.
func TestHashWorkload(t *testing.T) {
	// {"name":"catalog-refresh","params":{"history_records":[0,1000],"item_bytes":300,"prefix":"a<b&c/é"},"version":2}
	const want = "025f5bd2010a3ac45f1bf85ac9869c9f9bfa75cdda9dc01a5bbeb71713f9f1ae"
	params := func() results.Params {
		return results.Params{"prefix": "a<b&c/é", "item_bytes": 300, "history_records": []int{0, 1000}}
	}
	hash := func(name string, version int, p results.Params) string {
		h, err := results.HashWorkload(name, version, p)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	if got := hash("catalog-refresh", 2, params()); got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
	other := params()
	other["item_bytes"] = 301
	for what, got := range map[string]string{
		"name": hash("catalog", 2, params()), "version": hash("catalog-refresh", 3, params()), "params": hash("catalog-refresh", 2, other),
	} {
		if got == want {
			t.Errorf("another %s has the same hash", what)
		}
	}
	if hash("x", 1, nil) != hash("x", 1, results.Params{}) {
		t.Error("no parameters and empty ones differ")
	}
	if _, err := results.HashWorkload("x", 1, results.Params{"f": func() {}}); err == nil {
		t.Error("a function has a hash")
	}
}

// A number is written again as it was read, whatever its size.
func TestParamsKeepNumbers(t *testing.T) {
	for _, text := range []string{"0", "-0", "1", "9223372036854775807", "9223372036854775808", "18446744073709551615", "1e+21", "0.1", "-2.5e-7"} {
		data := []byte(`{"x":[` + text + `],"y":{"z":` + text + `}}`)
		var p results.Params
		if err := json.Unmarshal(data, &p); err != nil {
			t.Fatal(err)
		}
		if back, err := json.Marshal(p); err != nil || string(back) != string(data) {
			t.Errorf("%s came back as %s, %v", data, back, err)
		}
	}
}
