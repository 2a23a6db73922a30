package migrate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
)

// PauseRequests is how many requests a finalization makes between its barrier and
// its marker beside those of the verification: it looks at the peers and at the
// backfill's progress once more, and at its barrier before the transaction that
// publishes.
const PauseRequests = 4

// FinalizeOptions are who finalizes, and which nodes there are.
type FinalizeOptions struct {
	// Nodes are all nodes that write metadata, by their ids: old binaries write no
	// record and cannot be counted (docs/spec/metadata-store.md §4, "peers").
	// NoNodes reports that there are none, since all of them have been stopped; one
	// of the two is needed.
	Nodes   []string
	NoNodes bool
	// Owner names who finalizes: a barrier of the same owner, left by a crash, is
	// taken over.
	Owner string
	// TakeOver is the id of another owner's barrier that is to be taken over.
	TakeOver string
	// MaxPause is how long writes are paused at most.
	MaxPause time.Duration
	// HeartbeatWait is how long to wait for a sign of life of each of Nodes,
	// HeartbeatPoll the time between two looks.
	HeartbeatWait, HeartbeatPoll time.Duration
	// Examples are those of VerifyOptions.
	Examples int
	DryRun   bool
}

// DefaultFinalizeOptions pause writes for at most a minute
// (docs/spec/metadata-store.md §5).
func DefaultFinalizeOptions() FinalizeOptions {
	return FinalizeOptions{MaxPause: time.Minute, HeartbeatWait: time.Minute, HeartbeatPoll: time.Second, Examples: DefaultVerifyOptions().Examples}
}

// Validate refuses options without an owner or nodes.
func (o FinalizeOptions) Validate() error {
	switch {
	case len(o.Nodes) == 0 && !o.NoNodes:
		return fmt.Errorf("%w: no nodes; name every node that writes metadata, or state that there is none", store.ErrInvalid)
	case len(o.Nodes) > 0 && o.NoNodes:
		return fmt.Errorf("%w: nodes %v, and that there are none; it is one or the other", store.ErrInvalid, o.Nodes)
	case o.Owner == "":
		return fmt.Errorf("%w: no owner of the write barrier", store.ErrInvalid)
	case o.MaxPause <= 0 || o.HeartbeatWait < 0 || o.HeartbeatPoll <= 0:
		return fmt.Errorf("%w: pause of at most %v, wait of %v for heartbeats, a look every %v; want times of more than 0", store.ErrInvalid, o.MaxPause, o.HeartbeatWait, o.HeartbeatPoll)
	}
	for _, node := range o.Nodes {
		if err := control.CheckNode(node); err != nil {
			return err
		}
	}
	return VerifyOptions{Examples: o.Examples}.Validate()
}

// A FinalizeReport is what a finalization did.
type FinalizeReport struct {
	// Marker is what makes v2 the authority.
	Marker *control.Marker
	// Already reports that it was there before.
	Already bool
	// Pause is how long writes were paused, Contended how often other transactions
	// refused the barrier meanwhile.
	Pause     time.Duration
	Contended int64
	// Verification is what was compared under the barrier; nil if it came to none.
	Verification *Verification
	Plan         *Plan // of a dry run
}

// Finalize makes v2 the authority (docs/spec/metadata-store.md §5): it looks at the
// fleet, pauses writes, looks again, verifies, and publishes the completion marker.
// Whatever keeps it from publishing, writes go on afterwards as before, and the
// error is a *RefusedError or names what failed. After a crash, run it again, or
// Abort.
func (m *Migrator) Finalize(ctx context.Context, o FinalizeOptions) (*FinalizeReport, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	f := &finalization{Migrator: m, options: o, report: &FinalizeReport{}}
	var err error
	if f.tables, err = m.open(ctx); err != nil {
		return nil, err
	}
	state, err := m.records.State(ctx)
	switch {
	case err != nil:
		return nil, err
	case state.Marker != nil:
		f.report.Marker, f.report.Already = state.Marker, true
		return f.report, nil
	}
	if err := f.admit(ctx, state.Barrier); err != nil {
		return nil, err
	}
	if o.DryRun {
		f.report.Plan = m.planFinalize(f.tables, len(o.Nodes))
		return f.report, nil
	}
	if err := f.alive(ctx); err != nil {
		return nil, err
	}
	return f.report, f.run(ctx, state.Barrier)
}

const finalizeVerb = "finalize"

// A finalization is one under way.
type finalization struct {
	*Migrator
	options FinalizeOptions
	tables  tables
	report  *FinalizeReport
}

