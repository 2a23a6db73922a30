package run

import (
	"errors"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/run/load"
)

// A point is refused if twice what lives there, or with a limit of the runtime all of
// it, is more than there is.
func TestFitsMemory(t *testing.T) {
	w := &Workload{
		Name: "sample", Params: []Param{{Name: "records", Kind: Integer, Max: 1e9, Swept: true}},
		Held: func(c Config, p load.Point) float64 {
			return float64(p["records"].(int64)) * 100 * float64(len(c.Variants))
		},
	}
	cfg := Config{Workload: w, Params: Params{"records": {int64(10), int64(1_000_000)}}, Variants: []Variant{{Name: "v1"}, {Name: "v2"}}} // 200 MB live
	for _, c := range []struct {
		m    Memory
		want string
	}{
		{Memory{}, ""},
		{Memory{Available: 400e6}, ""},
		{Memory{Available: 399e6}, "sample: the point records=1000000 needs about 0.4 GB of memory, 0.4 GB are available: measure smaller values, or fewer variants at a time; or set GOMEMLIMIT=342MiB"},
		{Memory{Available: 100e6}, "needs about 0.4 GB of memory, 0.1 GB are available: measure smaller values, or fewer variants at a time"},
		{Memory{Limit: 200e6}, ""},
		{Memory{Limit: 199e6}, "needs about 0.2 GB of memory, 0.2 GB are available: measure"},
		{Memory{Available: 399e6, Limit: 1e18}, ""},
		{Memory{Available: 199e6, Limit: 1e18}, "needs about 0.2 GB"},
	} {
		err := cfg.FitsMemory(c.m)
		var refused *MemoryError
		if errors.As(err, &refused) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.m, err, c.want)
		}
	}
	cfg.Worker = Worker{Index: 1, Of: 2} // measures v1 at each point
	if err := cfg.FitsMemory(Memory{Available: 200e6}); err != nil {
		t.Errorf("a worker needs what it measures: %v", err)
	}
	w.Held = nil
	if err := cfg.FitsMemory(Memory{Available: 1}); err != nil {
		t.Errorf("a workload that needs little: %v", err)
	}
}
