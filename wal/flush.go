package wal

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/manifest/object"
	"github.com/lakebench/lakebench/wal/generation"
)

// Flush writes what the memtables hold to L0 generations, each memtable to one,
// the oldest first, and returns how many there were. If one cannot be written,
// those after it wait: the manifest has the position of the log up to which
// everything is in a generation, so none may be left out (hazard 9).
func (w *Writer) Flush(ctx context.Context) (generations int, err error) {
	if err := w.flushing.Lock(ctx); err != nil {
		return 0, err
	}
	defer w.flushing.Unlock()
	if err := w.freeze(ctx); err != nil {
		return 0, err
	}
	for {
		oldest, ok := w.oldest()
		if !ok {
			return generations, nil
		}
		if err := w.flush(ctx, oldest); err != nil {
			return generations, fmt.Errorf("flushing generation %d: %w", oldest.generation, err)
		}
		generations++
	}
}

// ForceSeal puts the rows that were appended so far in line for a flush, as the
// public system does when it is told to: it makes sure first that the writer still
// holds the shard.
func (w *Writer) ForceSeal(ctx context.Context) error {
	if err := w.fenceCheck(ctx); err != nil {
		return err
	}
	return w.freeze(ctx)
}

// freeze begins a new memtable, once the entry on its way is there.
func (w *Writer) freeze(ctx context.Context) error {
	if err := w.appending.Lock(ctx); err != nil {
		return err
	}
	defer w.appending.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tables.freeze()
	return nil
}

// oldest returns the memtable that is to be flushed next.
func (w *Writer) oldest() (*memtable, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.tables.frozen) == 0 {
		return nil, false
	}
	return w.tables.frozen[0], true
}

// flush writes a memtable's generation and commits it. The caller holds
// w.flushing.
func (w *Writer) flush(ctx context.Context, m *memtable) error {
	if err := w.fenceCheck(ctx); err != nil {
		return err
	}
	if err := w.listAsPublic(ctx); err != nil {
		return err
	}
	names := rand.New(w.names())
	built, err := generation.Build(m.generation, m.rows, w.cfg.UserIndexes, w.cfg.Generation, names)
	if err != nil {
		return err
	}
	path := generation.Directory(m.generation, names)
	if err := w.writeGeneration(ctx, path, built); err != nil {
		return err
	}
	if err := w.commitGeneration(ctx, m, path); err != nil {
		return err
	}
	w.generations.keep(path, *built.Contents)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tables.flushed()
	return nil
}

// commitGeneration lists a generation in the manifest: its rows are durable there
// from then on, and are not replayed any more. It does so once: an earlier attempt
// whose answer was lost may have landed since (hazard 3).
func (w *Writer) commitGeneration(ctx context.Context, m *memtable, path string) error {
	rows := uint64(len(m.rows))
	_, err := w.store.CommitUpdate(ctx, w.epoch, func(tip manifest.Manifest) (manifest.Manifest, error) {
		if tip.CurrentGeneration > m.generation {
			return manifest.Manifest{}, errAsIs
		}
		next := tip.Next()
		next.Generations = append(next.Generations, manifest.Generation{Number: m.generation, Path: path, PhysicalRows: &rows})
		next.ReplayAfter = m.last
		next.LastSeen = max(next.LastSeen, m.last)
		next.CurrentGeneration = m.generation + 1
		return next, nil
	})
	if errors.Is(err, errAsIs) {
		return nil
	}
	return err
}

// public reports whether requests are made that only the public system's format needs:
// a baseline must cost what it costs (docs/spec/shard-manifest.md §5).
func (w *Writer) public() bool { return w.cfg.Policy.Kind != manifest.Probe }

// listAsPublic asks for the base table's newest version, as the public system does
// to learn its storage version.
func (w *Writer) listAsPublic(ctx context.Context) error {
	if !w.public() {
		return nil
	}
	_, err := w.base.List(ctx)
	return err
}

// listGeneration asks what there is below a generation's directory, which the
// public system does before it creates or changes a dataset there.
func (w *Writer) listGeneration(ctx context.Context, path string) error {
	if !w.public() {
		return nil
	}
	for _, err := range w.objects.List(ctx, w.cfg.Location.GenerationPrefix(path)+"_versions/", "") {
		if err != nil {
			return err
		}
	}
	return nil
}

// writeGeneration writes a generation's objects in the public system's order: the
// dataset; what is replaced and the users' indexes, with the description of it all;
// the filter and the index of keys.
func (w *Writer) writeGeneration(ctx context.Context, path string, b *generation.Built) error {
	data, index := cause.With(ctx, cause.Data), cause.With(ctx, cause.Index)
	if err := w.writeDataset(data, path, b); err != nil {
		return err
	}
	if b.Amended() {
		if err := w.amend(ctx, path, b); err != nil {
			return err
		}
	}
	return w.putAll(index, path, append([]generation.Object{b.Bloom}, b.KeyIndex...))
}

// writeDataset writes the rows, what made them, and the first description.
func (w *Writer) writeDataset(ctx context.Context, path string, b *generation.Built) error {
	for _, o := range []generation.Object{b.Data, b.Transaction} {
		if err := w.listGeneration(ctx, path); err != nil {
			return err
		}
		if err := w.putAll(ctx, path, []generation.Object{o}); err != nil {
			return err
		}
	}
	first, err := b.First.Encode()
	if err != nil {
		return err
	}
	key := w.cfg.Location.GenerationPrefix(path) + first.Path
	err = w.objects.Create(ctx, key, first.Body, w.objects.NewIdentity())
	if errors.Is(err, object.ErrExists) {
		err = fmt.Errorf("%w: another generation has the same random path; the sources of identities are not different", err)
	}
	return err
}

// amend writes what was not in the first description, and one that has it.
func (w *Writer) amend(ctx context.Context, path string, b *generation.Built) error {
	data, index := cause.With(ctx, cause.Data), cause.With(ctx, cause.Index)
	if err := w.listGeneration(data, path); err != nil {
		return err
	}
	if b.Deletions != nil {
		if err := w.putAll(data, path, []generation.Object{*b.Deletions}); err != nil {
			return err
		}
	}
	if err := w.putAll(index, path, b.UserIndexes); err != nil {
		return err
	}
	last, err := b.Last.Encode()
	if err != nil {
		return err
	}
	return w.putAll(data, path, []generation.Object{last})
}

func (w *Writer) putAll(ctx context.Context, path string, objects []generation.Object) error {
	for _, o := range objects {
		if err := w.objects.Put(ctx, w.cfg.Location.GenerationPrefix(path)+o.Path, o.Body); err != nil {
			return err
		}
	}
	return nil
}
