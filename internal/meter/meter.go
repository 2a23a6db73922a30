// Package meter keeps the three ledgers of a run: what was asked for (logical
// operations), what reached the wire (attempts) and what is billed (units).
//
// A count is believed only if a second, independent count agrees with it. The same
// request is counted where the SDK begins a call, where its retry loop makes an
// attempt, in the HTTP client below the retry loop, and by the embedded service
// that answers. [Meter.Reconcile] compares these counts (docs/spec/results.md §1).
// A client is metered if it has both [Meter.APIOptions] and [Meter.HTTPClient].
//
// Every count belongs to the phase ([InPhase]) and the cause (package cause) of the
// context with which the call was made, even if the call ends later.
package meter

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/counts"
)

// Config holds the settings of a meter.
type Config struct {
	// ReportCapacity is for services on an endpoint, which alone know what a
	// request cost: DynamoDB is asked to report the capacity of each request,
	// and units, items and bytes are taken from its answers. Otherwise they are
	// what the embedded service tells [Meter.Served].
	ReportCapacity bool
	// SignificantDigits of the latency histograms, 2 or 3. A histogram of 3
	// digits takes up to 270 KB of memory, one of 2 digits 40 KB.
	SignificantDigits int
	// Classify returns how a logical operation ended, given its error. Nil is
	// [ClassifyOperation].
	Classify func(error) OperationOutcome
	// Trace, if not nil, is called after each attempt, one call at a time. It
	// must not use the metered client.
	Trace func(TraceRecord)
	// KeyAttributes name the attributes of an item to put that a trace shows:
	// the request does not say which of them are the key.
	KeyAttributes []string
}

// DefaultConfig returns the settings for embedded services.
func DefaultConfig() Config {
	return Config{
		SignificantDigits: 3,
		KeyAttributes:     []string{"bucket", "pk"}, // docs/spec/metadata-store.md §2 and §3
	}
}

// Validate names the first setting that is out of range.
func (c Config) Validate() error {
	if c.SignificantDigits < 2 || c.SignificantDigits > 3 {
		return fmt.Errorf("meter: SignificantDigits is %d, expected 2 or 3", c.SignificantDigits)
	}
	return nil
}

// Meter counts what the clients, services and operations that know it do. It
// may be used by any number of tasks.
type Meter struct {
	cfg Config

	mu         sync.RWMutex // guards the maps, not what they hold; never held over a yield
	cells      map[cellKey]*cell
	operations map[operationKey]*operation

	calls atomic.Int64 // numbers calls in a trace

	traceMu sync.Mutex // orders Trace; never held over a yield
	traced  int64
	began   time.Time // of the first attempt traced
}

// New returns a meter that has counted nothing.
func New(cfg Config) (*Meter, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Classify == nil {
		cfg.Classify = ClassifyOperation
	}
	return &Meter{
		cfg:        cfg,
		cells:      map[cellKey]*cell{},
		operations: map[operationKey]*operation{},
	}, nil
}

// The phases of a run (docs/spec/results.md §2). PhaseSetup is where everything
// belongs that no phase claims; it is in no result.
const (
	PhaseSetup  = "setup"
	PhaseWarmUp = "warm-up"
	PhaseSteady = "steady"
	PhasePause  = "pause" // of a migration, from barrier to marker
	PhaseAfter  = "after"
)

type phaseKey struct{}

// InPhase books what is done under ctx in a phase. The innermost phase holds.
func InPhase(ctx context.Context, phase string) context.Context {
	return context.WithValue(ctx, phaseKey{}, phase)
}

func phaseOf(ctx context.Context) string {
	if phase, ok := ctx.Value(phaseKey{}).(string); ok {
		return phase
	}
	return PhaseSetup
}

// Phases returns the phases in which something was counted, sorted.
func (m *Meter) Phases() []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	phases := map[string]bool{}
	for k := range m.cells {
		phases[k.phase] = true
	}
	for k := range m.operations {
		phases[k.phase] = true
	}
	return slices.Sorted(maps.Keys(phases))
}

// cellKey is where a request is booked.
type cellKey struct {
	phase string
	Key
}

// cell holds the counts of one kind of request in one phase.
type cell struct {
	mu sync.Mutex // never held over a yield
	Counts
}

func (m *Meter) cell(ctx context.Context, service, api string) *cell {
	k := cellKey{phaseOf(ctx), Key{Service: service, API: api, Cause: cause.From(ctx)}}
	return lookUp(m, m.cells, k, func() *cell { return &cell{} })
}

// lookUp returns the value of a key of one of m's maps, made when it is new.
func lookUp[K comparable, V any](m *Meter, in map[K]*V, k K, fresh func() *V) *V {
	m.mu.RLock()
	v := in[k]
	m.mu.RUnlock()
	if v != nil {
		return v
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if v = in[k]; v == nil {
		v = fresh()
		in[k] = v
	}
	return v
}

// Served is one request as the service that answered it bills it.
type Served struct {
	Service string // "dynamodb" or "s3"
	API     string // the SDK's operation name
	counts.Usage
}

// Served is called by an embedded service for each request, with the request's
// context. It is the last of the counting points, and of what an embedded
// service does the only one that counts units.
func (m *Meter) Served(ctx context.Context, s Served) {
	a := attemptFrom(ctx)
	c := m.cellOf(ctx, a, s)
	c.mu.Lock()
	c.Served++
	if !m.cfg.ReportCapacity {
		c.Add(s.Usage)
	}
	c.mu.Unlock()
	if m.cfg.Trace != nil && a != nil {
		u := s.Usage // a copy: only a traced request pays for the allocation
		a.served.Store(&u)
	}
}

// Stopped is called for each request of a client that an injected fault kept from
// the service, with the request's context; with -1 when it arrives there late,
// after its caller was told that it got no answer.
func (m *Meter) Stopped(ctx context.Context, service, api string, n int64) {
	c := m.cellOf(ctx, attemptFrom(ctx), Served{Service: service, API: api})
	c.mu.Lock()
	c.Stopped += n
	c.mu.Unlock()
}

// cellOf returns where a request is booked by what the service says it was. For
// a request as it was sent that is where its call is booked, which saves looking
// for the labels through all that the SDK adds to a context.
func (m *Meter) cellOf(ctx context.Context, a *attempt, s Served) *cell {
	if a != nil && a.call.m == m && a.call.api == s.API && a.call.service.name() == s.Service {
		return a.call.cell
	}
	return m.cell(ctx, s.Service, s.API)
}
