package migrate_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
)

// ready is a lake that can be finalized, with node a in mode dual.
func (l *lake) ready(items int) *dual.Store {
	l.t.Helper()
	l.load(records(items, 10))
	l.init()
	a := l.node("a", control.ModeDual)
	l.backfillAll()
	return a
}

// TestFinalizeRefusals: each names what to do next, and changes nothing.
func TestFinalizeRefusals(t *testing.T) {
	for _, c := range []struct {
		name    string
		arrange func(l *lake, o *migrate.FinalizeOptions)
		says    []string
	}{
		{"v1-only node", func(l *lake, _ *migrate.FinalizeOptions) { l.node("old", control.ModeV1) }, []string{`"old"`, "v1 only", "mode dual"}},
		{"unknown node", func(_ *lake, o *migrate.FinalizeOptions) { o.Nodes = append(o.Nodes, "b") }, []string{`"b"`, "no record", "mode dual"}},
		{"silent node", func(l *lake, o *migrate.FinalizeOptions) {
			l.node("b", control.ModeDual)
			o.Nodes = append(o.Nodes, "b")
		}, []string{`"b"`, "no heartbeat"}},
		{"no backfill", func(l *lake, _ *migrate.FinalizeOptions) { l.forget("backfill") }, []string{"no backfill", "run backfill"}},
		{"unfinished backfill", func(l *lake, _ *migrate.FinalizeOptions) {
			l.void("old")
			l.between("Scan", 2, func() { panic("stop") })
			o := migrate.DefaultBackfillOptions()
			o.PageSize = 5
			func() {
				defer func() { _ = recover(); l.after = nil }()
				_, _ = l.migrator(l.client()).Backfill(l.ctx, o)
			}()
		}, []string{"running", "run backfill until"}},
		{"voided backfill", func(l *lake, _ *migrate.FinalizeOptions) { l.void("old") }, []string{`"old"`, "run backfill again"}},
		{"a problem", func(l *lake, _ *migrate.FinalizeOptions) {
			if err := l.records().RecordProblem(l.quiet(), control.Problem{Key: "tbl/x", Kind: control.Differing, Detail: "d"}); err != nil {
				l.t.Fatal(err)
			}
		}, []string{"1 problems", "tbl/x", "repair"}},
		{"missing record", func(l *lake, _ *migrate.FinalizeOptions) { l.remove(tableV2, "tbl/00003") }, []string{"1 missing", "tbl/00003", "repair"}},
		{"other record", func(l *lake, _ *migrate.FinalizeOptions) { l.set(tableV2, "tbl/00003", "other") }, []string{"1 differing", "repair"}},
		{"orphan", func(l *lake, _ *migrate.FinalizeOptions) { l.remove(tableV1, "tbl/00003") }, []string{"1 orphan", "repair"}},
		{"foreign barrier", func(l *lake, _ *migrate.FinalizeOptions) { l.barrier() }, []string{"theirs", "somebody", "take over"}},
		{"no such barrier", func(_ *lake, o *migrate.FinalizeOptions) { o.TakeOver = "gone" }, []string{"no barrier gone", "status"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			virtually(t, "", func(ctx context.Context, l *lake) {
				stop := beating(l.quiet(), l.ready(20))
				defer stop()
				o := finalizing("a")
				o.HeartbeatWait = 3 * time.Second
				c.arrange(l, &o)
				v1, v2, controls := l.contents(tableV1), l.contents(tableV2), l.stable()
				_, err := l.migrator(l.client()).Finalize(ctx, o)
				if !errors.Is(err, migrate.ErrRefused) {
					t.Fatalf("%v, want a refusal", err)
				}
				for _, word := range c.says {
					if !strings.Contains(err.Error(), word) {
						t.Errorf("%q does not say %q", err, word)
					}
				}
				for what, diff := range map[string]string{
					"v1": cmp.Diff(v1, l.contents(tableV1)), "v2": cmp.Diff(v2, l.contents(tableV2)), "control records": cmp.Diff(controls, l.stable()),
				} {
					if diff != "" {
						t.Errorf("%s changed:\n%s", what, diff)
					}
				}
			})
		})
	}
}

// stable are the control records but for those of the nodes, which write them all
// the time.
func (l *lake) stable() map[string]string {
	records := l.controls()
	for name := range records {
		if strings.HasPrefix(name, "peer/") {
			delete(records, name)
		}
	}
	return records
}

