package disk_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/disk"
)

const format = "test 1"

func open(t testing.TB, dir string) *disk.Store {
	t.Helper()
	s, err := disk.Open(dir, format)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closed(t testing.TB, s *disk.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// entries returns what is in a bucket.
func entries(t testing.TB, s *disk.Store, bucket string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := s.Each(bucket, func(key, value []byte) error {
		found[string(key)] = string(value)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// After random changes, in groups and over several lives, a directory holds what maps
// in memory hold.
func TestDirectoryIsMaps(t *testing.T) {
	const seed, histories, lives, changes = 2, 10, 3, 40
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	buckets := []string{"a", "b", "c"}
	for range histories {
		dir := t.TempDir()
		model := map[string]map[string]string{}
		for range lives {
			s := open(t, dir)
			for _, bucket := range buckets {
				if got := entries(t, s, bucket); !maps.Equal(got, model[bucket]) {
					t.Fatalf("bucket %s holds %q, want %q", bucket, got, model[bucket])
				}
			}
			for range changes {
				s.Append(change(rng, buckets[rng.IntN(len(buckets))], model))
				if rng.IntN(10) == 0 {
					if err := s.Sync(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
			}
			closed(t, s)
		}
	}
}

// change returns a random change to a bucket, which it makes in the model as well.
func change(rng *rand.Rand, bucket string, model map[string]map[string]string) disk.Change {
	key := fmt.Sprint(rng.IntN(20))
	switch rng.IntN(10) {
	case 0, 1, 2:
		if model[bucket] == nil {
			model[bucket] = map[string]string{}
		}
		return disk.Create(bucket)
	case 3:
		delete(model, bucket)
		return disk.Drop(bucket)
	case 4, 5:
		delete(model[bucket], key)
		return disk.Delete(bucket, key)
	default:
		value := strings.Repeat(fmt.Sprint(rng.Int()), rng.IntN(500)) // over a page, and empty
		if model[bucket] != nil {
			model[bucket][key] = value
		}
		return disk.Put(bucket, key, value)
	}
}

// Many callers append at the same time and wait for what they appended. What a Sync
// has returned for is committed, and changes appended together are seen together.
func TestSyncedIsCommitted(t *testing.T) {
	const writers, each = 16, 20
	dir := t.TempDir()
	s := open(t, dir)
	s.Append(disk.Create("b"))
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				key := fmt.Sprintf("%d-%d", w, i)
				s.Append(disk.Put("b", "left "+key, ""), disk.Put("b", "right "+key, ""))
				if err := s.Sync(t.Context()); err != nil {
					t.Error(err)
				}
				found := entries(t, s, "b")
				if _, ok := found["left "+key]; !ok {
					t.Errorf("%s was acknowledged and is not committed", key)
				}
				for name := range found {
					if side, rest, _ := strings.Cut(name, " "); side == "left" {
						if _, ok := found["right "+rest]; !ok {
							t.Errorf("half of %s is committed", rest)
						}
					}
				}
			}
		})
	}
	wg.Wait()
	closed(t, s)
	s = open(t, dir)
	if n := len(entries(t, s, "b")); n != 2*writers*each {
		t.Errorf("found %d entries, want %d", n, 2*writers*each)
	}
	closed(t, s)
}

func TestClosedStoreTakesNothing(t *testing.T) {
	s := open(t, t.TempDir())
	closed(t, s)
	s.Append(disk.Create("b"))
	if err := s.Sync(t.Context()); !errors.Is(err, disk.ErrClosed) {
		t.Errorf("error %v, want %v", err, disk.ErrClosed)
	}
}
