package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
)

// TestThinPath: init, backfill, verify, finalize, status.
func TestThinPath(t *testing.T) {
	virtually(t, "", func(ctx context.Context, l *lake) {
		l.load(records(100, 10))
		m := l.migrator(l.client())
		if r, err := m.Init(ctx, migrate.InitOptions{}); err != nil || !r.Created {
			t.Fatalf("%+v, %v", r, err)
		}
		a := l.node("a", control.ModeDual)
		began := task.Now(ctx)
		r, err := m.Backfill(ctx, migrate.DefaultBackfillOptions())
		if err != nil || r.Progress.State != control.BackfillComplete {
			t.Fatalf("%+v, %v", r, err)
		}
		if wait := r.Settled().Sub(began); wait < 5*time.Minute || wait > 5*time.Minute+time.Second {
			t.Errorf("the last write of a v1-only node is settled %v after the run began, expected five minutes", wait)
		}
		if v, err := m.Verify(ctx, migrate.DefaultVerifyOptions()); err != nil || !v.Equal() {
			t.Fatalf("%+v, %v", v, err)
		}
		stop := beating(l.quiet(), a)
		defer stop()
		if r, err := m.Finalize(ctx, finalizing("a")); err != nil || r.Marker == nil {
			t.Fatalf("%+v, %v", r, err)
		}
		s, err := m.Status(ctx, []string{"a"})
		if err != nil || s.Mode != control.ModeV2Authoritative || s.Rollback != migrate.RollbackDual {
			t.Fatalf("%+v, %v", s, err)
		}
		if diff := cmp.Diff(l.contents(tableV1), l.contents(tableV2)); diff != "" {
			t.Error(diff)
		}
	})
}

// kb is a size rounded up to write blocks.
func kb(n int) float64 { return math.Ceil(float64(n) / 1024) }