// forget removes a control record.
func (l *lake) forget(name string) {
	l.t.Helper()
	table := tableV2
	in := deleteOf(table, "control", name)
	if _, err := l.setup.DeleteItem(l.quiet(), in); err != nil {
		l.t.Fatal(err)
	}
}

// TestFinalizePause: between barrier and marker there are the requests of the
// verification and PauseRequests others, for any number of nodes and items, and no
// write of a dual node.
func TestFinalizePause(t *testing.T) {
	for _, items := range []int{0, 20, 8000} {
		virtually(t, "", func(ctx context.Context, l *lake) {
			a := l.ready(items)
			stop := beating(l.quiet(), a)
			defer stop()
			var pause []served
			paused := false
			l.after = func(s served) {
				state, err := l.records().State(l.quiet())
				if err != nil {
					t.Error(err)
				}
				switch {
				case state.Marker != nil:
				case paused:
					pause = append(pause, s)
					if err := a.CAS(l.quiet(), "tbl/new", store.Absent(), nil); !errors.Is(err, store.ErrWritesPaused) {
						t.Errorf("a write under the barrier: %v", err)
					}
				case state.Barrier != nil:
					paused = true // by this very request
				}
			}
			r, err := l.migrator(l.client()).Finalize(ctx, finalizing("a"))
			l.after = nil
			if err != nil || r.Marker == nil || r.Verification == nil {
				t.Fatalf("%+v, %v", r, err)
			}
			// The last of them, the publication, has ended the pause.
			scans := 0
			for _, s := range pause {
				if s.api == "Scan" {
					scans++
				}
			}
			if want := l.pages(tableV1) + l.pages(tableV2); scans != want {
				t.Errorf("%d items: %d scans, want %d", items, scans, want)
			}
			if others := len(pause) + 1 - scans; others != migrate.PauseRequests {
				t.Errorf("%d items: %d other requests in the pause, want %d: %v", items, others, migrate.PauseRequests, pause)
			}
			if diff := cmp.Diff(l.contents(tableV1), l.contents(tableV2)); diff != "" {
				t.Error(diff)
			}
			if err := a.CAS(l.quiet(), "tbl/new", store.Absent(), nil); err != nil || a.Mode() != control.ModeV2Authoritative {
				t.Errorf("after the marker: %v, mode %v", err, a.Mode())
			}
		})
	}
}

// TestFinalizeUnderBarrier: what happens between the barrier and the marker
// (hazards 10 and 11).
func TestFinalizeUnderBarrier(t *testing.T) {
	for _, c := range []struct {
		name    string
		happen  func(l *lake)
		marker  string // whose barrier published: "" nobody's
		barrier bool   // is there afterwards
		says    string
	}{
		{"a v1-only node appears", func(l *lake) { l.appear("old") }, "", false, `"old"`},
		{"a v1-only node came and went", func(l *lake) {
			if err := l.records().VoidBackfill(l.quiet(), "old"); err != nil {
				l.t.Fatal(err)
			}
		}, "", false, `"old"`},
		{"an abort", func(l *lake) { l.unblock() }, "", false, "abort"},
		{"an abort and another barrier", func(l *lake) {
			l.unblock()
			l.barrier()
		}, "", true, "theirs"},
		{"another takes over", func(l *lake) {
			state, err := l.records().State(l.quiet())
			if err != nil || state.Barrier == nil {
				l.t.Fatal(err)
			}
			next := control.Barrier{ID: "theirs", Owner: "somebody", Installed: task.Now(l.ctx)}
			if err := l.records().TakeOver(l.quiet(), state.Barrier.ID, next); err != nil {
				l.t.Fatal(err)
			}
		}, "", true, "theirs"},
		{"another takes over and publishes", func(l *lake) {
			state, err := l.records().State(l.quiet())
			if err != nil || state.Barrier == nil {
				l.t.Fatal(err)
			}
			next := control.Barrier{ID: "theirs", Owner: "somebody", Installed: task.Now(l.ctx)}
			if err := errors.Join(l.records().TakeOver(l.quiet(), state.Barrier.ID, next), l.records().PublishMarker(l.quiet(), "theirs")); err != nil {
				l.t.Fatal(err)
			}
		}, "theirs", true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			virtually(t, "", func(ctx context.Context, l *lake) {
				stop := beating(l.quiet(), l.ready(20))
				defer stop()
				done := false
				l.after = func(served) {
					if state, err := l.records().State(l.quiet()); err == nil && state.Barrier != nil && !done && state.Barrier.Owner == owner {
						done = true
						c.happen(l)
					}
				}
				_, err := l.migrator(l.client()).Finalize(ctx, finalizing("a"))
				if c.says != "" && (!errors.Is(err, migrate.ErrRefused) || !strings.Contains(err.Error(), c.says)) || c.says == "" && err != nil {
					t.Errorf("%v, want a refusal that says %q", err, c.says)
				}
				state, err := l.records().State(l.quiet())
				if err != nil {
					t.Fatal(err)
				}
				if (state.Marker != nil) != (c.marker != "") || state.Marker != nil && state.Marker.BarrierID != c.marker {
					t.Errorf("marker %+v, want one of %q", state.Marker, c.marker)
				}
				if (state.Barrier != nil) != c.barrier || state.Barrier != nil && state.Barrier.Owner == owner {
					t.Errorf("barrier %+v is left", state.Barrier)
				}
			})
		})
	}
}

