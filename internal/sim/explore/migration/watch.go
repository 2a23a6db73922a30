package migration

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/explore/simulated"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
	v2 "github.com/lakebench/lakebench/store/v2"
)

// A watch looks at the tables after every request that may have changed them. It
// reads control records as the specification has them, not through the code that is
// watched.
type watch struct {
	client  simulated.Service // without faults
	fleet   *fleet
	looking bool

	marker     *control.Marker
	paused     bool     // between barrier and marker
	held       contents // of both layouts, while paused
	unmirrored bool     // a v2-only node has been at work
	complaints map[string]string
	// acts counts what the service has done for an actor since its last call ended: an
	// answer that was lost is not judged by what holds later.
	acts     map[string]int
	repeated bool   // the last thing that it has done was to answer once more
	stage    string // of the migration, in words
	run      string // the last run of the backfill that was seen
	complete bool   // it was seen complete
	// behind: a v1-only node has written since the run began. One that was opened before
	// init has no record until its next heartbeat, and only then voids the run.
	behind bool
}

// contents are the records of both layouts.
type contents struct{ v1, v2 map[string]string }

func (c contents) equal(o contents) bool { return maps.Equal(c.v1, o.v1) && maps.Equal(c.v2, o.v2) }

type refreshKey struct{}

// refreshing marks a list that begins after the marker.
func (w *watch) refreshing(ctx context.Context) context.Context {
	if !w.final() {
		return ctx
	}
	return context.WithValue(ctx, refreshKey{}, true)
}

// Served implements simulated.Observer.
func (w *watch) Served(ctx context.Context, s dynamo.Served) {
	if w.looking || w.client == nil {
		return
	}
	w.looking = true
	defer func() { w.looking = false }()
	switch s.API {
	case "Scan":
		if ctx.Value(refreshKey{}) != nil {
			w.complain(Refresh, "%s scanned v1 for a list that began after the marker", cause.Actor(ctx))
		}
	case "TransactWriteItems", "PutItem", "DeleteItem", "BatchWriteItem":
		if s.Outcome == dynamo.OutcomeOK {
			w.acts[cause.Actor(ctx)]++
			// A transaction that is repeated under its token writes nothing, and is
			// charged for reading only.
			w.repeated = s.WRU == 0
			w.look(context.WithoutCancel(ctx), cause.Actor(ctx))
		}
	}
}

// Called implements simulated.Observer: of a call that took one attempt it is told in
// the very step in which the service has acted.
func (w *watch) Called(ctx context.Context, _ string, input any, err error) {
	acts := w.acts[cause.Actor(ctx)]
	w.acts[cause.Actor(ctx)] = 0
	in, ok := input.(*dynamodb.TransactWriteItemsInput)
	if !ok || err != nil || acts != 1 || w.repeated || !slices.Contains(operators, cause.Actor(ctx)) {
		return
	}
	ctx = context.WithoutCancel(ctx)
	w.looking = true
	defer func() { w.looking = false }()
	for _, a := range in.TransactItems {
		if a.Put == nil || isControl(a.Put.Item) {
			continue
		}
		key, _ := item.Name(a.Put.Item)
		value, _ := item.Value(a.Put.Item)
		if held, exists := w.table(ctx, tableName)[key]; !exists || held != string(value) {
			w.complain(Copies, "%s wrote %q = %q into v2 while v1 held %q (%v)", cause.Actor(ctx), key, value, held, exists)
		}
	}
}

func isControl(item map[string]types.AttributeValue) bool {
	bucket, _ := item[keyspace.AttrBucket].(*types.AttributeValueMemberS)
	return bucket != nil && bucket.Value == control.Bucket
}

// backfilled holds a run that has just become complete against what v2 holds.
func (w *watch) backfilled(ctx context.Context) {
	b := peek[control.Backfill](ctx, w, "backfill")
	if b == nil {
		return
	}
	if b.Run != w.run {
		w.run, w.complete, w.behind = b.Run, false, false
	}
	if w.complete || b.State != control.BackfillComplete {
		return
	}
	if w.complete = true; w.behind {
		return
	}
	c := w.contents(ctx)
	for key, value := range c.v1 {
		held, exists := c.v2[key]
		if exists && held == value {
			continue
		}
		sum := sha256.Sum256([]byte(key))
		if peek[control.Problem](ctx, w, "problem/"+hex.EncodeToString(sum[:])) == nil {
			w.complain(Backfilled, "run %s is complete, and v2 holds %q (%v) of %q, v1 %q", b.Run, held, exists, key, value)
		}
	}
}

