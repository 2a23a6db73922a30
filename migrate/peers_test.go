package migrate_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/store/control"
)

// TestRemovePeerAlive: the record of a node that gives a sign of life stays, and so
// does that of another process.
func TestRemovePeerAlive(t *testing.T) {
	for _, c := range []struct {
		name        string
		waits       time.Duration // after the last heartbeat
		clock       time.Duration // by which the node's is late
		beats       bool
		incarnation string // "": the node's
		want        error
	}{
		{name: "a heartbeat 0 s ago", want: migrate.ErrRefused},
		{name: "a heartbeat 59 s ago", waits: 59 * time.Second, want: migrate.ErrRefused},
		{name: "alive, its clock an hour late", clock: time.Hour, beats: true, want: migrate.ErrRefused},
		{name: "gone, its clock an hour late", clock: time.Hour},
		{name: "gone", waits: 61 * time.Second},
		{name: "gone, another process", waits: 61 * time.Second, incarnation: "other", want: migrate.ErrRefused},
	} {
		t.Run(c.name, func(t *testing.T) {
			virtually(t, "", func(ctx context.Context, l *lake) {
				l.init()
				beat := func() {
					p := control.Peer{Node: "a", Incarnation: "i1", Mode: control.ModeDual, Heartbeat: task.Now(ctx).Add(-c.clock)}
					if err := l.records().PutPeer(l.quiet(), p); err != nil {
						t.Fatal(err)
					}
				}
				beat()
				_ = task.Sleep(ctx, c.waits)
				ctx, cancel := task.WithCancel(ctx)
				group := task.NewGroup(ctx, 0)
				group.Go("heartbeats", func(ctx context.Context) error {
					for c.beats && task.Sleep(ctx, 20*time.Second) == nil {
						beat()
					}
					return nil
				})
				o := removing("a", "i1")
				if c.incarnation != "" {
					o.Incarnation = c.incarnation
				}
				_, err := l.migrator(l.client()).RemovePeer(ctx, o)
				cancel(context.Canceled)
				_ = group.Wait()
				p, _ := l.records().Peer(l.quiet(), "a")
				if !errors.Is(err, c.want) || (p == nil) != (c.want == nil) {
					t.Errorf("%v, record %+v", err, p)
				}
			})
		})
	}
}
