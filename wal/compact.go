package wal

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/lakebench/lakebench/manifest"
)

// A Compaction is what a pass has done.
type Compaction struct {
	// Generations is how many were taken out of the shard, Rows how many rows were
	// added to the base table.
	Generations, Rows int
}

// Compact merges all L0 generations into the base table, in ascending order, and
// then takes them out of the manifest (docs/facts/memwal.md §2.9). Which generations of
// the shard the base table has is committed with their rows, so a pass that ended
// in between is finished by the next one.
//
// The manifest is read as a node would that shares the writer's handle: is it due,
// the plan, the commit itself, a look at the result, and what may be collected.
// That makes five, which is an assumption: the node is closed (docs/facts/memwal.md §3).
func (w *Writer) Compact(ctx context.Context) (Compaction, error) {
	if err := w.flushing.Lock(ctx); err != nil {
		return Compaction{}, err
	}
	defer w.flushing.Unlock()
	due, err := w.Manifest(ctx)
	if err != nil || len(due.Generations) == 0 {
		return Compaction{}, err
	}
	plan, err := w.Manifest(ctx)
	if err != nil {
		return Compaction{}, err
	}
	done, last, err := w.merge(ctx, plan)
	if err != nil {
		return Compaction{}, err
	}
	if _, err := w.store.CommitUpdate(ctx, w.epoch, func(tip manifest.Manifest) (manifest.Manifest, error) {
		next := tip.Next()
		next.Generations = slices.DeleteFunc(next.Generations, func(g manifest.Generation) bool { return g.Number <= last })
		return next, nil
	}); err != nil {
		return Compaction{}, err
	}
	result, err := w.Manifest(ctx)
	if err != nil {
		return Compaction{}, err
	}
	if slices.ContainsFunc(result.Generations, func(g manifest.Generation) bool { return g.Number <= last }) {
		return Compaction{}, fmt.Errorf("generation %d was compacted, and version %d still lists it", last, result.Version)
	}
	collectable, err := w.Manifest(ctx)
	if err != nil {
		return Compaction{}, err
	}
	w.generations.forget(collectable.Generations)
	return done, nil
}

// merge adds the rows of a manifest's generations to the base table, but for those
// that it has. It returns the last generation that the base table then holds.
func (w *Writer) merge(ctx context.Context, m manifest.Manifest) (done Compaction, last uint64, err error) {
	shard := w.cfg.Location.Shard.String()
	from, err := w.base.Latest(ctx)
	if err != nil {
		return Compaction{}, 0, err
	}
	newest := map[string]Row{}
	for _, g := range ascending(m.Generations) {
		done.Generations, last = done.Generations+1, g.Number
		if g.Number <= from.Compacted[shard] {
			continue
		}
		rows, err := w.generations.rows(ctx, g.Path)
		if err != nil {
			return Compaction{}, 0, err
		}
		for _, r := range rows {
			newest[r.Key] = r
		}
	}
	if done.Rows = len(newest); done.Rows == 0 {
		return done, last, nil // an earlier pass has added them
	}
	rows := make([]Row, 0, len(newest))
	for _, r := range newest {
		rows = append(rows, r)
	}
	_, err = w.base.Merge(ctx, w.objects, from, shard, last, rows, rand.New(w.names()))
	return done, last, err
}

// ascending returns generations in the order in which they were flushed.
func ascending(generations []manifest.Generation) []manifest.Generation {
	return slices.SortedFunc(slices.Values(generations), func(a, b manifest.Generation) int {
		switch {
		case a.Number < b.Number:
			return -1
		case a.Number > b.Number:
			return 1
		}
		return 0
	})
}