// admit refuses, with all reasons, before anything is changed.
func (f *finalization) admit(ctx context.Context, barrier *control.Barrier) error {
	var reasons []Reason
	if b := barrier; b != nil && b.Owner != f.options.Owner && b.ID != f.options.TakeOver {
		reasons = append(reasons, foreignBarrier(b))
	}
	if t := f.options.TakeOver; t != "" && (barrier == nil || barrier.ID != t) {
		reasons = append(reasons, Reason{
			What: fmt.Sprintf("there is no barrier %s to take over", t), Do: "run status to see where it stands",
		})
	}
	_, peers, err := f.fleet(ctx)
	if err != nil {
		return err
	}
	done, err := f.backfilled(ctx)
	if err != nil {
		return err
	}
	problems, err := f.solved(ctx)
	if err != nil {
		return err
	}
	reasons = append(append(append(reasons, peers...), done...), problems...)
	if len(reasons) > 0 {
		return &RefusedError{Verb: finalizeVerb, Reasons: reasons}
	}
	return nil
}

func foreignBarrier(b *control.Barrier) Reason {
	return Reason{
		What: fmt.Sprintf("the write barrier %s is of %s, installed %s", b.ID, b.Owner, date(b.Installed)),
		Do:   fmt.Sprintf("wait for it, or take over %s (finalize --take-over); %s", b.ID, b.Lift()),
	}
}

// fleet returns the peers by node, and what is wrong with them.
func (f *finalization) fleet(ctx context.Context) (map[string]control.Peer, []Reason, error) {
	peers, err := f.records.Peers(ctx)
	if err != nil {
		return nil, nil, err
	}
	known := make(map[string]control.Peer, len(peers))
	for _, p := range peers {
		known[p.Node] = p
	}
	reasons := v1Only(peers)
	for _, node := range f.options.Nodes {
		if _, ok := known[node]; !ok {
			reasons = append(reasons, Reason{
				What: fmt.Sprintf("node %q has no record, so it may be an old binary, which writes v1 only", node),
				Do:   "start it in mode dual",
			})
		}
	}
	return known, reasons, nil
}

// backfilled returns what is wrong with the backfill.
func (f *finalization) backfilled(ctx context.Context) ([]Reason, error) {
	b, err := f.records.Backfill(ctx)
	switch {
	case err != nil:
		return nil, err
	case b == nil:
		return []Reason{{What: "no backfill has been run", Do: "run backfill"}}, nil
	case b.State == control.BackfillComplete:
		return nil, nil
	}
	var refused *RefusedError
	if b.State == control.BackfillVoided && errors.As(voided(finalizeVerb, b), &refused) {
		return refused.Reasons, nil
	}
	return []Reason{{
		What: fmt.Sprintf("the backfill is %s, at %d items", b.State, b.Scanned),
		Do:   "run backfill until it is complete",
	}}, nil
}

// solved is the check of open problems: how many there are, and the first.
func (f *finalization) solved(ctx context.Context) ([]Reason, error) {
	open, err := f.problems(ctx)
	if err != nil || open.Count == 0 {
		return nil, err
	}
	first := open.Examples[0]
	do := "change or remove the item in v1, then run backfill again"
	if first.Kind == control.Differing || first.Kind == control.Orphan {
		do = "run repair"
	}
	return []Reason{{What: fmt.Sprintf("%d problems are open, such as key %.80q: %s: %s", open.Count, first.Key, first.Kind, first.Detail), Do: do}}, nil
}

// alive waits until each node of the fleet has written its record anew since the
// finalization began: one that is dead, or cannot reach the table, would come back
// as a stale writer. Records are compared with what they were, not with a clock,
// since nodes have clocks of their own.
func (f *finalization) alive(ctx context.Context) error {
	if f.options.NoNodes {
		return nil
	}
	before, _, err := f.fleet(ctx)
	if err != nil {
		return err
	}
	began := task.Now(ctx)
	for {
		now, reasons, err := f.fleet(ctx)
		switch {
		case err != nil:
			return err
		case len(reasons) > 0:
			return &RefusedError{Verb: finalizeVerb, Reasons: reasons}
		}
		silent := f.silent(before, now)
		if len(silent) == 0 {
			return nil
		}
		if task.Since(ctx, began) >= f.options.HeartbeatWait {
			return &RefusedError{Verb: finalizeVerb, Reasons: silent}
		}
		f.Migrator.report(Progress{Step: "wait for heartbeats", Done: int64(len(f.options.Nodes) - len(silent)), Total: int64(len(f.options.Nodes))})
		if err := task.Sleep(ctx, f.options.HeartbeatPoll); err != nil {
			return err
		}
	}
}

// silent are the nodes of the fleet whose record is what it was.
func (f *finalization) silent(before, now map[string]control.Peer) []Reason {
	var reasons []Reason
	for _, node := range f.options.Nodes {
		if p := now[node]; p == before[node] {
			reasons = append(reasons, Reason{
				What: fmt.Sprintf("node %q has written no heartbeat since this finalization began (last heartbeat %s)", node, date(p.Heartbeat)),
				Do:   "check that it runs; if it is gone for good, leave it out of the nodes",
			})
		}
	}
	return reasons
}

