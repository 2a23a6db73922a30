package control_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/item"
)

// A world is a v2 table and two ways to its records: ours, whose requests can be
// made to fail, and another process's.
type world struct {
	*testing.T
	ctx          context.Context
	ours, theirs *control.Records
	faults       *storetest.Faults
	direct       *dynamodb.Client
}

func newWorld(t *testing.T) *world {
	t.Helper()
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, ctx: context.Background(), faults: storetest.NewFaults(engine.Client(nil)), direct: storetest.Client(engine.Client(nil))}
	w.ours, w.theirs = openRecords(t, storetest.Client(w.faults), 1), openRecords(t, w.direct, 2)
	return w
}

// made makes the table.
func (w *world) made() *world {
	w.Helper()
	w.must(item.CreateTable(w.ctx, w.direct, item.Schema{Name: lake, Hash: "bucket", Range: "pk"}))
	return w
}

func openRecords(t *testing.T, client control.Client, seed uint64) *control.Records {
	t.Helper()
	backoff := item.DefaultBackoff()
	backoff.Base, backoff.Max = time.Microsecond, time.Millisecond
	r, err := control.New(control.Config{Client: client, Table: lake, Random: rand.NewPCG(seed, 0), Backoff: backoff})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) is(what string, err, want error) {
	w.Helper()
	if !errors.Is(err, want) {
		w.Errorf("%s: error %v, want %v", what, err, want)
	}
}

// foreign checks that err names the barrier found, "" for none.
func (w *world) foreign(what string, err error, found string) {
	w.Helper()
	var foreign *control.ForeignBarrierError
	if !errors.Is(err, control.ErrForeignBarrier) || !errors.As(err, &foreign) {
		w.Errorf("%s: error %v, want a ForeignBarrierError", what, err)
		return
	}
	id := ""
	if foreign.Found != nil {
		id = foreign.Found.ID
	}
	if id != found || !strings.Contains(err.Error(), lake) || !strings.Contains(err.Error(), id) {
		w.Errorf("%s: error %q found barrier %q, want %q, in the message too", what, err, id, found)
	}
}

// state checks which barrier and whose marker there is, "" for none.
func (w *world) state(barrier, marker string) {
	w.Helper()
	s, err := w.theirs.State(w.ctx)
	w.must(err)
	gotBarrier, gotMarker := "", ""
	if s.Barrier != nil {
		gotBarrier = s.Barrier.ID
	}
	if s.Marker != nil {
		gotMarker = s.Marker.BarrierID
	}
	if gotBarrier != barrier || gotMarker != marker {
		w.Errorf("barrier %q and marker of %q, want %q and %q", gotBarrier, gotMarker, barrier, marker)
	}
}

const transact = "TransactWriteItems"

// meanwhile lets another process act after ours has looked and before what ours
// sends arrives.
func (w *world) meanwhile(do func()) {
	w.faults.Next(transact, storetest.Before(do, storetest.Through))
}

// every is a fault for every attempt of a call.
func every(f storetest.Fault) []storetest.Fault {
	faults := make([]storetest.Fault, storetest.Attempts)
	for i := range faults {
		faults[i] = f
	}
	return faults
}

func b(id string) control.Barrier { return control.Barrier{ID: id, Owner: "owner of " + id} }

// TestFinalization goes through the life of barriers and marker
// (docs/spec/metadata-store.md §4).
func TestFinalization(t *testing.T) {
	w := newWorld(t).made()
	r := w.ours
	w.state("", "")
	w.foreign("publish without a barrier", r.PublishMarker(w.ctx, "b1"), "")
	w.must(r.RemoveBarrier(w.ctx, "b1")) // nothing to remove
	w.is("a barrier without id", r.InstallBarrier(w.ctx, control.Barrier{}), store.ErrInvalid)

	w.must(r.InstallBarrier(w.ctx, b("b1")))
	w.state("b1", "")
	w.foreign("install a second", w.theirs.InstallBarrier(w.ctx, b("b2")), "b1")
	w.foreign("publish under another", w.theirs.PublishMarker(w.ctx, "b2"), "b1")
	w.foreign("remove another", w.theirs.RemoveBarrier(w.ctx, "b2"), "b1")
	w.state("b1", "")
	w.must(r.RemoveBarrier(w.ctx, "b1"))
	w.state("", "")
	w.foreign("take over nothing", w.theirs.TakeOver(w.ctx, "b1", b("b2")), "")

	w.must(r.InstallBarrier(w.ctx, b("b3")))
	w.foreign("take over another", w.theirs.TakeOver(w.ctx, "b1", b("b4")), "b3")
	w.is("take over under the same id", w.theirs.TakeOver(w.ctx, "b3", b("b3")), store.ErrInvalid)
	w.must(w.theirs.TakeOver(w.ctx, "b3", b("b4")))
	w.foreign("publish after the take-over", r.PublishMarker(w.ctx, "b3"), "b4")
	w.foreign("remove after the take-over", r.RemoveBarrier(w.ctx, "b3"), "b4")
	w.state("b4", "")

	w.must(w.theirs.PublishMarker(w.ctx, "b4"))
	w.must(w.theirs.PublishMarker(w.ctx, "b4")) // again
	for what, err := range map[string]error{
		"install": r.InstallBarrier(w.ctx, b("b5")), "remove": w.theirs.RemoveBarrier(w.ctx, "b4"), "take over": r.TakeOver(w.ctx, "b4", b("b5")),
	} {
		w.is(what+" after the marker", err, control.ErrFinalized)
	}
	w.foreign("publish under a former one", r.PublishMarker(w.ctx, "b3"), "b4")
	w.state("b4", "b4")
}

