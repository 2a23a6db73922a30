package migrate_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/keyspace"
)

// TestVerifyEqual: equal layouts cost the two scans and nothing for any item, and
// the looks at the tables and the layout record before.
func TestVerifyEqual(t *testing.T) {
	virtually(t, "", func(ctx context.Context, l *lake) {
		// About 300 bytes each, so 3 MB or a little more on either side: 3 or 4 pages.
		l.load(records(10_000, 280))
		l.init()
		l.backfillAll()
		v, err := l.migrator(l.client()).Verify(ctx, migrate.DefaultVerifyOptions())
		if err != nil || !v.Equal() || v.V1 != 10_000 || v.V2 != 10_000 || v.Unequal != 0 || v.Err() != nil {
			t.Fatalf("%+v, %v", v, err)
		}
		made := l.requests()
		want := map[string]int{"DescribeTable": 2, "GetItem": 1, "Scan": l.pages(tableV1) + l.pages(tableV2)}
		if diff := cmp.Diff(want, made); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
	})
}

// pages counts the pages of a scan.
func (l *lake) pages(table string) (n int) {
	before := len(l.served)
	ctx := context.WithoutCancel(l.ctx)
	in := scanOf(table)
	for {
		out, err := l.setup.Scan(ctx, in)
		if err != nil {
			l.t.Fatal(err)
		}
		n++
		if len(out.LastEvaluatedKey) == 0 {
			l.served = l.served[:before]
			return n
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// TestVerifyFinds: any differences, of every kind, each exactly once, against what
// two maps say.
func TestVerifyFinds(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			virtually(t, "", func(ctx context.Context, l *lake) {
				rng := rand.New(rand.NewPCG(seed, 0))
				l.init()
				v1, v2 := map[string]string{}, map[string]string{}
				for i := range rng.IntN(400) {
					key := fmt.Sprintf("family-%d/%d", rng.IntN(3), i)
					switch rng.IntN(40) {
					case 0:
						v1[key] = "alone"
					case 1:
						v2[key] = "alone"
					case 2:
						v1[key], v2[key] = "one", "other"
					case 3: // an empty value is not an absent one
						v1[key] = ""
					default:
						v1[key] = fmt.Sprint(rng.Uint64())
						v2[key] = v1[key]
					}
				}
				l.load(v1)
				for key, value := range v2 {
					l.set(tableV2, key, value)
				}
				o := migrate.DefaultVerifyOptions()
				o.Examples = 1000
				v, err := l.migrator(l.client()).Verify(ctx, o)
				if err != nil {
					t.Fatal(err)
				}
				want := map[migrate.DifferenceKind][]string{}
				for _, key := range slices.Sorted(maps.Keys(union(v1, v2))) {
					value1, in1 := v1[key]
					value2, in2 := v2[key]
					switch {
					case !in2:
						want[migrate.DiffMissing] = append(want[migrate.DiffMissing], key)
					case !in1:
						want[migrate.DiffOrphan] = append(want[migrate.DiffOrphan], key)
					case value1 != value2:
						want[migrate.DiffValue] = append(want[migrate.DiffValue], key)
					}
				}
				for kind, keys := range v.Examples {
					slices.Sort(keys)
					if int(v.Differences[kind]) != len(keys) {
						t.Errorf("%d %s, and %d examples", v.Differences[kind], kind, len(keys))
					}
				}
				if diff := cmp.Diff(want, v.Examples); diff != "" {
					t.Errorf("seed %d (-want +got):\n%s", seed, diff)
				}
				if v.Equal() != (len(want) == 0) || (v.Err() == nil) != v.Equal() {
					t.Errorf("equal %v, error %v", v.Equal(), v.Err())
				}
				heals(ctx, t, l, v1)
			})
		})
	}
}

func union(a, b map[string]string) map[string]string {
	u := maps.Clone(a)
	maps.Copy(u, b)
	return u
}

