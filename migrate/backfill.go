package migrate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/keyspace"
)

// MaxPageSize bounds the items of a page, which are in memory at once; DynamoDB
// ends a page after 1 MB anyway (Query, API reference).
const MaxPageSize = 10_000

// BackfillOptions are how to copy.
type BackfillOptions struct {
	PageSize int // items of v1 that a request evaluates, and the cursor moves by: 1 to MaxPageSize
	Batch    int // records that a transaction creates: 1 to MaxBatch
	Workers  int // transactions under way at once
	// Rate is how many items a second are copied at most; 0 is no bound.
	Rate   float64
	DryRun bool
}

// DefaultBackfillOptions copy pages of 1,000 items in full transactions, one after
// the other, as fast as they go.
func DefaultBackfillOptions() BackfillOptions {
	return BackfillOptions{PageSize: 1000, Batch: MaxBatch, Workers: 1}
}

// maxWorkers bounds the transactions at once: they all check one barrier item,
// which admits some 500 a second (docs/spec/metadata-store.md §4, "The barrier
// item is hot").
const maxWorkers = 256

// Validate refuses options out of range.
func (o BackfillOptions) Validate() error {
	switch {
	case o.PageSize < 1 || o.PageSize > MaxPageSize:
		return fmt.Errorf("%w: page size %d; it is 1 to %d items", store.ErrInvalid, o.PageSize, MaxPageSize)
	case o.Batch < 1 || o.Batch > MaxBatch:
		return fmt.Errorf("%w: batch of %d records; a transaction creates 1 to %d", store.ErrInvalid, o.Batch, MaxBatch)
	case o.Workers < 1 || o.Workers > maxWorkers:
		return fmt.Errorf("%w: %d workers; there are 1 to %d", store.ErrInvalid, o.Workers, maxWorkers)
	case !(o.Rate >= 0) || math.IsInf(o.Rate, 0):
		return fmt.Errorf("%w: rate of %v items a second; it is 0 (no bound) or more", store.ErrInvalid, o.Rate)
	}
	return nil
}

// A BackfillReport is what a backfill did.
type BackfillReport struct {
	// Progress is that of the run, over all calls and processes.
	Progress control.Backfill
	Problems Problems
	Plan     *Plan // of a dry run
}

// signatureLife is how long AWS accepts a request after it was signed ("in most cases
// five minutes": IAM User Guide, "Signature Version 4 for API requests").
const signatureLife = 5 * time.Minute

// Settled is from when on no write of a v1-only node that was stopped before the run
// can still land in v1 behind the run's back. Such a write carries no check of the
// barrier, so nothing else keeps it from coming after the verification. Times in
// records are cut to whole seconds: a second more makes up for it.
func (r *BackfillReport) Settled() time.Time {
	return r.Progress.Started.Add(signatureLife + time.Second)
}

// Problems are those that are open.
type Problems struct {
	Count int64
	// Examples are the first of them, ten at most.
	Examples []control.Problem
}

// Backfill copies v1 to v2, from where an interrupted run stopped. It is done when
// the report's state is complete; problems may be open then, which have to be solved
// before the migration can be finalized. A run that a v1-only node has voided is
// begun anew. The error is a *RefusedError while a v1-only node is registered, and
// once a finalization has begun.
func (m *Migrator) Backfill(ctx context.Context, o BackfillOptions) (*BackfillReport, error) {
	const verb = "backfill"
	if err := o.Validate(); err != nil {
		return nil, err
	}
	// All of it, the records of its progress included: that is what a backfill costs.
	ctx = cause.With(ctx, cause.Backfill)
	t, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	b, err := m.backfillable(ctx, verb)
	if err != nil {
		return nil, err
	}
	if o.DryRun {
		return m.planBackfill(b, o, t)
	}
	c := &converger{Migrator: m, size: newBatchSize(o.Batch), workers: o.Workers, pace: newPacer(ctx, o.Rate)}
	if err := c.solve(ctx); err != nil {
		return nil, m.explain(ctx, verb, err)
	}
	if b, err = m.begin(ctx, verb, b); err != nil {
		return nil, err
	}
	b, err = m.copy(ctx, c, b, o.PageSize, t.v1.items)
	if err != nil {
		return nil, m.explain(ctx, verb, err)
	}
	report := &BackfillReport{Progress: *b}
	if b.State == control.BackfillVoided {
		return report, voided(verb, b)
	}
	report.Problems, err = m.problems(ctx)
	return report, err
}

// backfillable returns the run so far, nil if there is none, or refuses.
func (m *Migrator) backfillable(ctx context.Context, verb string) (*control.Backfill, error) {
	if err := m.notFinalizing(ctx, verb); err != nil {
		return nil, err
	}
	peers, err := m.records.Peers(ctx)
	if err != nil {
		return nil, err
	}
	if reasons := v1Only(peers); len(reasons) > 0 {
		return nil, &RefusedError{Verb: verb, Reasons: reasons}
	}
	return m.records.Backfill(ctx)
}

// notFinalizing refuses once there is a barrier or a marker.
func (m *Migrator) notFinalizing(ctx context.Context, verb string) error {
	s, err := m.records.State(ctx)
	switch {
	case err != nil:
		return err
	case s.Marker != nil:
		return refuse(verb, "nothing is left to do", "the migration was finalized on %s", date(s.Marker.Published))
	case s.Barrier != nil:
		return refuse(verb, "wait for it; "+s.Barrier.Lift(), "a finalization by %s is under way since %s (barrier %s)",
			s.Barrier.Owner, date(s.Barrier.Installed), s.Barrier.ID)
	}
	return nil
}