// TestRaces: another finalization or an abort comes between what ours has read and
// what it writes (hazard 10).
func TestRaces(t *testing.T) {
	replaced := func(w *world) {
		w.must(w.theirs.RemoveBarrier(w.ctx, "b1"))
		w.must(w.theirs.InstallBarrier(w.ctx, b("b2")))
	}
	takenOver := func(w *world) { w.must(w.theirs.TakeOver(w.ctx, "b1", b("b2"))) }
	aborted := func(w *world) { w.must(w.theirs.RemoveBarrier(w.ctx, "b1")) }
	published := func(w *world) { w.must(w.theirs.PublishMarker(w.ctx, "b1")) }
	publish := func(w *world) error { return w.ours.PublishMarker(w.ctx, "b1") }
	remove := func(w *world) error { return w.ours.RemoveBarrier(w.ctx, "b1") }
	takeOver := func(w *world) error { return w.ours.TakeOver(w.ctx, "b1", b("b3")) }
	for _, c := range []struct {
		what            string
		first           bool // b1 is there
		meanwhile       func(w *world)
		do              func(w *world) error
		want            error  // ErrForeignBarrier: found is which
		found           string //
		barrier, marker string
	}{
		{"publish, replaced", true, replaced, publish, control.ErrForeignBarrier, "b2", "b2", ""},
		{"publish, taken over", true, takenOver, publish, control.ErrForeignBarrier, "b2", "b2", ""},
		{"publish, aborted", true, aborted, publish, control.ErrForeignBarrier, "", "", ""},
		{"publish, published", true, published, publish, nil, "", "b1", "b1"},
		{"remove, replaced", true, replaced, remove, control.ErrForeignBarrier, "b2", "b2", ""},
		{"remove, aborted", true, aborted, remove, nil, "", "", ""},
		{"remove, published", true, published, remove, control.ErrFinalized, "", "b1", "b1"},
		{"take over, replaced", true, replaced, takeOver, control.ErrForeignBarrier, "b2", "b2", ""},
		{"take over, aborted", true, aborted, takeOver, control.ErrForeignBarrier, "", "", ""},
		{"take over, published", true, published, takeOver, control.ErrFinalized, "", "b1", "b1"},
		{"install, installed", false, func(w *world) { w.must(w.theirs.InstallBarrier(w.ctx, b("b2"))) },
			func(w *world) error { return w.ours.InstallBarrier(w.ctx, b("b1")) }, control.ErrForeignBarrier, "b2", "b2", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			w := newWorld(t).made()
			if c.first {
				w.must(w.ours.InstallBarrier(w.ctx, b("b1")))
			}
			w.meanwhile(func() { c.meanwhile(w) })
			switch err := c.do(w); {
			case c.want == nil:
				w.must(err)
			case errors.Is(c.want, control.ErrForeignBarrier):
				w.foreign(c.what, err, c.found)
			default:
				w.is(c.what, err, c.want)
			}
			w.state(c.barrier, c.marker)
		})
	}
}

