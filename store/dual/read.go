package dual

import (
	"context"
	"fmt"
	"iter"

	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/keyspace"
)

// Get implements store.MetaStore.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	if err := s.serving(); err != nil {
		return nil, store.Failed("get", s.cfg.Table, key, err)
	}
	mode := s.Mode()
	if mode.ReadsV2() {
		return s.v2.Get(ctx, key)
	}
	if mode == control.ModeDual {
		if err := store.CheckKey(key, keyspace.MaxKeyBytes); err != nil {
			return nil, err
		}
	}
	return s.v1.Get(ctx, key)
}

// Page implements store.MetaStore: one request, and in mode dual one more before
// the first page of a drain, which reads the completion marker.
func (s *Store) Page(ctx context.Context, prefix string, limit int, cursor string) (store.Page, error) {
	if err := s.checkPrefix(prefix); err != nil {
		return store.Page{}, err
	}
	if err := store.CheckPageLimit(limit); err != nil {
		return store.Page{}, err
	}
	from, err := s.at(ctx, cursor)
	if err != nil {
		return store.Page{}, store.Failed("list", s.cfg.Table, prefix, err)
	}
	return from.Page(ctx, prefix, limit, cursor)
}

// List implements store.MetaStore.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[store.Entry, error] {
	return s.drain(ctx, prefix, s.checkPrefix(prefix), func(from store.MetaStore) iter.Seq2[store.Entry, error] {
		return from.List(ctx, prefix)
	})
}

// ListFamily implements store.MetaStore.
func (s *Store) ListFamily(ctx context.Context, family string) iter.Seq2[store.Entry, error] {
	return s.drain(ctx, family, store.CheckFamily(family), func(from store.MetaStore) iter.Seq2[store.Entry, error] {
		return from.ListFamily(ctx, family)
	})
}

// drain reads a whole selection from the layout that the node reads when the drain
// begins.
func (s *Store) drain(ctx context.Context, name string, invalid error, read func(store.MetaStore) iter.Seq2[store.Entry, error]) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if invalid != nil {
			yield(store.Entry{}, invalid)
			return
		}
		from, err := s.begin(ctx)
		if err != nil {
			yield(store.Entry{}, store.Failed("list", s.cfg.Table, name, err))
			return
		}
		for e, err := range read(from) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// checkPrefix refuses prefixes that v2 could not read, from the first day of dual
// on, so that nothing changes for callers at the switch
// (docs/spec/metadata-store.md §3).
func (s *Store) checkPrefix(prefix string) error {
	if s.Mode() == control.ModeV1 {
		return nil
	}
	if err := store.CheckPrefix(prefix, keyspace.MaxKeyBytes); err != nil {
		return err
	}
	_, err := store.FamilyOfPrefix(prefix)
	return err
}

// begin returns the layout on which a drain that begins now reads. A dual node
// looks for the marker first, so that no drain that begins after the marker reads
// v1, and a node that never writes learns of it.
func (s *Store) begin(ctx context.Context) (store.MetaStore, error) {
	if err := s.serving(); err != nil {
		return nil, err
	}
	if s.Mode() == control.ModeDual {
		if _, err := s.look(ctx); err != nil {
			return nil, fmt.Errorf("completion marker: %w", err)
		}
	}
	if s.Mode().ReadsV2() {
		return s.v2, nil
	}
	return s.v1, nil
}

// at returns the layout on which the drain at cursor reads: that on which it
// began. A dual node that is shown a cursor of v2 looks for the marker.
func (s *Store) at(ctx context.Context, cursor string) (store.MetaStore, error) {
	if cursor == "" {
		return s.begin(ctx)
	}
	if err := s.serving(); err != nil {
		return nil, err
	}
	c, err := store.ParseCursor(cursor)
	if err != nil {
		return nil, err
	}
	if c.Layout == store.V1 && s.v1 != nil {
		return s.v1, nil
	}
	return s.begin(ctx)
}