// heals checks that a repair makes v2 what v1 is, and that then nothing differs.
func heals(ctx context.Context, t *testing.T, l *lake, want map[string]string) {
	t.Helper()
	m := l.migrator(l.client())
	if r, err := m.Repair(ctx, migrate.DefaultRepairOptions()); err != nil || r.Healed != r.Found.Total() {
		t.Errorf("repair: %+v, %v", r, err)
	}
	if diff := cmp.Diff(want, l.contents(tableV2)); diff != "" {
		t.Errorf("repaired (-v1 +v2):\n%s", diff)
	}
	if v, err := m.Verify(ctx, migrate.DefaultVerifyOptions()); err != nil || !v.Equal() {
		t.Errorf("after the repair: %+v, %v", v, err)
	}
}

// TestVerifyStrange: records of v2 that no store writes are differences too.
func TestVerifyStrange(t *testing.T) {
	for _, c := range []struct {
		name  string
		plant func(l *lake)
		kind  migrate.DifferenceKind
	}{
		{"in another bucket", func(l *lake) {
			l.remove(tableV2, "tbl/00003")
			l.putRaw(tableV2, map[string]types.AttributeValue{
				"bucket": text("tbl#99"), "pk": text("tbl/00003"), "value": &types.AttributeValueMemberB{Value: []byte(records(5, 10)["tbl/00003"])},
			})
		}, migrate.DiffOrphan},
		{"in another bucket as well", func(l *lake) {
			l.putRaw(tableV2, map[string]types.AttributeValue{"bucket": text("tbl#99"), "pk": text("tbl/00003"), "value": &types.AttributeValueMemberB{Value: []byte{}}})
		}, migrate.DiffOrphan},
		{"not binary", func(l *lake) {
			l.putRaw(tableV2, map[string]types.AttributeValue{"bucket": text(keyspace.Bucket("tbl/00003")), "pk": text("tbl/00003"), "value": text("x")})
		}, migrate.DiffValue},
		{"no value", func(l *lake) { l.putRaw(tableV2, l.keyOf(tableV2, "tbl/00003")) }, migrate.DiffValue},
		{"no value, and not in v1", func(l *lake) { l.putRaw(tableV2, l.keyOf(tableV2, "tbl/none")) }, migrate.DiffOrphan},
		{"another attribute", func(l *lake) {
			it := l.keyOf(tableV2, "tbl/00003")
			it["value"], it["ttl"] = &types.AttributeValueMemberB{Value: []byte(records(5, 10)["tbl/00003"])}, &types.AttributeValueMemberN{Value: "1"}
			l.putRaw(tableV2, it)
		}, migrate.DiffValue},
		{"in another bucket and not binary", func(l *lake) {
			l.putRaw(tableV2, map[string]types.AttributeValue{"bucket": text("tbl#99"), "pk": text("tbl/00003"), "value": text("x")})
		}, migrate.DiffOrphan},
		{"in another bucket and no value", func(l *lake) {
			l.putRaw(tableV2, map[string]types.AttributeValue{"bucket": text("tbl#99"), "pk": text("tbl/00003")})
		}, migrate.DiffOrphan},
	} {
		t.Run(c.name, func(t *testing.T) {
			virtually(t, "", func(ctx context.Context, l *lake) {
				l.load(records(5, 10))
				l.init()
				l.backfillAll()
				c.plant(l)
				m := l.migrator(l.client())
				v, err := m.Verify(ctx, migrate.DefaultVerifyOptions())
				if err != nil || v.Differences[c.kind] != 1 {
					t.Fatalf("%+v, %v", v, err)
				}
				heals(ctx, t, l, l.contents(tableV1))
			})
		})
	}
}

