// Package tally counts what a service has served: the service's own count, apart
// from all observers.
package tally

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
)

// Request is a kind of requests that are counted together: an operation's name and
// how it ended.
type Request struct{ API, Outcome string }

// Requests counts them by kind.
type Requests map[Request]int64

// WriteTable writes a line a kind, in order.
func (r Requests) WriteTable(w io.Writer) {
	kinds := slices.SortedFunc(maps.Keys(r), func(a, b Request) int {
		return cmp.Or(cmp.Compare(a.API, b.API), cmp.Compare(a.Outcome, b.Outcome))
	})
	for _, k := range kinds {
		fmt.Fprintf(w, "  %-24s %-18s %12d\n", k.API, k.Outcome, r[k])
	}
}

// A Tally counts requests and adds up what each of them is billed. The zero value
// has counted none.
type Tally[Sums any] struct {
	mu       sync.Mutex // never held over a yield
	requests Requests
	sums     Sums
}

// Count counts a request; add adds what it is billed.
func (t *Tally[Sums]) Count(r Request, add func(sums *Sums)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.requests == nil {
		t.requests = Requests{}
	}
	t.requests[r]++
	add(&t.sums)
}

// Totals returns what has been counted so far.
func (t *Tally[Sums]) Totals() (Requests, Sums) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.requests), t.sums
}