// TestLostAnswers: a write whose answer is lost is repeated under its token, and
// where that settles nothing read back; only what has not landed is unknown.
func TestLostAnswers(t *testing.T) {
	first := func(w *world) { w.must(w.theirs.InstallBarrier(w.ctx, b("b1"))) }
	for what, c := range map[string]struct {
		prepare         func(w *world)
		do              func(w *world) error
		barrier, marker string // afterwards
		nothing         string // the barrier if the write has not landed
	}{
		"install":   {func(*world) {}, func(w *world) error { return w.ours.InstallBarrier(w.ctx, b("b1")) }, "b1", "", ""},
		"take over": {first, func(w *world) error { return w.ours.TakeOver(w.ctx, "b1", b("b2")) }, "b2", "", "b1"},
		"remove":    {first, func(w *world) error { return w.ours.RemoveBarrier(w.ctx, "b1") }, "", "", "b1"},
		"publish":   {first, func(w *world) error { return w.ours.PublishMarker(w.ctx, "b1") }, "b1", "b1", "b1"},
	} {
		for fault, next := range map[string][]storetest.Fault{
			"one lost reply":     {storetest.LostReply},
			"every reply lost":   every(storetest.LostReply),
			"one lost request":   {storetest.NeverArrives},
			"conflict, then one": {storetest.Cancelled("TransactionConflict", "None"), storetest.LostReply},
		} {
			t.Run(what+", "+fault, func(t *testing.T) {
				w := newWorld(t).made()
				c.prepare(w)
				w.faults.Next(transact, next...)
				w.must(c.do(w))
				w.state(c.barrier, c.marker)
			})
		}
		t.Run(what+", every request lost", func(t *testing.T) {
			w := newWorld(t).made()
			c.prepare(w)
			w.faults.Next(transact, every(storetest.NeverArrives)...)
			w.is(what, c.do(w), store.ErrUnknown)
			w.state(c.nothing, "")
			w.must(c.do(w))
			w.state(c.barrier, c.marker)
		})
	}
}

// TestRetire: v1 is given up only once v2 is the authority, and only once.
func TestRetire(t *testing.T) {
	w := newWorld(t).made()
	w.is("before the marker", w.ours.Retire(w.ctx, control.Retired{Owner: "a"}), control.ErrNotFinalized)
	w.must(w.ours.InstallBarrier(w.ctx, b("b1")))
	w.must(w.ours.PublishMarker(w.ctx, "b1"))
	w.must(w.ours.Retire(w.ctx, control.Retired{Owner: "a"}))
	w.must(w.ours.Retire(w.ctx, control.Retired{Owner: "b"}))
	s, err := w.ours.State(w.ctx)
	w.must(err)
	if s.Retired == nil || s.Retired.Owner != "a" {
		t.Errorf("retired %+v, want the first record", s.Retired)
	}
}

// TestNoTable: a missing table has no records; writing one reports that it is missing.
func TestNoTable(t *testing.T) {
	w := newWorld(t)
	s, err := w.ours.State(w.ctx)
	if diff := cmp.Diff(control.State{}, s); err != nil || diff != "" {
		t.Errorf("state %v (-want +got):\n%s", err, diff)
	}
	w.is("install", w.ours.InstallBarrier(w.ctx, b("b1")), store.ErrNoTable)
	w.is("register", w.ours.PutPeer(w.ctx, control.Peer{Node: "a", Mode: control.ModeDual}), store.ErrNoTable)
	_, err = w.ours.Peers(w.ctx)
	w.is("peers", err, store.ErrNoTable)
	s, err = w.made().ours.State(w.ctx)
	if diff := cmp.Diff(control.State{TableExists: true}, s); err != nil || diff != "" {
		t.Errorf("state of an empty table: %v (-want +got):\n%s", err, diff)
	}
}

// TestFormats pins the stored bytes: tables outlive programs. What is not of that
// form is refused and named.
func TestFormats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the marker has the time of its publication
		w := newWorld(t).made()
		at := time.Date(2026, 11, 29, 12, 0, 0, 500, time.FixedZone("CET", 3600))
		w.must(w.ours.InstallBarrier(w.ctx, control.Barrier{ID: "b1", Owner: "host/1", Installed: at}))
		w.must(w.ours.PublishMarker(w.ctx, "b1"))
		w.must(w.ours.Retire(w.ctx, control.Retired{Owner: "host/1", Since: at}))
		w.must(w.ours.PutPeer(w.ctx, control.Peer{Node: "n/1", Incarnation: "i1", Mode: control.ModeV2Authoritative, MarkerObserved: true, Heartbeat: at}))
		want := map[string]string{
			"barrier":  `{"id":"b1","owner":"host/1","installed":"2026-11-29T11:00:00Z"}`,
			"marker":   `{"barrier":"b1","published":"2000-01-01T00:00:00Z"}`,
			"retired":  `{"owner":"host/1","since":"2026-11-29T11:00:00Z"}`,
			"peer/n/1": `{"node":"n/1","incarnation":"i1","mode":"v2-authoritative","markerObserved":true,"heartbeat":"2026-11-29T11:00:00.0000005Z"}`,
		}
		if diff := cmp.Diff(want, w.stored()); diff != "" {
			t.Errorf("records (-want +got):\n%s", diff)
		}
	})
	for name, values := range map[string][]string{
		"barrier": {"", "{", `{"id":"b1","more":1}`, `{"id":"b1"} {}`, "[]"},
		"marker":  {`{"barrier":1}`},
		"retired": {`{"since":"yesterday"}`},
		"peer/a":  {`{"node":"a","mode":"v3"}`, `{"node":"b","mode":"dual"}`},
	} {
		for _, value := range values {
			w := newWorld(t).made()
			w.store(name, &types.AttributeValueMemberB{Value: []byte(value)})
			_, stateErr := w.ours.State(w.ctx)
			_, peersErr := w.ours.Peers(w.ctx)
			if err := errors.Join(stateErr, peersErr); !errors.Is(err, store.ErrMalformed) || !strings.Contains(err.Error(), name) {
				t.Errorf("record %s %s: %v, want ErrMalformed that names it", name, value, err)
			}
		}
	}
}

