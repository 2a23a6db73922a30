package meter

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/internal/cause"
)

// compareHistograms by all that they hold.
var compareHistograms = cmp.Comparer(func(a, b Histogram) bool {
	return a.Clamped == b.Clamped && a.HDR.Equals(b.HDR)
})

// Splitting what is counted over several meters and merging their ledgers gives
// the ledger of one meter that counted everything. On failure rapid prints the
// seed and the line that replays it.
func TestMergeOfASplitIsTheWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		coarse := func(c *Config) { c.SignificantDigits = 2 } // fewer buckets: quicker
		whole := newMeter(t, coarse)
		parts := make([]*Meter, rapid.IntRange(1, 4).Draw(rt, "parts"))
		for i := range parts {
			parts[i] = newMeter(t, coarse)
		}
		events := rapid.SliceOfN(rapid.Uint64(), 0, 60).Draw(rt, "events")
		for _, seed := range events {
			event := randomEvent(rand.New(rand.NewPCG(seed, 0)))
			event(whole)
			event(parts[seed%uint64(len(parts))])
		}
		ledgers := make([]Ledger, len(parts))
		for i, p := range parts {
			ledgers[i] = p.Ledger(PhaseSteady)
		}
		before := parts[0].Ledger(PhaseSteady)
		got, err := Merge(ledgers[0], ledgers[1:]...)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(whole.Ledger(PhaseSteady), got, compareHistograms); diff != "" {
			rt.Fatalf("(-whole +merged):\n%s", diff)
		}
		if diff := cmp.Diff(before, ledgers[0], compareHistograms); diff != "" {
			rt.Fatalf("merging changed its input:\n%s", diff)
		}
	})
}

// randomEvent is something that a meter counts.
func randomEvent(r *rand.Rand) func(*Meter) {
	ctx := InPhase(context.Background(), PhaseSteady)
	if r.IntN(2) == 0 {
		name := fmt.Sprint("op-", r.IntN(3))
		took := time.Duration(r.Int64N(int64(2 * maxLatency)))
		outcome := OperationOutcome(r.IntN(3))
		return func(m *Meter) {
			o := lookUp(m, m.operations, operationKey{PhaseSteady, name}, func() *operation {
				return &operation{service: newHistogram(2), response: newHistogram(2)}
			})
			o.outcomes[outcome]++
			o.service.record(took)
			o.response.record(2 * took)
		}
	}
	ctx = cause.With(ctx, cause.Label(fmt.Sprint("cause-", r.IntN(2))))
	api := fmt.Sprint("API-", r.IntN(3))
	var counts Counts
	for _, n := range []*int64{
		&counts.Calls, &counts.Retries, &counts.Unsent, &counts.Attempts, &counts.Served, &counts.Repeats,
		&counts.S3ClassA, &counts.S3ClassB, &counts.Unreported, &counts.Evaluated, &counts.Returned,
		&counts.BytesSent, &counts.BytesReceived,
	} {
		*n = r.Int64N(100)
	}
	counts.RRU, counts.WRU = float64(r.IntN(100))/2, float64(r.IntN(100))
	counts.Outcomes[r.IntN(int(numOutcomes))]++
	return func(m *Meter) { m.cell(ctx, "dynamodb", api).add(counts) }
}

func narrowHistogram() Histogram {
	h := Histogram{HDR: hdrhistogram.New(1, int64(time.Millisecond), 3)}
	h.record(time.Microsecond)
	return h
}

func TestMergeRefuses(t *testing.T) {
	ledger := func(m *Meter, phase string) Ledger {
		_ = m.Operation(InPhase(t.Context(), phase), "read", time.Time{}, func(context.Context) error { return nil })
		return m.Ledger(phase)
	}
	steady := ledger(newMeter(t), PhaseSteady)
	for what, c := range map[string]struct {
		other Ledger
		want  string
	}{
		"phases":  {ledger(newMeter(t), PhaseAfter), `phase "after"`},
		"sources": {ledger(newMeter(t, reportCapacity), PhaseSteady), "reported units"},
		"digits":  {ledger(newMeter(t, func(c *Config) { c.SignificantDigits = 2 }), PhaseSteady), "significant digits"},
	} {
		if _, err := Merge(steady, c.other); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	// HdrHistogram counts, but does not add, what does not fit.
	narrow := Ledger{Phase: PhaseSteady, Source: Computed, Operations: []Operation{{
		Name: "read", OK: 1, Service: narrowHistogram(), Response: narrowHistogram(),
	}}}
	long := newHistogram(3)
	long.record(time.Minute)
	wide := Ledger{Phase: PhaseSteady, Source: Computed, Operations: []Operation{{Name: "read", OK: 1, Service: long, Response: long}}}
	if _, err := Merge(narrow, wide); err == nil || !strings.Contains(err.Error(), "1 times are out of the histogram's range") {
		t.Errorf("got %v", err)
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
		{Key{"dynamodb", "GetItem", cause.Point}, Counts{Flow: Flow{Attempts: 1}, Usage: Usage{RRU: 0.5}}},
		{Key{"dynamodb", "PutItem", cause.Setup}, Counts{Flow: Flow{Attempts: 10}, Usage: Usage{WRU: 3}}},
		{Key{"dynamodb", "Query", cause.List}, Counts{Flow: Flow{Attempts: 100}, Usage: Usage{RRU: 4}}},
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
