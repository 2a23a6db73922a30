package workloads

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/keyspace"
	"github.com/lakebench/lakebench/store/v2"
)

// A tracker knows how far a migration is, by the requests that its migrator makes
// to the control records, and watches the requests of everybody for what must not
// happen.
type tracker struct {
	table2 string
	// barrier and marker get a value when the write barrier stands and when the
	// marker is published.
	barrier, marker *task.Queue[struct{}]

	mu      sync.Mutex // never held over a yield
	phase   string
	entered map[string]bool // phases that have begun
	done    bool            // the migrator has ended
	seen    sightings
}

// sightings are what was seen on the wire. Times are a trace's.
type sightings struct {
	pauseRequests int64 // of the migrator
	pauseScans    int64 // of those, of the verification
	markers       int   // publications of the marker
	undone        int   // other changes of the marker, and of the barrier after it
	barrierAt     time.Duration
	barrier       bool // it stood from barrierAt on
	late          int  // writes that went through although they were sent after that
}

func newTracker(l *lake) *tracker {
	return &tracker{
		table2:  v2.TableName(l.v1),
		barrier: task.NewQueue[struct{}](1), marker: task.NewQueue[struct{}](1),
		phase: meter.PhaseSteady, entered: map[string]bool{},
	}
}

// now returns the phase that begins what begins now.
func (t *tracker) now() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.phase
}

// over reports whether the migrator has ended, however that was.
func (t *tracker) over() {
	t.mu.Lock()
	t.done = true
	t.mu.Unlock()
	t.barrier.Close()
	t.marker.Close()
}

func (t *tracker) isOver() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.done
}

// ended is the error of a wait that ends because the migrator has.
func ended(err error) error {
	if errors.Is(err, task.ErrClosed) {
		return nil
	}
	return err
}

// client returns the migrator's client: each of its requests is booked in the
// phase in which it is sent, and those for barrier and marker change the phase.
func (t *tracker) client(c *dynamodb.Client) *dynamodb.Client {
	return dynamodb.New(c.Options(), func(o *dynamodb.Options) {
		o.APIOptions = append(o.APIOptions, func(s *middleware.Stack) error { return s.Initialize.Add(trackPhase{t}, middleware.Before) })
	})
}

// trackPhase is the first of all that the SDK does with a call, so that the meter
// sees the phase.
type trackPhase struct{ t *tracker }

func (trackPhase) ID() string { return "lakebench:MigrationPhase" }

func (m trackPhase) HandleInitialize(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	middleware.InitializeOutput, middleware.Metadata, error,
) {
	out, metadata, err := next.HandleInitialize(meter.InPhase(ctx, m.t.now()), in)
	if err == nil {
		err = m.t.move(ctx, in.Parameters)
	}
	return out, metadata, err
}

// move notes a change of barrier or marker that the service has confirmed.
func (t *tracker) move(ctx context.Context, input any) error {
	in, ok := input.(*dynamodb.TransactWriteItemsInput)
	if !ok {
		return nil
	}
	for _, a := range in.TransactItems {
		switch {
		case a.Put != nil && t.isControl(a.Put.Item, "barrier"):
			return t.enter(ctx, meter.PhasePause, t.barrier)
		case a.Delete != nil && t.isControl(a.Delete.Key, "barrier"):
			return t.enter(ctx, meter.PhaseSteady, nil)
		case a.Put != nil && t.isControl(a.Put.Item, "marker"):
			return t.enter(ctx, meter.PhaseAfter, t.marker)
		}
	}
	return nil
}

// enter begins a phase and tells who waits for it, the first time that it begins.
func (t *tracker) enter(ctx context.Context, phase string, tell *task.Queue[struct{}]) error {
	t.mu.Lock()
	first := tell != nil && !t.entered[phase]
	t.phase, t.entered[phase] = phase, true
	t.mu.Unlock()
	if !first {
		return nil
	}
	return tell.Put(ctx, struct{}{})
}

func (t *tracker) isControl(item map[string]types.AttributeValue, name string) bool {
	bucket, _ := item[keyspace.AttrBucket].(*types.AttributeValueMemberS)
	key, _ := item[keyspace.AttrKey].(*types.AttributeValueMemberS)
	return bucket != nil && bucket.Value == control.Bucket && key != nil && key.Value == name
}

// watch hears of every request when it has ended.
func (t *tracker) watch(r meter.TraceRecord) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &t.seen
	if r.Actor == actorMigrator && r.Phase == meter.PhasePause {
		s.pauseRequests++
		if r.API == "Scan" {
			s.pauseScans++
		}
	}
	if r.Outcome != meter.OK.String() || !changes(r.API) {
		return
	}
	barrier, marker := t.action(r, barrierKey), t.action(r, markerKey)
	switch {
	case marker == "put":
		s.markers++
	case marker == "delete", barrier == "delete" && s.markers > 0:
		s.undone++
	case barrier == "put" && s.markers > 0:
		s.undone++
	case barrier == "put":
		s.barrier, s.barrierAt = true, r.At+r.Took
	case barrier == "delete":
		s.barrier = false
	case barrier == "check" && marker == "" && s.barrier && r.At > s.barrierAt:
		s.late++ // the check was that it is absent
	}
}

// changes reports whether a request changes items.
func changes(api string) bool {
	switch api {
	case "PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems":
		return true
	}
	return false
}

// action returns what a request does to a control record, "" if nothing.
func (t *tracker) action(r meter.TraceRecord, key string) string {
	for _, target := range r.Targets {
		if target.Table != t.table2 || target.Key != key {
			continue
		}
		switch r.API {
		case "PutItem":
			return "put"
		case "DeleteItem":
			return "delete"
		}
		return target.Action
	}
	return ""
}

// sightings returns what was seen so far.
func (t *tracker) sightings() sightings {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.seen
}
