package report

import (
	"strings"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/store/control"
)

// A barrier of 10 s and more has an age, and a way to lift it; one that the marker
// keeps for ever has not.
func TestStatusOfBarrier(t *testing.T) {
	began := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		age    time.Duration
		marker *control.Marker
		told   bool
	}{{9 * time.Second, nil, false}, {10 * time.Second, nil, true}, {time.Hour, &control.Marker{BarrierID: "b1"}, false}} {
		s := &migrate.Status{Mode: control.ModeDual, Barrier: &control.Barrier{ID: "b1", Owner: "me@host", Installed: began}, Marker: c.marker}
		var out strings.Builder
		if err := render.Text(&out, MigrationStatus(s, began.Add(c.age)), render.TextOptions{}); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(strings.Fields(out.String()), " ")
		told := strings.Contains(got, c.age.String()+" ago") && strings.Contains(got, "lakebench migrate abort --id b1")
		if told != c.told || !strings.Contains(got, "b1 of me@host") {
			t.Errorf("after %v: %s", c.age, got)
		}
	}
}