// TestVerifyNoPretence: no value of v1 looks like a record of v2 that readers do not
// find, or do not understand.
func TestVerifyNoPretence(t *testing.T) {
	for name, c := range map[string]struct {
		value string // in v1
		v2    map[string]types.AttributeValue
	}{
		"misplaced": {"\x00in bucket tbl#63", map[string]types.AttributeValue{
			"bucket": text("tbl#63"), "pk": text("tbl/00003"), "value": &types.AttributeValueMemberB{Value: []byte("x")},
		}},
		"misplaced, domain": {"v2: in bucket tbl#63x", map[string]types.AttributeValue{
			"bucket": text("tbl#63"), "pk": text("tbl/00003"), "value": &types.AttributeValueMemberB{Value: []byte("x")},
		}},
		"misplaced, same value": {"x", map[string]types.AttributeValue{
			"bucket": text("tbl#63"), "pk": text("tbl/00003"), "value": &types.AttributeValueMemberB{Value: []byte("x")},
		}},
		"broken": {"\x00malformed record: no attribute \"value\"", map[string]types.AttributeValue{
			"bucket": text(keyspace.Bucket("tbl/00003")), "pk": text("tbl/00003"),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			virtually(t, "", func(ctx context.Context, l *lake) {
				l.load(map[string]string{"tbl/00003": c.value})
				l.init()
				l.putRaw(tableV2, c.v2)
				v, err := l.migrator(l.client()).Verify(ctx, migrate.DefaultVerifyOptions())
				if err != nil || v.Equal() {
					t.Errorf("%+v, %v", v, err)
				}
			})
		})
	}
}

// TestVerifyOtherAttributes: an item of v1 with more attributes is no record of v2
// whose value pretends to be one.
func TestVerifyOtherAttributes(t *testing.T) {
	virtually(t, "", func(ctx context.Context, l *lake) {
		l.init()
		l.putRaw(tableV1, map[string]types.AttributeValue{"pk": text("tbl/a"), "value": &types.AttributeValueMemberB{Value: []byte("x")}, "more": text("y")})
		l.set(tableV2, "tbl/a", "\x00other-attributes")
		v, err := l.migrator(l.client()).Verify(ctx, migrate.DefaultVerifyOptions())
		if err != nil || v.Differences[migrate.DiffUnmigratable] != 1 {
			t.Errorf("%+v, %v", v, err)
		}
	})
}

// TestRepairEach: one record that cannot be healed does not keep the others from it,
// and each that is left is named with its reason and the way out.
func TestRepairEach(t *testing.T) {
	virtually(t, "", func(ctx context.Context, l *lake) {
		l.load(records(5, 10))
		l.init()
		l.backfillAll()
		binary := func(n int) types.AttributeValue { return &types.AttributeValueMemberB{Value: make([]byte, n)} }
		long := "tbl/" + strings.Repeat("k", 1100)
		l.putRaw(tableV1, map[string]types.AttributeValue{"pk": text(long), "value": binary(1)})
		l.putRaw(tableV1, map[string]types.AttributeValue{"pk": text("tbl/large"), "value": binary(400*1024 - 20)})
		l.putRaw(tableV1, map[string]types.AttributeValue{"pk": text("tbl/text"), "value": text("x")})
		l.putRaw(tableV1, map[string]types.AttributeValue{"pk": text("tbl/more"), "value": binary(1), "more": text("x")})
		l.set(tableV2, "tbl/more", "old")
		l.putRaw(tableV2, l.keyOf(tableV2, "tbl/00000"))
		l.putRaw(tableV2, map[string]types.AttributeValue{"bucket": text("tbl#99"), "pk": text("tbl/00001")})
		l.remove(tableV2, "tbl/00002")
		l.set(tableV2, "tbl/00003", "another")
		r, err := l.migrator(l.client()).Repair(ctx, migrate.DefaultRepairOptions())
		if err != nil || r.Healed != 4 || r.Err() == nil {
			t.Fatalf("%+v, %v", r, err)
		}
		left := map[string]bool{}
		for _, u := range r.Left {
			left[u.Key] = u.What != "" && strings.Contains(u.Do, "--table-name lake")
		}
		if diff := cmp.Diff(map[string]bool{long: true, "tbl/large": true, "tbl/text": true, "tbl/more": true}, left); diff != "" {
			t.Errorf("left (-want +got):\n%s", diff)
		}
		// The way out.
		for key := range left {
			l.remove(tableV1, key)
		}
		heals(ctx, t, l, records(5, 10))
	})
}

