package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/lakebench/lakebench/store"
)

// bystanders are records that no listing of "tbl/" may return.
func bystanders(n int) []string {
	keys := []string{"tbl", "tbl2/a", "tb/a", "root/tbl"}
	for i := range n {
		keys = append(keys, fmt.Sprintf("append-operation/%03d", i), fmt.Sprintf("lease/%03d", i))
	}
	return keys
}

func tables(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("tbl/%03d", i)
	}
	return keys
}

// pages drains Page by hand. Before each page but the first it calls between.
func pages(t *testing.T, s store.MetaStore, prefix string, limit int, between func(page int, p store.Page)) func(yield func(store.Entry, error) bool) {
	t.Helper()
	return func(yield func(store.Entry, error) bool) {
		cursor := ""
		for n := 0; ; n++ {
			if n > 100_000 {
				yield(store.Entry{}, errors.New("the drain does not end"))
				return
			}
			p, err := s.Page(context.Background(), prefix, limit, cursor)
			if err != nil {
				yield(store.Entry{}, err)
				return
			}
			if limit > 0 && len(p.Entries) > limit {
				t.Errorf("Page(%q, %d) returned %d entries", prefix, limit, len(p.Entries))
			}
			for _, e := range p.Entries {
				if !yield(e, nil) {
					return
				}
			}
			if p.Cursor == "" {
				return
			}
			between(n, p)
			cursor = p.Cursor
		}
	}
}

// testPages drains with every interesting limit, past bystanders that make pages
// empty.
func testPages(t *testing.T, f Fixture) {
	create(t, f.Store, bystanders(20)...)
	create(t, f.Store, tables(30)...)
	for _, limit := range []int{0, 1, 2, 3, 7, 29, 30, 31, 73, 74, 75, 1000} {
		what := fmt.Sprintf("pages of %d", limit)
		wantListing(t, what, pages(t, f.Store, "tbl/", limit, func(int, store.Page) {}), named(tables(30)...))
	}
	wantListing(t, "List", f.Store.List(context.Background(), "tbl/"), named(tables(30)...))
	wantListing(t, "a whole key as prefix", f.Store.List(context.Background(), "tbl/007"), named("tbl/007"))

	// A cursor may be used twice, and by another node.
	first, err := f.Store.Page(context.Background(), "tbl/", 5, "")
	if err != nil || first.Cursor == "" {
		t.Fatalf("first page of 5: cursor %q, %v", first.Cursor, err)
	}
	for _, s := range []store.MetaStore{f.Store, f.Peer} {
		again, err := s.Page(context.Background(), "tbl/", 5, first.Cursor)
		other, err2 := f.Store.Page(context.Background(), "tbl/", 5, first.Cursor)
		if err != nil || err2 != nil || fmt.Sprint(again) != fmt.Sprint(other) {
			t.Errorf("one cursor, two pages: %v (%v) and %v (%v)", again, err, other, err2)
		}
	}
}

// testPageOfNothing: tables without any record, or any under the prefix.
func testPageOfNothing(t *testing.T, f Fixture) {
	for _, limit := range []int{0, 1, 10} {
		wantListing(t, "empty table", pages(t, f.Store, "tbl/", limit, func(int, store.Page) {}), named())
	}
	wantListing(t, "family of an empty table", f.Store.ListFamily(context.Background(), "root"), named())
	create(t, f.Store, bystanders(10)...)
	for _, limit := range []int{0, 1, 10} {
		wantListing(t, "nothing under the prefix", pages(t, f.Store, "tbl/", limit, func(int, store.Page) {}), named())
	}
}

// testPagesUnderChange: records that stay for the whole drain come exactly once,
// while others come and go, the last one returned included.
func testPagesUnderChange(t *testing.T, f Fixture) {
	ctx := context.Background()
	create(t, f.Store, bystanders(10)...)
	for _, limit := range []int{1, 3, 8} {
		stable := make(map[string]bool)
		for _, key := range tables(40) {
			put(t, f.Peer, key, []byte(key))
			stable[key] = true
		}
		between := func(n int, p store.Page) {
			if n < 20 {
				put(t, f.Peer, fmt.Sprintf("tbl/new-%d-%d", limit, n), nil)
			}
			if len(p.Entries) == 0 || n%2 == 1 {
				return
			}
			gone := p.Entries[len(p.Entries)-1]
			if err := f.Peer.Delete(ctx, gone.Key, gone.Value); err != nil {
				t.Errorf("delete %q: %v", gone.Key, err)
			}
		}
		seen := make(map[string]int)
		for e, err := range pages(t, f.Store, "tbl/", limit, between) {
			if err != nil {
				t.Fatalf("pages of %d: %v", limit, err)
			}
			seen[e.Key]++
		}
		for key := range stable {
			if seen[key] != 1 {
				t.Errorf("pages of %d: %q came %d times", limit, key, seen[key])
			}
		}
	}
}

