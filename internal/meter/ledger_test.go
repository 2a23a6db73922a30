package meter

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/counts"
)

// A total adds up every count of every row.
func TestTotal(t *testing.T) {
	var one, two Counts
	fill := func(c *Counts, n int64) {
		v := reflect.ValueOf(c).Elem()
		flow := v.FieldByName("Flow")
		for i := range flow.NumField() {
			flow.Field(i).SetInt(n)
		}
		c.RRU, c.BytesSent = float64(n), n // package counts adds up a Usage
		for i := range c.Outcomes {
			c.Outcomes[i] = n
		}
	}
	fill(&one, 1)
	fill(&two, 2)
	l := Ledger{Rows: []Row{{Counts: one}, {Counts: one}}}
	if diff := cmp.Diff(two, l.Total()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLedgerIsACopyInOrder(t *testing.T) {
	m := newMeter(t)
	c, _ := newClient(m, answerItem)
	for _, label := range []cause.Label{cause.Verify, cause.Control, cause.Setup, cause.Point} {
		ctx := cause.With(InPhase(t.Context(), PhaseSteady), label)
		for _, name := range []string{"z", "a"} {
			_ = m.Operation(ctx, name, time.Time{}, func(ctx context.Context) error {
				return put(ctx, c)
			})
		}
		if err := get(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	l := m.Ledger(PhaseSteady)
	var keys []string
	for _, r := range l.Rows {
		keys = append(keys, fmt.Sprintf("%s %s", r.API, r.Cause))
	}
	if want := []string{
		"GetItem control", "GetItem point", "GetItem setup", "GetItem verify",
		"PutItem control", "PutItem point", "PutItem setup", "PutItem verify",
	}; !cmp.Equal(keys, want) {
		t.Errorf("rows %v", keys)
	}
	if l.Operations[0].Name != "a" || l.Operations[1].Name != "z" {
		t.Errorf("operations %v", l.Operations)
	}

	before := m.Ledger(PhaseSteady)
	l.Rows[0].Attempts = 1000
	l.Operations[0].Service.HDR.Reset()
	_ = m.Operation(InPhase(t.Context(), PhaseSteady), "z", time.Time{}, func(context.Context) error { return nil })
	if before.Operations[1].OK != 4 || before.Operations[1].Service.HDR.TotalCount() != 4 {
		t.Error("a ledger changed with its meter")
	}
	if l := m.Ledger(PhaseSteady); l.Rows[0].Attempts != 1 || l.Operations[0].Service.HDR.TotalCount() != 4 {
		t.Error("the meter changed with a ledger")
	}
}

func TestWithoutAndTotal(t *testing.T) {
	l := Ledger{Rows: []Row{
		{Key{"dynamodb", "GetItem", cause.Point}, Counts{Flow: Flow{Attempts: 1}, Usage: counts.Usage{Units: counts.Units{RRU: 0.5}}}},
		{Key{"dynamodb", "PutItem", cause.Setup}, Counts{Flow: Flow{Attempts: 10}, Usage: counts.Usage{Units: counts.Units{WRU: 3}}}},
		{Key{"dynamodb", "Query", cause.List}, Counts{Flow: Flow{Attempts: 100}, Usage: counts.Usage{Units: counts.Units{RRU: 4}}}},
	}}
	if got := l.Total(); got.Attempts != 111 || got.RRU != 4.5 || got.WRU != 3 {
		t.Errorf("got %+v", got)
	}
	if got := l.Without(cause.Setup).Total(); got.Attempts != 101 || got.RRU != 4.5 || got.WRU != 0 {
		t.Errorf("without setup: %+v", got)
	}
	if l.Rows[1].Cause != cause.Setup || l.Rows[2].Cause != cause.List {
		t.Error("Without changed its ledger")
	}
}

// results.Series wants them sorted by service, API, outcome and cause.
func TestAttempts(t *testing.T) {
	l := Ledger{Rows: []Row{
		{Key{"dynamodb", "GetItem", cause.List}, Counts{Outcomes: Outcomes{OK: 3, Absent: 2, Timeout: 1}}},
		{Key{"dynamodb", "GetItem", cause.Point}, Counts{Outcomes: Outcomes{OK: 4}}},
		{Key{"dynamodb", "PutItem", cause.Setup}, Counts{}},
	}}
	want := []Attempt{
		{Key{"dynamodb", "GetItem", cause.List}, Absent, 2},
		{Key{"dynamodb", "GetItem", cause.List}, OK, 3},
		{Key{"dynamodb", "GetItem", cause.Point}, OK, 4},
		{Key{"dynamodb", "GetItem", cause.List}, Timeout, 1},
	}
	if diff := cmp.Diff(want, l.Attempts()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
