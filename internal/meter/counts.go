package meter

import "github.com/lakebench/lakebench/internal/cause"

// Key is what requests are counted by within a phase.
type Key struct {
	Service string // "dynamodb" or "s3"
	API     string // the SDK's operation name
	Cause   cause.Label
}

// Counts are the counts of one kind of request.
type Counts struct {
	Flow
	Usage
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

// Usage is what requests cost.
type Usage struct {
	RRU, WRU float64 // DynamoDB's read and write request units
	// S3's request classes: A are PUT, COPY, POST and LIST, B are GET, HEAD and
	// others; DELETE is in neither.
	S3ClassA, S3ClassB int64
	// Unreported counts requests whose cost, if any, the service did not report:
	// an error carries no cost, and a lost reply carries nothing.
	Unreported int64
	// Evaluated and Returned are items: looked at by reads, and sent back.
	Evaluated, Returned int64
	// Bytes of decoded bodies: DynamoDB's items by its sizing rules, S3's
	// objects. Never headers or framing.
	BytesSent, BytesReceived int64
}

func (c *Counts) add(d Counts) {
	c.Flow.add(d.Flow)
	c.Usage.add(d.Usage)
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

func (u *Usage) add(v Usage) {
	u.RRU += v.RRU
	u.WRU += v.WRU
	u.S3ClassA += v.S3ClassA
	u.S3ClassB += v.S3ClassB
	u.Unreported += v.Unreported
	u.Evaluated += v.Evaluated
	u.Returned += v.Returned
	u.BytesSent += v.BytesSent
	u.BytesReceived += v.BytesReceived
}
