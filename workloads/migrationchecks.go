package workloads

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/lakebench/lakebench/internal/digest"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/v2"
)

// The invariants of a migration (docs/spec/metadata-store.md §5 and §6).
const (
	checkEqual      = "v1 and v2 are equal in both directions after the finalization"
	checkReturned   = "no deleted record came back"
	checkMarker     = "the marker was published once and nothing undid it"
	checkLate       = "no write of a dual node or the backfill landed after the barrier"
	checkNoScan     = "no refresh that began after the marker touched v1"
	checkReads      = "no read failed across the switch"
	checkShortPause = "writes pause for the verification and a constant"
)

// checkInvariants looks at the tables, at what was recorded and at what was seen
// on the wire, after everything.
func (mv *move) checkInvariants(ctx context.Context) error {
	end, err := mv.end(ctx)
	if err != nil {
		return err
	}
	mv.checkReturned(ctx, end)
	if err := mv.checkMarker(ctx); err != nil {
		return err
	}
	seen := mv.tracker.sightings()
	mv.r.Metrics["pause-requests"] = float64(seen.pauseRequests)
	mv.book(checkLate, seen.late == 0, "by the trace: of requests sent after the barrier stood, those that check it were refused",
		fmt.Sprintf("%d requests that check the barrier went through after it stood", seen.late))
	scans := mv.scansAfter()
	mv.book(checkNoScan, scans == 0, "by the ledger: operations that began after the marker made no Scan",
		fmt.Sprintf("operations that began after the marker made %d scans", scans))
	failed := atomic.LoadInt64(&mv.failedReads)
	mv.book(checkReads, failed == 0, "every refresh and every point read had an answer", fmt.Sprintf("%d reads failed", failed))
	constant := seen.pauseRequests - seen.pauseScans
	mv.book(checkShortPause, constant == migrate.PauseRequests || mv.Faults != nil,
		fmt.Sprintf("the scans of both tables, and %d requests", migrate.PauseRequests),
		fmt.Sprintf("beside %d scans the pause had %d requests, expected %d", seen.pauseScans, constant, migrate.PauseRequests))
	return nil
}

// book adds a check of this migration to those of the run.
func (mv *move) book(name string, ok bool, passed, failed string) {
	c := results.Check{Name: name, Status: results.Passed, Detail: passed}
	if !ok {
		c.Status, c.Detail = results.Failed, fmt.Sprintf("%s at %s, repeat %d: %s", mv.r.Variant, run.PointText(mv.Point), mv.r.Repeat, failed)
	}
	mv.found.Add(c)
}

// end compares both tables and returns what v2 holds.
func (mv *move) end(ctx context.Context) (map[string][]byte, error) {
	end := map[string][]byte{}
	var a, b digest.Set
	for err := range scan(ctx, mv.SetupClient(), v2.TableName(mv.lake.v1), func(key string, value []byte) {
		end[key] = value
		b.Add(key, value)
	}) {
		return nil, err
	}
	a, err := contentsOf(ctx, mv.SetupClient(), mv.lake.v1)
	if err != nil {
		return nil, err
	}
	mv.book(checkEqual, a == b, "count and sum of the digests of all keys and values", fmt.Sprintf("v1 ends with %v, v2 with %v", a, b))
	return end, nil
}

// actorAuditor reads every key at the end, for the checker.
const actorAuditor = "auditor"

// checkReturned adds what v2 holds at the end to what was recorded, as a read of
// every key that there ever was: then the checker finds what was lost, what came
// back and what no node wrote. Of those, what came back has a check of its own.
func (mv *move) checkReturned(ctx context.Context, end map[string][]byte) {
	keys := map[string]bool{}
	for key := range mv.initial {
		keys[key] = true
	}
	for key := range end {
		keys[key] = true
	}
	var returned []string
	if mv.r.History != nil {
		for key, deleted := range deletedLast(mv.r.History.History()) {
			keys[key] = true
			if _, exists := end[key]; deleted && exists {
				returned = append(returned, key)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			answer := checker.Answer{Outcome: checker.NotFound}
			if value, exists := end[key]; exists {
				answer = checker.Answer{Outcome: checker.OK, Found: checker.Bytes(value)}
			}
			mv.r.History.Begin(ctx, actorAuditor, checker.Call{Kind: checker.Get, Key: key}).End(ctx, answer)
		}
	}
	slices.Sort(returned)
	mv.book(checkReturned, len(returned) == 0, "whatever was deleted last is in neither layout",
		fmt.Sprintf("%d of them did, such as %.80q", len(returned), append(returned, "")[0]))
}

// deletedLast says of every key that was changed whether its last change is known
// to have been a deletion.
func deletedLast(h checker.History) map[string]bool {
	deleted, until := map[string]bool{}, map[string]int64{}
	unsure := map[string]bool{}
	for _, o := range h.Operations {
		key := o.Call.Key
		switch {
		case o.Call.Kind == checker.Get:
			continue
		case o.Answer.Outcome == checker.Unknown:
			unsure[key] = true
		case o.Answer.Outcome != checker.OK:
			continue // it changed nothing
		case o.Invoked.Seq < until[key]:
			unsure[key] = true // two at a time
		}
		_, leaves := o.Call.Next.Get()
		deleted[key] = !leaves && !unsure[key]
		until[key] = max(until[key], o.Returned.Seq)
	}
	return deleted
}

// checkMarker reads the marker once more, and asks what was seen of it.
func (mv *move) checkMarker(ctx context.Context) error {
	records, err := control.New(control.Config{
		Client: mv.SetupClient(), Table: v2.TableName(mv.lake.v1), Random: mv.Random(mv.lake.owner + " audit"), Backoff: item.DefaultBackoff(),
	})
	if err != nil {
		return err
	}
	state, err := records.State(ctx)
	if err != nil {
		return err
	}
	seen := mv.tracker.sightings()
	ok := seen.markers == 1 && seen.undone == 0 && state.Marker != nil && state.Barrier != nil && state.Marker.BarrierID == state.Barrier.ID
	mv.book(checkMarker, ok, "by the trace and by the records at the end: marker and barrier are there, of one finalization",
		fmt.Sprintf("it was published %d times, marker or barrier were changed %d times after that, and the records are %+v", seen.markers, seen.undone, state))
	return nil
}

// scansAfter counts the scans of operations that began after the marker.
func (mv *move) scansAfter() (n int64) {
	for _, row := range mv.r.Meter.Ledger(meter.PhaseAfter).Rows {
		if row.API == "Scan" {
			n += row.Attempts
		}
	}
	return n
}