// testCursors: what is not a cursor of this very drain is refused.
func testCursors(t *testing.T, f Fixture) {
	ctx, s := context.Background(), f.Store
	create(t, s, tables(40)...)
	create(t, s, "lease/1", "lease/2", "tbl/00")
	page, err := s.Page(ctx, "tbl/", 3, "")
	if err != nil || page.Cursor == "" {
		t.Fatalf("first page: cursor %q, %v", page.Cursor, err)
	}
	bad := func(what, prefix, cursor string) {
		t.Helper()
		p, err := s.Page(ctx, prefix, 3, cursor)
		wantError(t, what, err, store.ErrBadCursor)
		if len(p.Entries) > 0 || p.Cursor != "" {
			t.Errorf("%s: returned a page", what)
		}
	}
	bad("another prefix", "lease/", page.Cursor)
	bad("a shorter prefix", "tbl/0", page.Cursor)
	bad("a longer prefix", "tbl/00", page.Cursor)
	bad("no cursor at all", "tbl/", "tbl/000")
	bad("a key", "tbl/", page.Entries[0].Key)
	for i := range page.Cursor {
		if i > 0 { // nothing at all is the start
			bad(fmt.Sprintf("cut at %d", i), "tbl/", page.Cursor[:i])
		}
		damaged := []byte(page.Cursor)
		if damaged[i]++; damaged[i] > 'z' {
			damaged[i] = '0'
		}
		bad(fmt.Sprintf("damaged at %d", i), "tbl/", string(damaged))
	}
	bad("with more behind it", "tbl/", page.Cursor+"AAAA")
	for _, layout := range []store.Layout{0, store.V1, store.V2, 9} {
		foreign := store.Cursor{Layout: layout, Scope: store.PrefixScope("another-table", "tbl/"), Last: page.Entries[0].Key}
		bad(fmt.Sprintf("of another table, layout %v", layout), "tbl/", foreign.Token())
	}
}

// testEarlyStop: a caller may stop, and ask again.
func testEarlyStop(t *testing.T, f Fixture) {
	ctx := context.Background()
	create(t, f.Store, tables(20)...)
	for stop := range 5 {
		n := 0
		for _, err := range f.Store.List(ctx, "tbl/") {
			if err != nil {
				t.Fatalf("List: %v", err)
			}
			if n++; n > stop {
				break
			}
		}
	}
	seq := f.Store.List(ctx, "tbl/")
	wantListing(t, "first use", seq, named(tables(20)...))
	wantListing(t, "second use", seq, named(tables(20)...))
}

// testEndedContext: nothing is sent for a caller who has gone.
func testEndedContext(t *testing.T, f Fixture) {
	create(t, f.Store, "tbl/a")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := f.Store.Get(ctx, "tbl/a")
	wantError(t, "Get", err, context.Canceled)
	wantError(t, "CAS", f.Store.CAS(ctx, "tbl/b", store.Absent(), nil), context.Canceled)
	wantError(t, "Delete", f.Store.Delete(ctx, "tbl/a", []byte("tbl/a")), context.Canceled)
	wantError(t, "GuardedMutate", f.Store.GuardedMutate(ctx, store.Guard{Key: "lease/a"}, store.Mutation{Key: "tbl/b"}), context.Canceled)
	_, err = f.Store.Page(ctx, "tbl/", 0, "")
	wantError(t, "Page", err, context.Canceled)
	ended := 0
	for _, err := range f.Store.List(ctx, "tbl/") {
		wantError(t, "List", err, context.Canceled)
		ended++
	}
	if ended != 1 {
		t.Errorf("List under an ended context yielded %d times, want its error once", ended)
	}
	wantAbsent(t, f.Store, "tbl/b")
	wantValue(t, f.Store, "tbl/a", []byte("tbl/a"))
}