// stored returns the control records as text.
func (w *world) stored() map[string]string {
	w.Helper()
	name := lake
	out, err := w.direct.Scan(w.ctx, &dynamodb.ScanInput{TableName: &name})
	w.must(err)
	entries, err := item.Entries(out.Items)
	w.must(err)
	records := make(map[string]string)
	for _, e := range entries {
		records[e.Key] = string(e.Value)
	}
	return records
}

// store puts any value into a control record.
func (w *world) store(name string, value types.AttributeValue) {
	w.Helper()
	table := lake
	_, err := w.direct.PutItem(w.ctx, &dynamodb.PutItemInput{TableName: &table, Item: map[string]types.AttributeValue{
		"bucket": &types.AttributeValueMemberS{Value: "control"}, "pk": &types.AttributeValueMemberS{Value: name}, "value": value,
	}})
	w.must(err)
}

// strict refuses reads that are not strong (hazard 13).
type strict struct {
	control.Client
	t *testing.T
}

func (s strict) GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if in.ConsistentRead == nil || !*in.ConsistentRead {
		s.t.Errorf("eventual read of %v", in.Key)
	}
	return s.Client.GetItem(ctx, in, opts...)
}

func (s strict) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if in.ConsistentRead == nil || !*in.ConsistentRead {
		s.t.Errorf("eventual read of %v", in.ExpressionAttributeValues)
	}
	return s.Client.Query(ctx, in, opts...)
}

// TestStrongReads: every control record is read strongly, whatever for.
func TestStrongReads(t *testing.T) {
	w := newWorld(t).made()
	r := openRecords(t, strict{w.direct, t}, 3)
	p := control.Peer{Node: "a", Mode: control.ModeV1}
	for _, step := range []func() error{
		func() error { return r.PutPeer(w.ctx, p) },
		func() error { return r.PutPeer(w.ctx, p) },
		func() error { return r.InstallBarrier(w.ctx, b("b1")) },
		func() error { return r.TakeOver(w.ctx, "b1", b("b2")) },
		func() error { return r.PublishMarker(w.ctx, "b2") },
		func() error { _, err := r.State(w.ctx); return err },
		func() error { _, err := r.Peers(w.ctx); return err },
		func() error { return remove(w.ctx, r, "a") },
	} {
		w.must(step())
	}
}

// TestContention: what stands in the way of the finalizer's writes is counted.
func TestContention(t *testing.T) {
	w := newWorld(t).made()
	conflict := storetest.Cancelled("None", "TransactionConflict")
	w.faults.Next(transact, conflict, conflict, conflict)
	w.must(w.ours.InstallBarrier(w.ctx, b("b1")))
	if got := w.ours.Stats().Contended; got != 3 {
		t.Errorf("%d contended calls, want 3", got)
	}
}

func TestRecordsConfig(t *testing.T) {
	w := newWorld(t)
	good := control.Config{Client: w.direct, Table: lake, Random: rand.NewPCG(1, 2), Backoff: item.DefaultBackoff()}
	for what, change := range map[string]func(*control.Config){
		"client": func(c *control.Config) { c.Client = nil }, "table": func(c *control.Config) { c.Table = "x" },
		"random": func(c *control.Config) { c.Random = nil }, "back-off": func(c *control.Config) { c.Backoff.Tries = 0 },
	} {
		cfg := good
		change(&cfg)
		if _, err := control.New(cfg); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("bad %s: %v, want ErrInvalid", what, err)
		}
	}
}
