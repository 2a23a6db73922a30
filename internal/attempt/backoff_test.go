package attempt

import (
	"testing"
	"time"
)

// TestBackoffWaits: each wait is at most twice the one before, from Base to Max.
func TestBackoffWaits(t *testing.T) {
	b := Backoff{Tries: 10, Base: 10 * time.Millisecond, Max: 100 * time.Millisecond}
	for i, most := range []time.Duration{10, 20, 40, 80, 100, 100, 100} {
		most *= time.Millisecond
		if got := b.Wait(i+1, 0); got != 0 {
			t.Errorf("wait %d for 0 is %v", i+1, got)
		}
		if got := b.Wait(i+1, 0.5); got != most/2 {
			t.Errorf("wait %d for 0.5 is %v, want %v", i+1, got, most/2)
		}
		if got := b.Wait(i+1, 0.999999); got > most || got < most*9/10 {
			t.Errorf("wait %d for almost 1 is %v, want nearly %v", i+1, got, most)
		}
	}
	if got := (Backoff{Tries: 1}).Wait(1_000_000, 0.5); got != 0 {
		t.Errorf("without waits it waits %v", got)
	}
	for _, bad := range []Backoff{{}, {Tries: -1}, {Tries: 1, Base: -1}, {Tries: 1, Base: 2, Max: 1}} {
		if err := bad.Validate(); err == nil {
			t.Errorf("Validate(%+v) = nil, want an error", bad)
		}
	}
	if err := DefaultBackoff().Validate(); err != nil {
		t.Error(err)
	}
}
