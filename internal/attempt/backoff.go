package attempt

import (
	"fmt"
	"time"
)

// Backoff bounds how often a mutation is sent that others stand in the way of, and
// how long it waits between: a random time, in each wait up to twice that of the
// one before.
type Backoff struct {
	Tries int           // calls a mutation, the first included
	Base  time.Duration // most of the first wait
	Max   time.Duration // most of any wait
}

// DefaultBackoff tries ten times within three seconds or so. What is waited for is
// one other request, or a transaction, of some milliseconds.
func DefaultBackoff() Backoff {
	return Backoff{Tries: 10, Base: 10 * time.Millisecond, Max: time.Second}
}

// Validate refuses a back-off that never sends.
func (b Backoff) Validate() error {
	if b.Tries < 1 || b.Base < 0 || b.Max < b.Base {
		return fmt.Errorf("back-off of %d tries, waits of %v up to %v; want at least one try, and waits that grow", b.Tries, b.Base, b.Max)
	}
	return nil
}

// Wait returns how long to wait after the given try, from 1, for u in [0, 1).
func (b Backoff) Wait(try int, u float64) time.Duration {
	most := b.Base
	for i := 1; i < try && most < b.Max; i++ {
		most *= 2
	}
	return time.Duration(u * float64(min(most, b.Max)))
}