// unblock aborts whatever finalization there is.
func (l *lake) unblock() {
	l.t.Helper()
	state, err := l.records().State(l.quiet())
	if err != nil || state.Barrier == nil {
		l.t.Fatalf("%+v, %v", state, err)
	}
	if err := l.records().RemoveBarrier(l.quiet(), state.Barrier.ID); err != nil {
		l.t.Fatal(err)
	}
}

// TestFinalizeLostAnswers: whatever answer is lost, the end is one of two: v2 is the
// authority, or writes go on.
func TestFinalizeLostAnswers(t *testing.T) {
	for _, rule := range []string{
		`on dynamodb TransactWriteItems key "barrier" : error-after reset`,
		`on dynamodb TransactWriteItems key "barrier" nth 1 : error-after`,
		`on dynamodb TransactWriteItems key "marker" nth 2..9 : error-after reset`,
		`on dynamodb TransactWriteItems key "marker" nth 2..9 : error-before`,
		`on dynamodb TransactWriteItems key "marker" nth 2 : timeout 1s lands 2s`,
		`on dynamodb TransactWriteItems key "marker" nth 2..9 : timeout 1s lands 20s`,
		`on dynamodb Scan nth 2..20 : error-before`,
		`on dynamodb Query nth 3..20 : throttle`,
	} {
		t.Run(rule, func(t *testing.T) {
			virtually(t, rule, func(ctx context.Context, l *lake) {
				a := l.ready(20)
				stop := beating(l.quiet(), a)
				defer stop()
				m := l.migrator(l.client())
				_, err := m.Finalize(ctx, finalizing("a"))
				_ = task.Sleep(ctx, time.Minute) // until all has landed
				state, readErr := l.records().State(l.quiet())
				if readErr != nil {
					t.Fatal(readErr)
				}
				if state.Marker == nil && state.Barrier != nil || state.Marker != nil && state.Barrier == nil {
					t.Errorf("barrier %+v, marker %+v after %v", state.Barrier, state.Marker, err)
				}
				if err == nil && state.Marker == nil {
					t.Error("it says that it is done, and is not")
				}
				if err := a.CAS(l.quiet(), "tbl/new", store.Absent(), nil); err != nil {
					t.Errorf("a write afterwards: %v", err)
				}
			})
		})
	}
}

// TestMaxPause: a pause that runs out ends, and nothing is published, not even by a
// request that was on its way.
func TestMaxPause(t *testing.T) {
	for _, rule := range []string{
		`on dynamodb Scan : delay 20s`,
		`on dynamodb TransactWriteItems key "marker" nth 2 : delay 20s`,
		`on dynamodb TransactWriteItems key "marker" nth 2 : timeout 5s lands 60s`,
	} {
		t.Run(rule, func(t *testing.T) {
			virtually(t, rule, func(ctx context.Context, l *lake) {
				a := l.ready(20)
				stop := beating(l.quiet(), a)
				defer stop()
				o := finalizing("a")
				o.MaxPause = 10 * time.Second
				began := time.Time{}
				l.after = func(served) {
					if state, err := l.records().State(l.quiet()); err == nil && state.Barrier != nil && began.IsZero() {
						began = task.Now(ctx)
					}
				}
				_, err := l.migrator(l.client()).Finalize(ctx, o)
				if took := task.Since(ctx, began); took > o.MaxPause+time.Second && !strings.Contains(rule, "lands") {
					t.Errorf("writes were paused for %v", took)
				}
				l.after = nil
				_ = task.Sleep(ctx, 2*time.Minute)
				if err := a.CAS(l.quiet(), "tbl/new", store.Absent(), nil); err != nil {
					t.Errorf("a write afterwards: %v", err)
				}
				if strings.Contains(rule, "lands") {
					return // the second attempt came in time
				}
				if !errors.Is(err, migrate.ErrRefused) || !strings.Contains(err.Error(), "pause of 10s") {
					t.Errorf("%v, want a refusal for the pause", err)
				}
				if state, err := l.records().State(l.quiet()); err != nil || state.Marker != nil {
					t.Errorf("%+v, %v", state, err)
				}
			})
		})
	}
}

