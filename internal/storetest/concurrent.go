package storetest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
)

// testContendedCounter: several tasks count in one key by CAS. Every success
// counts once, whatever the losers saw.
func testContendedCounter(t *testing.T, f Fixture) {
	const tasks, each = 4, 10
	group := task.NewGroup(context.Background(), 0)
	for i := range tasks {
		s := f.Store
		if i%2 == 1 {
			s = f.Peer
		}
		group.Go("counter", func(ctx context.Context) error {
			for range each {
				if err := increment(ctx, s, "tbl/counter"); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	wantValue(t, f.Store, "tbl/counter", []byte(strconv.Itoa(tasks*each)))
}

// increment adds one to the number in key, starting over whenever another task
// was faster.
func increment(ctx context.Context, s store.MetaStore, key string) error {
	for {
		old, err := s.Get(ctx, key)
		expected, n := store.Exactly(old), 0
		switch {
		case errors.Is(err, store.ErrNotFound):
			expected = store.Absent()
		case err != nil:
			return err
		default:
			if n, err = strconv.Atoi(string(old)); err != nil {
				return err
			}
		}
		err = s.CAS(ctx, key, expected, []byte(strconv.Itoa(n+1)))
		if !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrContention) {
			return err
		}
	}
}

// testFencedWriters: a writer whose epoch is over must not write any more,
// whatever it had under way when the epoch ended.
func testFencedWriters(t *testing.T, f Fixture) {
	const epochs = 5
	ctx := context.Background()
	put(t, f.Peer, "lease/a", epochValue(0))
	group := task.NewGroup(ctx, 0)
	final := make([]string, epochs)
	for epoch := range epochs {
		group.Go("writer", func(ctx context.Context) error { return fencedWriter(ctx, f.Store, epoch) })
		for wrote := ""; wrote == ""; wrote = epochWrote(t, f.Peer, epoch) {
			if t.Failed() {
				return
			}
		}
		endEpoch(t, f.Peer, epoch)
		final[epoch] = epochWrote(t, f.Peer, epoch)
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	for epoch, want := range final {
		if got := epochWrote(t, f.Peer, epoch); got != want {
			t.Errorf("the writer of epoch %d went on from %q to %q after its end", epoch, want, got)
		}
	}
}

func epochKey(epoch int) string   { return fmt.Sprintf("tbl/epoch-%d", epoch) }
func epochValue(epoch int) []byte { return []byte(strconv.Itoa(epoch)) }

// epochWrote returns what the writer of an epoch wrote last, "" if nothing.
func epochWrote(t *testing.T, s store.MetaStore, epoch int) string {
	value, err := s.Get(context.Background(), epochKey(epoch))
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Errorf("read epoch %d: %v", epoch, err)
	}
	return string(value)
}

// endEpoch moves the lease on; the writer's transactions check it all the time.
func endEpoch(t *testing.T, s store.MetaStore, epoch int) {
	for {
		err := s.CAS(context.Background(), "lease/a", store.Exactly(epochValue(epoch)), epochValue(epoch+1))
		if errors.Is(err, store.ErrContention) {
			continue
		}
		if err != nil {
			t.Errorf("end epoch %d: %v", epoch, err)
		}
		return
	}
}

// mostWrites is more than any writer gets done before its epoch ends.
const mostWrites = 20_000

// fencedWriter counts under the guard of its epoch until that is over.
func fencedWriter(ctx context.Context, s store.MetaStore, epoch int) error {
	guard := store.Guard{Key: "lease/a", Expect: store.Exactly(epochValue(epoch))}
	expected := store.Absent()
	for n := 1; n < mostWrites; {
		next := []byte(strconv.Itoa(n))
		err := s.GuardedMutate(ctx, guard, store.Mutation{Key: epochKey(epoch), Expect: expected, Next: next})
		switch {
		case errors.Is(err, store.ErrGuard):
			return nil
		case errors.Is(err, store.ErrContention):
			continue
		case err != nil:
			return fmt.Errorf("write %d of epoch %d: %w", n, epoch, err)
		}
		expected = store.Exactly(next)
		n++
	}
	return fmt.Errorf("the writer of epoch %d was never stopped", epoch)
}