// explain turns a barrier that was met on the way into a refusal.
func (m *Migrator) explain(ctx context.Context, verb string, err error) error {
	if !errors.Is(err, errBarrier) {
		return err
	}
	if refused := m.notFinalizing(ctx, verb); refused != nil {
		return refused
	}
	return refuse(verb, "run it again", "a finalization came and went meanwhile")
}

// v1Only are the reasons that registered v1-only nodes are.
func v1Only(peers []control.Peer) []Reason {
	var reasons []Reason
	for _, p := range peers {
		if p.Mode == control.ModeV1 {
			reasons = append(reasons, Reason{
				What: fmt.Sprintf("node %q writes v1 only (heartbeat %s)", p.Node, date(p.Heartbeat)),
				Do:   "restart it in mode dual, or, if it is gone for good, remove its record (peers remove)",
			})
		}
	}
	return reasons
}

func voided(verb string, b *control.Backfill) error {
	return refuse(verb, "run backfill again, with all nodes in mode dual",
		"node %q registered in mode v1 after the backfill had begun, so what it wrote may be missing", b.VoidedBy)
}

// begin returns the run to go on with: a new one where there is none, or a voided
// one. A v1-only node that registers now either sees the new run's record, and
// voids it, or is seen here.
func (m *Migrator) begin(ctx context.Context, verb string, b *control.Backfill) (*control.Backfill, error) {
	if b != nil && b.State != control.BackfillVoided {
		return b, nil
	}
	next := control.Backfill{Run: m.id(), Started: task.Now(ctx), State: control.BackfillRunning}
	b, err := m.save(ctx, b, next)
	if err != nil {
		return nil, err
	}
	peers, err := m.records.Peers(ctx)
	if err != nil {
		return nil, err
	}
	if reasons := v1Only(peers); len(reasons) > 0 {
		return nil, errors.Join(&RefusedError{Verb: verb, Reasons: reasons}, m.voidFor(ctx, peers))
	}
	return b, nil
}

func (m *Migrator) voidFor(ctx context.Context, peers []control.Peer) error {
	for _, p := range peers {
		if p.Mode == control.ModeV1 {
			return m.records.VoidBackfill(ctx, p.Node)
		}
	}
	return nil
}

// save writes next over was, or returns what another process has written there.
func (m *Migrator) save(ctx context.Context, was *control.Backfill, next control.Backfill) (*control.Backfill, error) {
	err := m.records.SaveBackfill(ctx, was, next)
	switch {
	case err == nil:
		return &next, nil
	case !errors.Is(err, control.ErrBackfillChanged):
		return nil, err
	}
	found, readErr := m.records.Backfill(ctx)
	switch {
	case readErr != nil:
		return nil, readErr
	case found == nil:
		return nil, err // it is not there yet; running again finds out
	}
	return found, nil
}

// copy brings page after page to its end until the run is over.
func (m *Migrator) copy(ctx context.Context, c *converger, b *control.Backfill, pageSize int, total int64) (*control.Backfill, error) {
	for b.State == control.BackfillRunning {
		m.report(Progress{Step: "backfill", Done: b.Scanned, Total: total})
		p, err := m.scanPage(ctx, b.Cursor, pageSize)
		if err != nil {
			return nil, err
		}
		t, err := c.page(ctx, p.items)
		if err != nil {
			return nil, err
		}
		next := *b
		next.Cursor = p.last
		next.Scanned += int64(len(p.items))
		next.Converged += t.converged
		next.Created += t.created
		if p.last == "" {
			next.State = control.BackfillComplete
		}
		if b, err = m.save(ctx, b, next); err != nil {
			return nil, err
		}
	}
	m.report(Progress{Step: "backfill", Done: b.Scanned, Total: b.Scanned})
	return b, nil
}

// solve looks again at every problem on record: where v1 has changed since,
// or repaired v2, the key converges now.
func (c *converger) solve(ctx context.Context) error {
	return c.records.Problems(ctx, func(p control.Problem) error {
		solved, err := c.solved(ctx, p)
		if err != nil || !solved {
			return err
		}
		return c.records.CloseProblem(ctx, p.Key)
	})
}

func (c *converger) solved(ctx context.Context, p control.Problem) (bool, error) {
	if len(p.Key) > keyspace.MaxKeyBytes {
		_, err := c.v1Record(p.Key).Get(ctx, c.cfg.Client, store.Strong)
		if errors.Is(err, store.ErrNotFound) {
			return true, nil
		}
		if errors.Is(err, store.ErrMalformed) {
			err = nil
		}
		return false, err
	}
	before := c.tally.problems
	err := c.settle(ctx, p.Key)
	return err == nil && c.tally.problems == before, err
}

// problems reads those on record.
func (m *Migrator) problems(ctx context.Context) (found Problems, err error) {
	const examples = 10
	err = m.records.Problems(ctx, func(p control.Problem) error {
		if found.Count++; found.Count <= examples {
			found.Examples = append(found.Examples, p)
		}
		return nil
	})
	return found, err
}