// TestFinalizeInterrupted: an interrupt during the pause lets writes go on.
func TestFinalizeInterrupted(t *testing.T) {
	virtually(t, "", func(ctx context.Context, l *lake) {
		a := l.ready(20)
		stop := beating(l.quiet(), a)
		defer stop()
		interrupted, interrupt := task.WithCancel(ctx)
		l.between("Scan", 1, func() { interrupt(context.Canceled) })
		if _, err := l.migrator(l.client()).Finalize(interrupted, finalizing("a")); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want the interrupt", err)
		}
		if err := a.CAS(l.quiet(), "tbl/new", store.Absent(), nil); err != nil {
			t.Error(err)
		}
	})
}

// TestFinalizeAgain: a barrier of the same owner, left by a crash, is taken over by
// itself, another's when it is named; finalizing what is final does nothing.
func TestFinalizeAgain(t *testing.T) {
	for _, takeOver := range []bool{false, true} {
		virtually(t, "", func(ctx context.Context, l *lake) {
			stop := beating(l.quiet(), l.ready(20))
			defer stop()
			o := finalizing("a")
			left := control.Barrier{ID: "left", Owner: owner, Installed: task.Now(ctx)}
			if takeOver {
				left.Owner, o.TakeOver = "somebody", left.ID
			}
			if err := l.records().InstallBarrier(l.quiet(), left); err != nil {
				t.Fatal(err)
			}
			m := l.migrator(l.client())
			r, err := m.Finalize(ctx, o)
			if err != nil || r.Marker == nil || r.Marker.BarrierID == left.ID || r.Already {
				t.Fatalf("%+v, %v", r, err)
			}
			if err := l.records().PublishMarker(l.quiet(), left.ID); err == nil {
				t.Error("the former finalizer can still publish")
			}
			again, err := m.Finalize(ctx, o)
			if err != nil || !again.Already || *again.Marker != *r.Marker {
				t.Errorf("again: %+v, %v", again, err)
			}
		})
	}
}

// TestAbort: it ends a finalization before the marker, its owner's or a named one,
// and nothing after it.
func TestAbort(t *testing.T) {
	virtually(t, "", func(ctx context.Context, l *lake) {
		stop := beating(l.quiet(), l.ready(20))
		defer stop()
		m := l.migrator(l.client())
		mine := migrate.AbortOptions{Owner: owner}
		if r, err := m.Abort(ctx, mine); err != nil || r.Removed != nil {
			t.Errorf("without a barrier: %+v, %v", r, err)
		}
		l.barrier()
		if _, err := m.Abort(ctx, mine); !errors.Is(err, migrate.ErrRefused) || !strings.Contains(err.Error(), "theirs") {
			t.Errorf("another's: %v", err)
		}
		if r, err := m.Abort(ctx, migrate.AbortOptions{Owner: owner, ID: "theirs"}); err != nil || r.Removed == nil || r.Removed.ID != "theirs" {
			t.Errorf("another's, named: %+v, %v", r, err)
		}
		if _, err := m.Finalize(ctx, finalizing("a")); err != nil {
			t.Fatal(err)
		}
		before := l.stable()
		if _, err := m.Abort(ctx, mine); !errors.Is(err, migrate.ErrRefused) || !strings.Contains(err.Error(), "for good") {
			t.Errorf("after the marker: %v", err)
		}
		if diff := cmp.Diff(before, l.stable()); diff != "" {
			t.Error(diff)
		}
	})
}