// look holds what a request of actor left against what must hold.
func (w *watch) look(ctx context.Context, actor string) {
	barrier, marker := peek[control.Barrier](ctx, w, "barrier"), peek[control.Marker](ctx, w, "marker")
	switch {
	case w.marker != nil && (marker == nil || *marker != *w.marker):
		w.complain(Marker, "%s changed the marker from %+v to %+v", actor, *w.marker, marker)
	case marker != nil && (barrier == nil || barrier.ID != marker.BarrierID):
		w.complain(Marker, "marker %+v is there without its barrier, but with %+v, after a request of %s", *marker, barrier, actor)
	}
	switch {
	case slices.Contains(operators, actor):
		w.backfilled(ctx)
	case w.fleet.modeOf(actor) == control.ModeV1:
		w.behind = true
	}
	pausedNow := barrier != nil && marker == nil
	var now contents
	if w.paused || pausedNow {
		now = w.contents(ctx)
	}
	if w.paused && !now.equal(w.held) && w.fleet.modeOf(actor) != control.ModeV1 {
		w.complain(Pause, "%s wrote between barrier and marker: %s", actor, difference(w.held, now))
	}
	if w.marker == nil && marker != nil && !maps.Equal(now.v1, now.v2) {
		w.complain(Equality, "the marker was published by %s while v1 holds %v and v2 %v", actor, now.v1, now.v2)
	}
	if marker != nil && w.marker == nil {
		w.marker, w.stage = marker, fmt.Sprintf("published with %d nodes at work", len(w.fleet.nodes))
	}
	w.paused, w.held = pausedNow, now
}

func difference(a, b contents) string {
	return fmt.Sprintf("v1 %v → %v, v2 %v → %v", a.v1, b.v1, a.v2, b.v2)
}

// end looks once more when all have ended.
func (w *watch) end(ctx context.Context) {
	if !w.final() || w.unmirrored {
		return
	}
	if c := w.contents(ctx); !maps.Equal(c.v1, c.v2) {
		w.complain(Equality, "in the end v1 holds %v and v2 %v", c.v1, c.v2)
	}
}

// peek reads a control record, nil if there is none.
func peek[T any](ctx context.Context, w *watch, name string) *T {
	table := v2.TableName(tableName)
	r := item.Record{Table: table, Name: name, Key: map[string]types.AttributeValue{
		keyspace.AttrBucket: &types.AttributeValueMemberS{Value: "control"}, keyspace.AttrKey: &types.AttributeValueMemberS{Value: name},
	}}
	value, err := r.Get(ctx, w.client, store.Strong)
	if err != nil {
		return nil // no such record, or no such table yet
	}
	t := new(T)
	if err := json.Unmarshal(value, t); err != nil {
		w.complain(Marker, "record %s holds %q", name, value)
		return nil
	}
	return t
}

func (w *watch) contents(ctx context.Context) contents {
	return contents{v1: w.table(ctx, tableName), v2: w.table(ctx, v2.TableName(tableName))}
}

// table returns the users' records of a table, each under its key; should there be
// two of one key, in two buckets, the second has its bucket with it.
func (w *watch) table(ctx context.Context, name string) map[string]string {
	found, strong := map[string]string{}, true
	in := &dynamodb.ScanInput{TableName: &name, ConsistentRead: &strong}
	out, err := w.client.Scan(ctx, in)
	if err != nil {
		return found // there is no such table yet
	}
	for _, raw := range out.Items {
		if isControl(raw) {
			continue
		}
		key, err := item.Name(raw)
		value, bad := item.Value(raw)
		if err != nil || bad != nil {
			w.complain(Equality, "table %s holds an item that is no record: %v", name, raw)
			continue
		}
		if _, twice := found[key]; twice {
			key += fmt.Sprintf(" in %v", raw[keyspace.AttrBucket])
		}
		found[key] = string(value)
	}
	return found
}