// run pauses writes, verifies and publishes. It leaves the barrier only with the
// marker, unless it cannot be removed.
func (f *finalization) run(ctx context.Context, found *control.Barrier) error {
	mine := control.Barrier{ID: f.id(), Owner: f.options.Owner, Installed: task.Now(ctx)}
	contended := f.records.Stats().Contended
	err := f.install(ctx, found, mine)
	f.report.Contended = f.records.Stats().Contended - contended
	switch {
	case errors.Is(err, store.ErrUnknown):
		return f.lift(ctx, mine.ID, fmt.Errorf("%w; should status show barrier %s later, run abort", err, mine.ID))
	case err != nil:
		return f.refusal(err)
	}
	began := task.Now(ctx)
	err = f.underBarrier(ctx, mine.ID)
	f.report.Pause = task.Since(ctx, began)
	if err == nil {
		f.report.Marker, err = f.records.Marker(ctx)
		return err
	}
	return f.lift(ctx, mine.ID, err)
}

// install puts the barrier, in place of the one that was found.
func (f *finalization) install(ctx context.Context, found *control.Barrier, mine control.Barrier) error {
	if found == nil {
		return f.records.InstallBarrier(ctx, mine)
	}
	return f.records.TakeOver(ctx, found.ID, mine)
}

// underBarrier is the pause. Nothing of it is sent once MaxPause is over, and a
// publication that is late fails on the removed barrier.
func (f *finalization) underBarrier(ctx context.Context, id string) error {
	paused, cancel := task.WithTimeout(ctx, f.options.MaxPause)
	defer cancel()
	err := f.verified(paused)
	if err == nil {
		err = f.records.PublishMarker(paused, id)
	}
	if err != nil && paused.Err() != nil && ctx.Err() == nil {
		return refuse(finalizeVerb, "run it again with a longer pause, or when the tables are smaller",
			"the pause of %v was over before it was done (%v)", f.options.MaxPause, err)
	}
	return err
}

// verified looks at the fleet and the backfill again, now that nothing dual is
// written any more, and compares the layouts.
func (f *finalization) verified(ctx context.Context) error {
	_, reasons, err := f.fleet(ctx)
	if err != nil {
		return err
	}
	done, err := f.backfilled(ctx)
	if err != nil {
		return err
	}
	if reasons = append(reasons, done...); len(reasons) > 0 {
		return &RefusedError{Verb: finalizeVerb, Reasons: reasons}
	}
	v, err := f.compare(ctx, f.tables, f.options.Examples, nil)
	if err != nil {
		return err
	}
	f.report.Verification = v
	if !v.Equal() {
		return refuse(finalizeVerb, "run repair, then finalize again", "the layouts differ: %s", v.Summary())
	}
	return nil
}

// Bounds of the attempts to remove a barrier, also after ctx has ended: writes are
// paused as long as it is there.
const (
	liftTimeout = 30 * time.Second
	liftPause   = time.Second
)

// lift removes the barrier after err, so that writes go on. If the marker turns out
// to be there, all is well.
func (f *finalization) lift(ctx context.Context, id string, err error) error {
	ctx, cancel := task.WithTimeout(context.WithoutCancel(ctx), liftTimeout)
	defer cancel()
	removed := f.removeBarrier(ctx, id)
	switch {
	case removed == nil:
		return f.refusal(err)
	case !errors.Is(removed, control.ErrFinalized) && !errors.Is(removed, control.ErrForeignBarrier):
		return fmt.Errorf("%w; and the write barrier %s is still there, so dual nodes cannot write: run abort, or finalize again (%w)", err, id, removed)
	}
	// Only the answer of the publication got lost, or another process has taken over,
	// and may have published.
	marker, read := f.records.Marker(ctx)
	if read == nil && marker != nil {
		f.report.Marker, f.report.Already = marker, marker.BarrierID != id
		return nil
	}
	return f.refusal(errors.Join(err, removed, read))
}

// removeBarrier tries again until the service answers, or ctx ends.
func (f *finalization) removeBarrier(ctx context.Context, id string) error {
	for {
		err := f.records.RemoveBarrier(ctx, id)
		if err == nil || errors.Is(err, control.ErrFinalized) || errors.Is(err, control.ErrForeignBarrier) {
			return err
		}
		if task.Sleep(ctx, liftPause) != nil {
			return err
		}
	}
}

// refusal turns the state of the barrier's records into a refusal.
func (f *finalization) refusal(err error) error {
	var foreign *control.ForeignBarrierError
	switch {
	case errors.As(err, &foreign) && foreign.Found != nil:
		return &RefusedError{Verb: finalizeVerb, Reasons: []Reason{foreignBarrier(foreign.Found)}}
	case errors.As(err, &foreign):
		return refuse(finalizeVerb, "run it again", "its write barrier was removed by an abort")
	case errors.Is(err, control.ErrFinalized):
		return refuse(finalizeVerb, "nothing is left to do", "another finalization has published the marker")
	}
	return err
}
