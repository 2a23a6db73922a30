package catalog_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/catalog"
)

var errBroken = errors.New("connection broke")

// script is a lister whose listings take a second an entry and end as it says.
type script struct {
	entries []store.Entry
	err     error
}

func (s *script) List(ctx context.Context, prefix string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for _, e := range s.entries {
			if err := task.Sleep(ctx, time.Second); err != nil {
				yield(store.Entry{}, err)
				return
			}
			if !yield(store.Entry{Key: prefix + e.Key, Value: e.Value}, nil) {
				return
			}
		}
		if s.err != nil {
			yield(store.Entry{}, s.err)
		}
	}
}

func entries(pairs ...string) []store.Entry {
	var list []store.Entry
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, store.Entry{Key: pairs[i], Value: []byte(pairs[i+1])})
	}
	return list
}

// wantView checks the listing and its age, in seconds.
func wantView(t *testing.T, c *catalog.Catalog, want map[string]string, age, failed int) {
	t.Helper()
	view, err := c.View(context.Background())
	if err != nil {
		t.Fatalf("View: %v", err)
	}
	got := make(map[string]string)
	for k, v := range view.Entries {
		got[k] = string(v)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("view (-want +got):\n%s", diff)
	}
	if view.Age != time.Duration(age)*time.Second || view.Failed != failed {
		t.Errorf("age %v after %d failures, want %d s after %d", view.Age, view.Failed, age, failed)
	}
	if (view.Err != nil) != (failed > 0) {
		t.Errorf("after %d failures the view's error is %v", failed, view.Err)
	}
}

func TestLastGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, lister := context.Background(), &script{}
		c := catalog.New(lister, "tbl/")
		if _, err := c.View(ctx); !errors.Is(err, catalog.ErrEmpty) {
			t.Errorf("before any refresh: %v, want ErrEmpty", err)
		}
		lister.err = errBroken
		if err := c.Refresh(ctx); !errors.Is(err, errBroken) {
			t.Errorf("failing refresh: %v", err)
		}
		if _, err := c.View(ctx); !errors.Is(err, catalog.ErrEmpty) || !errors.Is(err, errBroken) {
			t.Errorf("after a failed refresh: %v, want ErrEmpty because of it", err)
		}

		*lister = script{entries: entries("a", "1", "b", "2")}
		if err := c.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
		first := map[string]string{"tbl/a": "1", "tbl/b": "2"}
		wantView(t, c, first, 2, 0) // the age counts from the beginning

		// Half a listing is no listing.
		*lister = script{entries: entries("a", "9", "c", "3"), err: errBroken}
		for i := range 2 {
			if err := c.Refresh(ctx); !errors.Is(err, errBroken) {
				t.Errorf("failing refresh: %v", err)
			}
			wantView(t, c, first, 4+2*i, 1+i)
		}

		*lister = script{entries: entries("c", "3")}
		if err := c.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
		wantView(t, c, map[string]string{"tbl/c": "3"}, 1, 0)

		// A catalog may be complete and empty.
		*lister = script{}
		if err := c.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
		wantView(t, c, map[string]string{}, 0, 0)
	})
}

// TestServesWhileRefreshing: readers do not wait for a refresh, and refreshes wait
// for each other.
func TestServesWhileRefreshing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, lister := context.Background(), &script{entries: entries("a", "1")}
		c := catalog.New(lister, "tbl/")
		if err := c.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
		group := task.NewGroup(ctx, 0)
		for range 2 {
			group.Go("refresh", c.Refresh)
		}
		synctest.Wait()
		wantView(t, c, map[string]string{"tbl/a": "1"}, 1, 0)
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
		wantView(t, c, map[string]string{"tbl/a": "1"}, 1, 0)
		began := time.Now()
		if err := c.Refresh(ctx); err != nil || time.Since(began) != time.Second {
			t.Errorf("a refresh took %v, %v; want 1 s", time.Since(began), err)
		}

		ended, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		if err := c.Refresh(ended); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("refresh under a deadline: %v", err)
		}
		view, err := c.View(ctx)
		if err != nil || len(view.Entries) != 1 || view.Failed != 1 {
			t.Errorf("after it: %d entries, %d failed, %v", len(view.Entries), view.Failed, err)
		}
	})
}
