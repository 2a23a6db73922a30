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

	"github.com/lakebench/lakebench/internal/counts"
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

// A Tally counts requests and adds up what each of them used. The zero value
// has counted none.
type Tally struct {
	mu       sync.Mutex // never held over a yield
	requests Requests
	usage    counts.Usage
}

// Count counts a request and what it used.
func (t *Tally) Count(r Request, u counts.Usage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.requests == nil {
		t.requests = Requests{}
	}
	t.requests[r]++
	t.usage.Add(u)
}

// Totals is what a service has served since it was made.
type Totals struct {
	Requests Requests
	counts.Usage
}

// Totals returns what has been counted so far.
func (t *Tally) Totals() Totals {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Totals{maps.Clone(t.requests), t.usage}
}