// TestRetire: only after the retention, and when every node is v2-only.
func TestRetire(t *testing.T) {
	virtually(t, "", func(ctx context.Context, l *lake) {
		a := l.ready(20)
		stop := beating(l.quiet(), a)
		m := l.migrator(l.client())
		o := migrate.RetireOptions{Confirm: tableV1, Retention: time.Hour, Owner: owner}
		refused := func(word string) {
			t.Helper()
			if _, err := m.Retire(ctx, o); !errors.Is(err, migrate.ErrRefused) || !strings.Contains(err.Error(), word) {
				t.Errorf("%v, want a refusal that says %q", err, word)
			}
		}
		refused("finalize first")
		if _, err := m.Finalize(ctx, finalizing("a")); err != nil {
			t.Fatal(err)
		}
		stop()
		refused("wait until")
		_ = task.Sleep(ctx, time.Hour)
		refused(`"a"`)
		if err := a.Close(l.quiet()); err != nil {
			t.Fatal(err)
		}
		l.node("b", control.ModeV2Only)
		wrong := o
		wrong.Confirm = "sea"
		if _, err := m.Retire(ctx, wrong); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("not confirmed: %v", err)
		}
		if r, err := m.Retire(ctx, o); err != nil || r.Deleted != tableV1 {
			t.Fatalf("%+v, %v", r, err)
		}
		if r, err := m.Retire(ctx, o); err != nil || r.Deleted != "" {
			t.Errorf("again: %+v, %v", r, err)
		}
		if _, err := m.Verify(ctx, migrate.DefaultVerifyOptions()); !errors.Is(err, store.ErrNoTable) {
			t.Errorf("verify: %v", err)
		}
		s, err := m.Status(ctx, nil)
		if err != nil || s.Mode != control.ModeV2Only || s.Rollback != migrate.RollbackV2Only {
			t.Errorf("%+v, %v", s, err)
		}
		if _, err := l.open(l.quiet(), l.setup, "c", control.ModeDual); !errors.Is(err, dual.ErrForbidden) {
			t.Errorf("a dual node opens: %v", err)
		}
	})
}