// TestBackfillCost: at most 0.05 requests an item, and write units at the floor of
// the rules: 2⌈v1⌉ + 2⌈v2⌉ for each item, the barrier's check for each transaction,
// one unit for each page and for the beginning.
func TestBackfillCost(t *testing.T) {
	for _, c := range []struct {
		items, valueBytes            int
		scans, transactions, records int
	}{
		// Pages of 1,000, 1,000 and 500 items; 21, 21 and 11 transactions of 49.
		{2500, 250, 3, 53, 4},
		// Two full pages. That the second is the last one only an empty third one says.
		{2000, 10, 3, 42, 4},
		// Values of 2 KB: 1 MB ends a page after 508 or so, whatever its limit.
		{500, 2048, 1, 11, 2},
	} {
		t.Run(fmt.Sprintf("%d of %d", c.items, c.valueBytes), func(t *testing.T) {
			virtually(t, "", func(ctx context.Context, l *lake) {
				items := records(c.items, c.valueBytes)
				l.load(items)
				l.init()
				m := l.migrator(l.client())
				r, err := m.Backfill(ctx, migrate.DefaultBackfillOptions())
				n := int64(c.items)
				if err != nil || r.Progress.Scanned != n || r.Progress.Converged != n || r.Progress.Created != n {
					t.Fatalf("%+v, %v", r, err)
				}
				floor := float64(2*c.transactions + c.records)
				for key, value := range items {
					v1 := len("pk") + len(key) + len("value") + len(value)
					floor += 2*kb(v1) + 2*kb(v1+len("bucket")+len("tbl#00"))
				}
				if got := l.wru(); got != floor {
					t.Errorf("%v write units, the floor is %v", got, floor)
				}
				made := l.requests()
				if made["Scan"] != c.scans || made["TransactWriteItems"] != c.transactions || made["PutItem"] != c.records {
					t.Errorf("requests %v, want %d scans, %d transactions and %d progress records", made, c.scans, c.transactions, c.records)
				}
				if perItem := float64(len(l.served)) / float64(c.items); perItem > 0.05 {
					t.Errorf("%v requests an item", perItem)
				}
				if diff := cmp.Diff(items, l.contents(tableV2)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// TestBackfillAgain: a run over what is there already reads it, rather than paying
// for creations that fail.
func TestBackfillAgain(t *testing.T) {
	virtually(t, "", func(ctx context.Context, l *lake) {
		l.load(records(1000, 10))
		l.init()
		l.backfillAll()
		l.void("old")
		o := migrate.DefaultBackfillOptions()
		o.PageSize = 100
		r, err := l.migrator(l.client()).Backfill(ctx, o)
		if err != nil || r.Progress.Converged != 1000 || r.Progress.Created != 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		// The first page finds out: three transactions of 49, 49 and 2. Then one batch a page.
		if made := l.requests(); made["TransactWriteItems"] != 3 || made["BatchGetItem"] != 9 {
			t.Errorf("requests %v, want 3 transactions and 9 batches read", made)
		}
	})
}

// TestBackfillUnread: keys that a batch leaves unread are asked for again (hazard 9):
// otherwise each would be paid for as a failed creation.
func TestBackfillUnread(t *testing.T) {
	virtually(t, "on dynamodb BatchGetItem nth 1 : unprocessed 60", func(ctx context.Context, l *lake) {
		l.load(records(200, 10))
		l.init()
		l.backfillAll()
		l.void("old")
		o := migrate.DefaultBackfillOptions()
		o.PageSize = 100
		r, err := l.migrator(l.client()).Backfill(ctx, o)
		if err != nil || r.Progress.Converged != 200 {
			t.Fatalf("%+v, %v", r, err)
		}
		// Of the second page 100 keys, 60 of them left, and then those. The last, empty page
		// asks for nothing.
		if made := l.requests(); made["TransactWriteItems"] != 3 || made["BatchGetItem"] != 2 {
			t.Errorf("requests %v, want 3 transactions, those of the first page, and 2 batches", made)
		}
	})
}

// void registers a v1-only node and restarts it as a dual one.
func (l *lake) void(node string) {
	l.t.Helper()
	if err := l.node(node, control.ModeV1).Close(l.quiet()); err != nil {
		l.t.Fatal(err)
	}
	if err := l.node(node, control.ModeDual).Close(l.quiet()); err != nil {
		l.t.Fatal(err)
	}
}

// between runs change once, right after the n-th request of a kind was served.
func (l *lake) between(api string, n int, change func()) {
	seen := 0
	l.after = func(s served) {
		if s.api != api {
			return
		}
		if seen++; seen == n {
			change()
		}
	}
}

// TestBackfillRaces: what changes between the scan and the creation
// (docs/spec/metadata-store.md §5, hazards 1 to 3).
func TestBackfillRaces(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(l *lake)
		want    string // in v2; "" is nothing
		problem control.ProblemKind
	}{
		{"deleted", func(l *lake) { l.remove(tableV1, "tbl/00001") }, "", ""},
		{"changed by a v1-only node", func(l *lake) { l.set(tableV1, "tbl/00001", "new") }, "new", ""},
		{"changed by a dual node", func(l *lake) {
			l.set(tableV1, "tbl/00001", "new")
			l.set(tableV2, "tbl/00001", "new")
		}, "new", ""},
		{"created by a dual node", func(l *lake) { l.set(tableV2, "tbl/00001", records(2, 10)["tbl/00001"]) }, records(2, 10)["tbl/00001"], ""},
		{"another value in v2", func(l *lake) { l.set(tableV2, "tbl/00001", "other") }, "other", control.Differing},
		{"deleted, and in v2", func(l *lake) {
			l.remove(tableV1, "tbl/00001")
			l.set(tableV2, "tbl/00001", "other")
		}, "other", control.Orphan},
		{"not binary any more", func(l *lake) {
			l.putRaw(tableV1, map[string]types.AttributeValue{"pk": text("tbl/00001"), "value": text("x")})
		}, "", control.NoBinaryValue},
	} {
		t.Run(c.name, func(t *testing.T) {
			virtually(t, "", func(ctx context.Context, l *lake) {
				l.load(records(60, 10))
				l.init()
				l.between("Scan", 1, func() { c.change(l) })
				r, err := l.migrator(l.client()).Backfill(ctx, migrate.DefaultBackfillOptions())
				if err != nil {
					t.Fatal(err)
				}
				if got := l.contents(tableV2)["tbl/00001"]; got != c.want {
					t.Errorf("v2 holds %q, want %q", got, c.want)
				}
				if n := len(l.contents(tableV2)); n < 59 {
					t.Errorf("v2 has %d records", n)
				}
				switch {
				case c.problem == "" && r.Problems.Count != 0, c.problem != "" && (r.Problems.Count != 1 || r.Problems.Examples[0].Kind != c.problem):
					t.Errorf("problems %+v, want %q", r.Problems, c.problem)
				}
			})
		})
	}
}

// TestBackfillMeetsBarrier: a worker that wakes up after the barrier was installed
// writes nothing (hazard 3).
func TestBackfillMeetsBarrier(t *testing.T) {
	for _, test := range []struct {
		name   string
		items  int
		change func(l *lake) // beside the barrier
	}{
		{"creating", 60, func(*lake) {}},
		{"settling one", 1, func(l *lake) { l.set(tableV1, "tbl/00000", "new") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			virtually(t, "", func(ctx context.Context, l *lake) {
				l.load(records(test.items, 10))
				l.init()
				n := 0
				l.after = func(s served) {
					// A creation that found v1 changed comes before that of one record.
					if n++; s.api == "Scan" {
						test.change(l)
						if test.items > 1 {
							l.barrier()
						}
					}
					if s.api == "TransactGetItems" {
						l.barrier()
					}
				}
				_, err := l.migrator(l.client()).Backfill(ctx, migrate.DefaultBackfillOptions())
				if !errors.Is(err, migrate.ErrRefused) || !strings.Contains(err.Error(), "barrier") {
					t.Errorf("%v, want a refusal that names the barrier", err)
				}
				if n := len(l.contents(tableV2)); n != 0 {
					t.Errorf("%d records were created under the barrier", n)
				}
			})
		})
	}
}

// barrier installs a write barrier of somebody else.
func (l *lake) barrier() {
	l.t.Helper()
	if err := l.records().InstallBarrier(l.quiet(), control.Barrier{ID: "theirs", Owner: "somebody", Installed: task.Now(l.ctx)}); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lake) records() *control.Records {
	l.t.Helper()
	r, err := control.New(control.Config{Client: l.setup, Table: tableV2, Random: l.random(), Backoff: migrate.DefaultConfig().Backoff})
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// TestProblems: items that v2 cannot hold are reported by name, keep the migration
// from being finalized, and are let go once somebody has changed them.
func TestProblems(t *testing.T) {
	long := "tbl/" + strings.Repeat("k", 1021)
	for _, c := range []struct {
		name string
		item map[string]types.AttributeValue
		kind control.ProblemKind
	}{
		{"long key", map[string]types.AttributeValue{"pk": text(long), "value": &types.AttributeValueMemberB{Value: []byte("x")}}, control.KeyTooLong},
		{"large item", map[string]types.AttributeValue{"pk": text("tbl/big"), "value": &types.AttributeValueMemberB{Value: make([]byte, 409_600-len("pk")-len("tbl/big")-len("value"))}}, control.ItemTooLarge},
		{"other attributes", map[string]types.AttributeValue{"pk": text("tbl/ttl"), "value": &types.AttributeValueMemberB{Value: []byte("x")}, "expires": text("never")}, control.OtherAttributes},
		{"no value", map[string]types.AttributeValue{"pk": text("tbl/empty")}, control.NoBinaryValue},
		{"text value", map[string]types.AttributeValue{"pk": text("tbl/text"), "value": text("x")}, control.NoBinaryValue},
	} {
		t.Run(c.name, func(t *testing.T) {
			virtually(t, "", func(ctx context.Context, l *lake) {
				l.load(records(20, 10))
				l.putRaw(tableV1, c.item)
				l.init()
				m := l.migrator(l.client())
				key := c.item["pk"].(*types.AttributeValueMemberS).Value
				for range 2 { // the second finds it again, once
					r, err := m.Backfill(ctx, migrate.DefaultBackfillOptions())
					if err != nil || r.Progress.State != control.BackfillComplete || r.Problems.Count != 1 {
						t.Fatalf("%+v, %v", r, err)
					}
					if p := r.Problems.Examples[0]; p.Key != key || p.Kind != c.kind {
						t.Errorf("problem %+v, want key %.80q, kind %s", p, key, c.kind)
					}
				}
				if _, err := m.Finalize(ctx, finalizing()); !errors.Is(err, migrate.ErrRefused) || !strings.Contains(err.Error(), "problem") {
					t.Errorf("finalize: %v, want a refusal for the problem", err)
				}
				if v, err := m.Verify(ctx, migrate.DefaultVerifyOptions()); err != nil || v.Total() != 1 || v.Differences[migrate.DiffUnmigratable] != 1 {
					t.Errorf("verify: %+v, %v, want one unmigratable item", v, err)
				}
				if r, err := m.Repair(ctx, migrate.DefaultRepairOptions()); err != nil || r.Healed != 0 || r.Problems.Count != 1 {
					t.Errorf("repair: %+v, %v, want that it cannot help", r, err)
				}
				if len(key) < 1000 {
					l.set(tableV1, key, "short")
				} else {
					l.remove(tableV1, key)
				}
				r, err := m.Backfill(ctx, migrate.DefaultBackfillOptions())
				if err != nil || r.Problems.Count != 0 {
					t.Fatalf("after it was changed: %+v, %v", r, err)
				}
				if diff := cmp.Diff(l.contents(tableV1), l.contents(tableV2)); diff != "" {
					t.Error(diff)
				}
				if _, err := m.Finalize(ctx, finalizing()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestBackfillVoided: a v1-only node that registers after the backfill has begun
// voids it, also when its record is gone by then
// (docs/spec/metadata-store.md §4).
func TestBackfillVoided(t *testing.T) {
	for _, c := range []struct {
		name   string
		appear func(l *lake)
	}{
		{"and stays", func(l *lake) { l.node("old", control.ModeV1) }},
		{"and is restarted in mode dual", func(l *lake) { l.void("old") }},
		{"and its record is removed", func(l *lake) {
			_ = l.node("old", control.ModeV1).Close(l.quiet())
			if err := remove(l.quiet(), l.records(), "old"); err != nil {
				l.t.Fatal(err)
			}
		}},
	} {
		for _, during := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, during %v", c.name, during), func(t *testing.T) {
				virtually(t, "", func(ctx context.Context, l *lake) {
					l.load(records(30, 10))
					l.init()
					m := l.migrator(l.client())
					o := migrate.DefaultBackfillOptions()
					o.PageSize = 10
					if during {
						l.between("Scan", 2, func() { c.appear(l) })
						if _, err := m.Backfill(ctx, o); !errors.Is(err, migrate.ErrRefused) || !strings.Contains(err.Error(), `"old"`) {
							t.Fatalf("%v, want a refusal that names the node", err)
						}
					} else {
						if _, err := m.Backfill(ctx, o); err != nil {
							t.Fatal(err)
						}
						c.appear(l)
					}
					first, err := l.records().Backfill(l.quiet())
					if err != nil || first.State != control.BackfillVoided || first.VoidedBy != "old" {
						t.Fatalf("%+v, %v", first, err)
					}
					if _, err := m.Finalize(ctx, finalizing()); !errors.Is(err, migrate.ErrRefused) {
						t.Errorf("finalize: %v, want a refusal", err)
					}
					if strings.Contains(c.name, "stays") {
						if _, err := m.Backfill(ctx, o); !errors.Is(err, migrate.ErrRefused) {
							t.Errorf("beside a v1-only node: %v, want a refusal", err)
						}
						l.node("old", control.ModeDual)
					}
					r, err := m.Backfill(ctx, o)
					if err != nil || r.Progress.State != control.BackfillComplete || r.Progress.Run == first.Run || r.Progress.Scanned != 30 {
						t.Errorf("again: %+v, %v", r, err)
					}
				})
			})
		}
	}
}

// TestBackfillSeesNode: a v1-only node that registers while a run begins either
// finds the run or is found by it.
func TestBackfillSeesNode(t *testing.T) {
	virtually(t, "", func(ctx context.Context, l *lake) {
		l.load(records(10, 10))
		l.init()
		// A record that appears behind the back of everybody just before the run's.
		l.between("PutItem", 1, func() { l.appear("old") })
		if _, err := l.migrator(l.client()).Backfill(ctx, migrate.DefaultBackfillOptions()); !errors.Is(err, migrate.ErrRefused) {
			t.Errorf("%v, want a refusal", err)
		}
		if b, err := l.records().Backfill(l.quiet()); err != nil || b.State != control.BackfillVoided {
			t.Errorf("%+v, %v, want a voided run", b, err)
		}
	})
}

// appear writes the record of a v1-only node as one that has not come to void the
// backfill yet.
func (l *lake) appear(node string) {
	l.t.Helper()
	l.putRaw(tableV2, map[string]types.AttributeValue{
		"bucket": text("control"), "pk": text("peer/" + node),
		"value": &types.AttributeValueMemberB{Value: fmt.Appendf(nil,
			`{"node":%q,"incarnation":"1","mode":"v1","markerObserved":false,"heartbeat":"2030-01-01T00:00:00Z"}`, node)},
	})
}

// odd answers scans as DynamoDB may: pages without items that have a last key, and
// an empty map instead of none at the end.
type odd struct {
	migrate.Client
	scans int
}

func (o *odd) Scan(ctx context.Context, in *dynamodb.ScanInput, opts ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	o.scans++
	if o.scans%2 == 0 && len(in.ExclusiveStartKey) > 0 {
		return &dynamodb.ScanOutput{LastEvaluatedKey: in.ExclusiveStartKey}, nil
	}
	small := *in
	small.Limit = aws.Int32(min(*in.Limit, 10)) // as if the items were large
	out, err := o.Client.Scan(ctx, &small, opts...)
	if err == nil && len(out.LastEvaluatedKey) == 0 {
		out.LastEvaluatedKey = map[string]types.AttributeValue{}
	}
	return out, err
}

// TestPages: only the absence of a last key ends a scan, and an empty map is none
// (hazard 7).
func TestPages(t *testing.T) {
	for _, n := range []int{0, 1, 9, 10, 11, 30} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			virtually(t, "", func(ctx context.Context, l *lake) {
				items := records(n, 10)
				l.load(items)
				l.init()
				m := l.migrator(&odd{Client: l.client()})
				o := migrate.DefaultBackfillOptions()
				o.PageSize = 10
				r, err := m.Backfill(ctx, o)
				if err != nil || r.Progress.State != control.BackfillComplete || r.Progress.Scanned != int64(n) {
					t.Fatalf("%+v, %v", r, err)
				}
				if diff := cmp.Diff(items, l.contents(tableV2)); diff != "" {
					t.Error(diff)
				}
				if v, err := m.Verify(ctx, migrate.DefaultVerifyOptions()); err != nil || !v.Equal() || v.V1 != int64(n) || v.V2 != int64(n) {
					t.Errorf("%+v, %v", v, err)
				}
			})
		})
	}
}

// TestOddKeys: keys that layouts could confuse (hazard 12) are copied, and
// missed when they are not there.
func TestOddKeys(t *testing.T) {
	long := "tbl/" + strings.Repeat("ü", 505) // 1,014 bytes
	keys := []string{
		"tbl", "tbl/a", "tbl2/a", "root", "root/x", "/x", "//", "a#b/c", "a#00/c", "control", "control/x", "control#00/x",
		"tbl/\U0001F600", long + "0123456789", long + "012345678", long + "x", "peer/x", "barrier", "tbl/ ",
	}
	virtually(t, "", func(ctx context.Context, l *lake) {
		items := map[string]string{}
		for i, key := range keys {
			items[key] = fmt.Sprint(i)
		}
		l.load(items)
		l.init()
		m := l.migrator(l.client())
		r, err := m.Backfill(ctx, migrate.DefaultBackfillOptions())
		if err != nil || r.Problems.Count != 0 || r.Progress.Created != int64(len(keys)) {
			t.Fatalf("%+v, %v", r, err)
		}
		if diff := cmp.Diff(items, l.contents(tableV2)); diff != "" {
			t.Error(diff)
		}
		for _, key := range keys {
			for table, kind := range map[string]migrate.DifferenceKind{tableV1: migrate.DiffOrphan, tableV2: migrate.DiffMissing} {
				l.remove(table, key)
				v, err := m.Verify(ctx, migrate.DefaultVerifyOptions())
				if err != nil || v.Total() != 1 || len(v.Examples[kind]) != 1 || v.Examples[kind][0] != key {
					t.Errorf("without %q in %s: %+v, %v", key, table, v, err)
				}
				l.set(table, key, items[key])
			}
		}
	})
}

// TestBackfillTogether: two processes and several workers at once end as one does.
func TestBackfillTogether(t *testing.T) {
	for seed := range uint64(20) {
		_, err := task.Run(t.Context(), task.VirtualConfig{Seed: seed, Policy: task.Random{}}, func(ctx context.Context) error {
			l := newLake(ctx, t, contentious(), "")
			items := records(150, 10)
			l.load(items)
			l.init()
			group := task.NewGroup(ctx, 0)
			for range 2 {
				m := l.migrator(l.client())
				o := migrate.DefaultBackfillOptions()
				o.PageSize, o.Batch, o.Workers = 40, 7, 3
				group.Go("backfill", func(ctx context.Context) error {
					r, err := m.Backfill(ctx, o)
					if err == nil && (r.Progress.State != control.BackfillComplete || r.Problems.Count != 0) {
						err = fmt.Errorf("ended as %+v", r)
					}
					return err
				})
			}
			if err := group.Wait(); err != nil {
				t.Errorf("seed %d: %v", seed, err)
			}
			if diff := cmp.Diff(items, l.contents(tableV2)); diff != "" {
				t.Errorf("seed %d: %s", seed, diff)
			}
			return nil
		})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}

// TestBackfillUnderThrottling: a transaction refused for load over and over is
// divided, and what still fails can be tried again from where it was.
func TestBackfillUnderThrottling(t *testing.T) {
	for _, effect := range []string{"throttle action", "conflict", "error-after", "timeout 1s lands 3s", "error-before reset"} {
		t.Run(effect, func(t *testing.T) {
			virtually(t, "on dynamodb TransactWriteItems cause backfill nth 1..80 : "+effect, func(ctx context.Context, l *lake) {
				items := records(120, 10)
				l.load(items)
				l.init()
				o := migrate.DefaultBackfillOptions()
				o.PageSize = 50
				for try := range 30 {
					r, err := l.migrator(l.client()).Backfill(ctx, o)
					if err == nil && r.Progress.State == control.BackfillComplete {
						break
					}
					if try == 29 || !errors.Is(err, store.ErrContention) && !errors.Is(err, store.ErrUnknown) {
						t.Fatalf("%+v, %v", r, err)
					}
				}
				if diff := cmp.Diff(items, l.contents(tableV2)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// TestBackfillRate: no more items a second than asked for.
func TestBackfillRate(t *testing.T) {
	virtually(t, "", func(ctx context.Context, l *lake) {
		l.load(records(300, 10))
		l.init()
		o := migrate.DefaultBackfillOptions()
		o.PageSize, o.Batch, o.Rate = 50, 10, 100
		began := task.Now(ctx)
		if _, err := l.migrator(l.client()).Backfill(ctx, o); err != nil {
			t.Fatal(err)
		}
		// The last ten may begin 2.9 seconds after the first.
		if took := task.Since(ctx, began); took < 2900*time.Millisecond || took > 3*time.Second {
			t.Errorf("300 items at 100 a second took %v", took)
		}
	})
}

// TestBackfillOptions: what is out of range is named, and nothing is sent.
func TestBackfillOptions(t *testing.T) {
	virtually(t, "", func(ctx context.Context, l *lake) {
		for what, change := range map[string]func(o *migrate.BackfillOptions){
			"page size 0":     func(o *migrate.BackfillOptions) { o.PageSize = 0 },
			"page size 10001": func(o *migrate.BackfillOptions) { o.PageSize = 10_001 },
			"batch of 50":     func(o *migrate.BackfillOptions) { o.Batch = 50 },
			"0 workers":       func(o *migrate.BackfillOptions) { o.Workers = 0 },
			"rate of NaN":     func(o *migrate.BackfillOptions) { o.Rate = math.NaN() },
			"rate of -1":      func(o *migrate.BackfillOptions) { o.Rate = -1 },
		} {
			o := migrate.DefaultBackfillOptions()
			change(&o)
			_, err := l.migrator(l.client()).Backfill(ctx, o)
			if !errors.Is(err, store.ErrInvalid) || !strings.Contains(err.Error(), what) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if len(l.served) > 0 {
			t.Errorf("sent %v", l.served)
		}
	})
}