// TestVerifyUnderWriters: what a dual node changes between the two scans of a key
// is no difference.
func TestVerifyUnderWriters(t *testing.T) {
	for n := 1; n <= 4; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			virtually(t, "", func(ctx context.Context, l *lake) {
				l.load(records(50, 10))
				l.init()
				l.backfillAll()
				a := l.node("a", control.ModeDual)
				l.between("Scan", n, func() {
					for i := range 50 {
						key := fmt.Sprintf("tbl/%05d", i)
						if i%2 == 0 {
							if err := a.Delete(l.quiet(), key, []byte(records(50, 10)[key])); err != nil {
								t.Fatal(err)
							}
							key += ".new"
						}
						expected := store.Absent()
						if i%2 != 0 {
							expected = store.Exactly([]byte(records(50, 10)[key]))
						}
						if err := a.CAS(l.quiet(), key, expected, []byte("new")); err != nil {
							t.Fatal(err)
						}
					}
				})
				v, err := l.migrator(l.client()).Verify(ctx, migrate.DefaultVerifyOptions())
				if err != nil || !v.Equal() {
					t.Errorf("%+v, %v", v, err)
				}
			})
		})
	}
}

// TestRepairRaces: a fix checks v1, v2 and the barrier once more.
func TestRepairRaces(t *testing.T) {
	for _, c := range []struct {
		name    string
		change  func(l *lake)
		refused bool
	}{
		{"v1 changes", func(l *lake) { l.set(tableV1, "tbl/00003", "newer") }, false},
		{"v1 goes", func(l *lake) { l.remove(tableV1, "tbl/00003") }, false},
		{"v2 changes", func(l *lake) { l.set(tableV2, "tbl/00003", "another") }, false},
		{"v2 becomes right", func(l *lake) { l.set(tableV2, "tbl/00003", records(5, 10)["tbl/00003"]) }, false},
		{"the barrier comes", func(l *lake) { l.barrier() }, true},
	} {
		for _, kind := range []migrate.DifferenceKind{migrate.DiffMissing, migrate.DiffValue} {
			t.Run(fmt.Sprintf("%s, %s", c.name, kind), func(t *testing.T) {
				virtually(t, "", func(ctx context.Context, l *lake) {
					l.load(records(5, 10))
					l.init()
					l.backfillAll()
					l.remove(tableV2, "tbl/00003")
					if kind == migrate.DiffValue {
						l.set(tableV2, "tbl/00003", "wrong")
					}
					before := l.contents(tableV2)
					l.between("TransactGetItems", 1, func() { c.change(l) })
					_, err := l.migrator(l.client()).Repair(ctx, migrate.DefaultRepairOptions())
					if (err != nil) != c.refused {
						t.Fatalf("%v", err)
					}
					want := l.contents(tableV1)
					if c.refused {
						want = before
					}
					if diff := cmp.Diff(want, l.contents(tableV2)); diff != "" {
						t.Error(diff)
					}
				})
			})
		}
	}
}

// TestRepairOrphanRaces: what v1 gains meanwhile is no orphan any more.
func TestRepairOrphanRaces(t *testing.T) {
	virtually(t, "", func(ctx context.Context, l *lake) {
		l.load(records(5, 10))
		l.init()
		l.backfillAll()
		l.set(tableV2, "tbl/orphan", "same")
		l.between("TransactGetItems", 1, func() { l.set(tableV1, "tbl/orphan", "same") })
		r, err := l.migrator(l.client()).Repair(ctx, migrate.DefaultRepairOptions())
		if err != nil || len(r.Left) != 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		if diff := cmp.Diff(l.contents(tableV1), l.contents(tableV2)); diff != "" {
			t.Errorf("(-v1 +v2):\n%s", diff)
		}
	})
}