// TestStatus: the document of docs/spec/results.md §2, before and after.
func TestStatus(t *testing.T) {
	virtually(t, "", func(ctx context.Context, l *lake) {
		l.load(records(3, 10))
		m := l.migrator(l.client())
		document := func(nodes ...string) map[string]any {
			t.Helper()
			s, err := m.Status(ctx, nodes)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			var d map[string]any
			if err := json.Unmarshal(text, &d); err != nil {
				t.Fatal(err)
			}
			return d
		}
		want := map[string]any{
			"mode": "v1", "barrier": nil, "marker": nil, "rollback": "v1-only",
			"backfill": map[string]any{"run": "", "state": "none", "scanned": 0., "converged": 0., "created": 0., "problems": 0.},
			"peers":    map[string]any{"v1_only": 0., "unknown": 1., "dual": 0., "v2": 0., "v2_only": 0.},
		}
		if diff := cmp.Diff(want, document("a")); diff != "" {
			t.Error(diff)
		}
		l.init()
		a := l.node("a", control.ModeDual)
		l.node("old", control.ModeV1)
		want["mode"] = "dual"
		want["peers"] = map[string]any{"v1_only": 1., "unknown": 1., "dual": 1., "v2": 0., "v2_only": 0.}
		if diff := cmp.Diff(want, document("a", "b")); diff != "" {
			t.Error(diff)
		}
		if err := remove(l.quiet(), l.records(), "old"); err != nil {
			t.Fatal(err)
		}
		l.backfillAll()
		stop := beating(l.quiet(), a)
		defer stop()
		if _, err := m.Finalize(ctx, finalizing("a")); err != nil {
			t.Fatal(err)
		}
		if err := a.Heartbeat(l.quiet()); err != nil {
			t.Fatal(err)
		}
		got := document("a")
		run := got["backfill"].(map[string]any)["run"].(string)
		barrier := got["barrier"].(map[string]any)
		marker := got["marker"].(map[string]any)
		if run == "" || barrier["owner"] != owner || marker["barrier"] != barrier["id"] {
			t.Errorf("%v", got)
		}
		delete(got, "barrier")
		delete(got, "marker")
		want = map[string]any{
			"mode": "v2-authoritative", "rollback": "dual-capable",
			"backfill": map[string]any{"run": run, "state": "complete", "scanned": 3., "converged": 3., "created": 3., "problems": 0.},
			"peers":    map[string]any{"v1_only": 0., "unknown": 0., "dual": 0., "v2": 1., "v2_only": 0.},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestOtherLayout: a v2 table with other shard counts, or tables that are none of the
// layouts', are refused by every verb.
func TestOtherLayout(t *testing.T) {
	virtually(t, "", func(ctx context.Context, l *lake) {
		l.init()
		cfg := l.config(l.client())
		cfg.Shards.Default = 4
		m, err := migrate.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for verb, err := range verbs(ctx, m) {
			var layout *control.LayoutError
			if verb != "status" && !errors.As(err, &layout) {
				t.Errorf("%s: %v, want a layout error", verb, err)
			}
		}
	})
	virtually(t, "", func(ctx context.Context, l *lake) {
		cfg := l.config(l.client())
		cfg.Table = "sea"
		m, err := migrate.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for verb, err := range verbs(ctx, m) {
			if !errors.Is(err, store.ErrNoTable) {
				t.Errorf("%s: %v, want ErrNoTable", verb, err)
			}
		}
	})
}

// verbs tries every verb.
func verbs(ctx context.Context, m *migrate.Migrator) map[string]error {
	errs := map[string]error{}
	_, errs["init"] = m.Init(ctx, migrate.InitOptions{})
	_, errs["backfill"] = m.Backfill(ctx, migrate.DefaultBackfillOptions())
	_, errs["verify"] = m.Verify(ctx, migrate.DefaultVerifyOptions())
	_, errs["finalize"] = m.Finalize(ctx, finalizing())
	_, errs["abort"] = m.Abort(ctx, migrate.AbortOptions{Owner: owner})
	_, errs["repair"] = m.Repair(ctx, migrate.DefaultRepairOptions())
	_, errs["peers"] = m.Peers(ctx)
	_, errs["peers remove"] = m.RemovePeer(ctx, removing("a", "i1"))
	_, errs["status"] = m.Status(ctx, nil)
	return errs
}

// TestDryRuns: they change nothing, and say something.
func TestDryRuns(t *testing.T) {
	virtually(t, "", func(ctx context.Context, l *lake) {
		l.load(records(200, 10))
		m := l.migrator(l.client())
		if r, err := m.Init(ctx, migrate.InitOptions{DryRun: true}); err != nil || r.Plan == nil || len(r.Plan.Steps) == 0 {
			t.Errorf("init: %+v, %v", r, err)
		}
		l.init()
		o := migrate.DefaultBackfillOptions()
		o.DryRun = true
		before := l.controls()
		r, err := m.Backfill(ctx, o)
		if err != nil || r.Plan == nil {
			t.Fatalf("backfill: %+v, %v", r, err)
		}
		planned := *r.Plan
		if len(l.contents(tableV2)) != 0 {
			t.Error("a dry run copied")
		}
		if f, err := m.Finalize(ctx, finalizing()); !errors.Is(err, migrate.ErrRefused) {
			t.Errorf("finalize before the backfill: %+v, %v", f, err)
		}
		if diff := cmp.Diff(before, l.controls()); diff != "" {
			t.Error(diff)
		}
		l.served = nil
		o.DryRun = false
		if _, err := m.Backfill(ctx, o); err != nil {
			t.Fatal(err)
		}
		// Equal items are what the estimate supposes. The run's own records are beside it.
		if wru := l.wru(); planned.WRU < wru*0.9 || planned.WRU > wru*1.1 {
			t.Errorf("planned %v write units, it took %v", planned.WRU, wru)
		}
		if took := int64(len(l.served)); planned.Requests != took {
			t.Errorf("planned %d requests, it took %d", planned.Requests, took)
		}
		l.remove(tableV2, "tbl/00003")
		before, v2 := l.controls(), l.contents(tableV2)
		if r, err := m.Repair(ctx, migrate.RepairOptions{DryRun: true, Examples: 1}); err != nil || r.Plan == nil || r.Found.Total() != 1 {
			t.Errorf("repair: %+v, %v", r, err)
		}
		if v, err := m.Verify(ctx, migrate.VerifyOptions{DryRun: true}); err != nil || v.Plan == nil {
			t.Errorf("verify: %+v, %v", v, err)
		}
		f := finalizing()
		f.DryRun = true
		if r, err := m.Finalize(ctx, f); err != nil || r.Plan == nil {
			t.Errorf("finalize: %+v, %v", r, err)
		}
		if r, err := m.Abort(ctx, migrate.AbortOptions{Owner: owner, DryRun: true}); err != nil || r.Plan == nil {
			t.Errorf("abort: %+v, %v", r, err)
		}
		if diff := cmp.Diff(before, l.controls()) + cmp.Diff(v2, l.contents(tableV2)); diff != "" {
			t.Error(diff)
		}
	})
}
