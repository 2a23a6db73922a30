package meter

import (
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/counts"
)

// Key is what requests are counted by within a phase.
type Key struct {
	Service string // "dynamodb" or "s3"
	API     string // the SDK's operation name
	Cause   cause.Label
}

// Counts are the counts of one kind of request.
type Counts struct {
	Flow
	counts.Usage
	Outcomes Outcomes
}

// Flow counts requests at the points where they can be counted. Unless a request
// is under way, Calls + Retries − Unsent = Attempts = Served + Stopped.
type Flow struct {
	Calls    int64 // begun in the SDK
	Retries  int64 // further attempts of the SDK's retry loop
	Unsent   int64 // calls and retries that ended before the HTTP client
	Attempts int64 // handed to the HTTP client below the retry loop
	Served   int64 // answered by an embedded service
	Stopped  int64 // kept from the service by an injected fault
	// Repeats are requests that net/http sent again by itself, unseen by the
	// retry loop: it does so when a reused connection turns out to be dead
	// (docs/facts/sdk.md). A service on an endpoint bills them as well.
	Repeats int64
	// Lost are the attempts with the outcome ReplyLost that no injected fault
	// accounts for.
	Lost int64
}

// Outcomes counts attempts by [Outcome].
type Outcomes [numOutcomes]int64

// Total is the number of attempts classified.
func (o Outcomes) Total() (n int64) {
	for _, v := range o {
		n += v
	}
	return n
}

func (c *Counts) add(d Counts) {
	c.Flow.add(d.Flow)
	c.Add(d.Usage)
	for i, n := range d.Outcomes {
		c.Outcomes[i] += n
	}
}

func (f *Flow) add(g Flow) {
	f.Calls += g.Calls
	f.Retries += g.Retries
	f.Unsent += g.Unsent
	f.Attempts += g.Attempts
	f.Served += g.Served
	f.Stopped += g.Stopped
	f.Repeats += g.Repeats
	f.Lost += g.Lost
}
