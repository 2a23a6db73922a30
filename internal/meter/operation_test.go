package meter

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
)

func within(t *testing.T, what string, got, want time.Duration, digits int) {
	t.Helper()
	tolerance := want
	for range digits {
		tolerance /= 10
	}
	if got < want-tolerance || got > want+tolerance {
		t.Errorf("%s: got %v, want %v within %v", what, got, want, tolerance)
	}
}

// An operation that was due 30 ms before it could start took 10 ms to serve and
// 40 ms to answer.
func TestServiceAndResponseTime(t *testing.T) {
	for _, digits := range []int{2, 3} {
		synctest.Test(t, func(t *testing.T) {
			m := newMeter(t, func(c *Config) { c.SignificantDigits = digits })
			ctx := InPhase(t.Context(), PhaseSteady)
			scheduled := task.Now(ctx)
			time.Sleep(30 * time.Millisecond)
			work := func(ctx context.Context) error { return task.Sleep(ctx, 10*time.Millisecond) }
			if err := m.Operation(ctx, "read", scheduled, work); err != nil {
				t.Fatal(err)
			}
			o := m.Ledger(PhaseSteady).Operations[0]
			within(t, "service", time.Duration(o.Service.HDR.Max()), 10*time.Millisecond, digits)
			within(t, "response", time.Duration(o.Response.HDR.Max()), 40*time.Millisecond, digits)

			// Without a schedule both are the same.
			if err := m.Operation(ctx, "now", time.Time{}, work); err != nil {
				t.Fatal(err)
			}
			o = m.Ledger(PhaseSteady).Operations[0]
			within(t, "service", time.Duration(o.Service.HDR.Max()), 10*time.Millisecond, digits)
			within(t, "response", time.Duration(o.Response.HDR.Max()), 10*time.Millisecond, digits)
		})
	}
}

// A histogram tells 1 µs from 1.01 µs and 60 s from 60.1 s.
func TestHistogramResolution(t *testing.T) {
	for _, want := range []time.Duration{0, 1, time.Microsecond, 1010, 5 * time.Millisecond, 60 * time.Second, 60100 * time.Millisecond, time.Hour} {
		h := newHistogram(3)
		h.record(want)
		within(t, want.String(), time.Duration(h.HDR.Max()), want, 3)
		if h.Clamped != 0 || h.HDR.TotalCount() != 1 {
			t.Errorf("%v: clamped %d, count %d", want, h.Clamped, h.HDR.TotalCount())
		}
	}
}

// A time out of range is counted at the end of the range, and as clamped.
func TestClampedTimesAreNotLost(t *testing.T) {
	h := newHistogram(3)
	h.record(-time.Nanosecond) // due later than it was begun
	h.record(2 * time.Hour)
	h.record(time.Second)
	if h.Clamped != 2 || h.HDR.TotalCount() != 3 {
		t.Errorf("clamped %d, count %d", h.Clamped, h.HDR.TotalCount())
	}
	within(t, "max", time.Duration(h.HDR.Max()), time.Hour, 3)
	if least := h.HDR.Min(); least != 0 {
		t.Errorf("min %d", least)
	}
}

var errRefused = errors.New("refused")

func TestOperationOutcomes(t *testing.T) {
	m := newMeter(t)
	ctx := InPhase(t.Context(), PhaseSteady)
	for _, err := range []error{nil, nil, nil, errRefused, errRefused, context.Canceled, fmt.Errorf("x: %w", context.DeadlineExceeded)} {
		if got := m.Operation(ctx, "commit", time.Time{}, func(context.Context) error { return err }); !errors.Is(got, err) {
			t.Errorf("got %v, want %v", got, err)
		}
	}
	o := m.Ledger(PhaseSteady).Operations[0]
	if o.Name != "commit" || o.OK != 3 || o.Failed != 2 || o.Unknown != 2 || o.Count() != 7 {
		t.Errorf("got %+v", o)
	}
	// All of them took their time.
	if n := o.Response.HDR.TotalCount(); n != 7 {
		t.Errorf("%d times", n)
	}

	// A workload knows its errors better.
	m = newMeter(t, func(c *Config) {
		c.Classify = func(err error) OperationOutcome {
			if errors.Is(err, errRefused) {
				return OperationOK
			}
			return OperationUnknown
		}
	})
	for _, err := range []error{nil, errRefused, errRefused} {
		_ = m.Operation(ctx, "commit", time.Time{}, func(context.Context) error { return err })
	}
	if o := m.Ledger(PhaseSteady).Operations[0]; o.OK != 2 || o.Unknown != 1 || o.Failed != 0 {
		t.Errorf("got %+v", o)
	}
}

// The operation's context is the caller's: its requests are in its phase.
func TestOperationPassesTheContext(t *testing.T) {
	m := newMeter(t)
	c, _ := newClient(m, answerItem)
	ctx := InPhase(t.Context(), PhasePause)
	if err := m.Operation(ctx, "read", time.Time{}, func(ctx context.Context) error { return get(ctx, c) }); err != nil {
		t.Fatal(err)
	}
	if l := m.Ledger(PhasePause); l.Total().Attempts != 1 || l.Operations[0].OK != 1 {
		t.Errorf("got %+v", l)
	}
}

func TestConfigIsValidated(t *testing.T) {
	for _, digits := range []int{0, 1, 4} {
		cfg := DefaultConfig()
		cfg.SignificantDigits = digits
		if _, err := New(cfg); err == nil {
			t.Errorf("%d digits were accepted", digits)
		}
	}
}
