package wal

import (
	"context"
	"maps"
	"slices"

	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/manifest/object"
	"github.com/lakebench/lakebench/wal/base"
)

// A FreshReader reads rows by the age of where they are: the memtables, then the
// L0 generations from the newest to the oldest, then the base table. A tombstone
// ends the search for its key, and hides what is older.
//
// It goes by one manifest. If an object of a generation is gone, the generation was
// compacted and collected since, and the reader starts once more with what storage
// says.
type FreshReader struct {
	latest, refresh func(context.Context) (manifest.Manifest, error)
	writer          *Writer // that holds the memtables; nil: there are none here
	generations     *generations
	base            *base.Table
}

// Reader returns a reader that sees all that was appended through w, and the
// manifest as Manifest has it: no request is made for that once w has committed.
func (w *Writer) Reader() *FreshReader {
	return &FreshReader{latest: w.Manifest, refresh: w.RefreshManifest, writer: w, generations: w.generations, base: w.base}
}

// ReaderConfig is the shard that a reader reads without holding it.
type ReaderConfig struct {
	Client   Client
	Location manifest.Location
	Policy   manifest.Policy
}

// NewReader returns a reader of a shard that another process may hold. It sees what was
// flushed, and asks storage for the manifest each time.
func NewReader(cfg ReaderConfig) (*FreshReader, error) {
	r, err := manifest.NewReader(manifest.ReaderConfig{Client: cfg.Client, Location: cfg.Location, Policy: cfg.Policy})
	if err != nil {
		return nil, err
	}
	objects := object.Reader{Client: cfg.Client, Bucket: cfg.Location.Bucket}
	return &FreshReader{
		latest: r.Latest, refresh: r.Latest,
		generations: newGenerations(cfg.Client, objects, cfg.Location),
		base:        &base.Table{Objects: objects, Dir: cfg.Location.Table},
	}, nil
}

// Scan returns the rows of the fresh tier, which is the memtables and all L0
// generations, in the order of their keys. Rows that are only in the base table
// are not among them, and tombstones are: they tell what of the base table does not
// count any more.
func (r *FreshReader) Scan(ctx context.Context) ([]Row, error) {
	// The memtables before the manifest: what is flushed in between is in both, and
	// would be in neither the other way round.
	memory := map[string]Row{}
	if r.writer != nil {
		memory = r.writer.newestRows()
	}
	rows := map[string]Row{}
	err := r.attempt(ctx, func(m manifest.Manifest) error {
		clear(rows)
		for _, g := range ascending(m.Generations) {
			of, err := r.generations.rows(ctx, g.Path)
			if err != nil {
				return err
			}
			for _, row := range of {
				rows[row.Key] = row
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	maps.Copy(rows, memory)
	out := make([]Row, 0, len(rows))
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		out = append(out, rows[key])
	}
	return out, nil
}

// Get returns the row of a key, or false if there is none or it was deleted. A row
// in a memtable takes no request.
func (r *FreshReader) Get(ctx context.Context, key string) (row Row, found bool, err error) {
	if r.writer != nil {
		row, found = r.writer.newestRow(key)
	}
	if !found {
		err = r.attempt(ctx, func(m manifest.Manifest) (err error) {
			row, found, err = r.search(ctx, m, key)
			return err
		})
	}
	if err != nil || row.Tombstone {
		return Row{}, false, err
	}
	return row, found, nil
}

// attempt has read go by a manifest, and once more by a newer one if an object is
// gone.
func (r *FreshReader) attempt(ctx context.Context, read func(manifest.Manifest) error) error {
	m, err := r.latest(ctx)
	if err != nil {
		return err
	}
	if err = read(m); !isAbsent(err) {
		return err
	}
	if m, err = r.refresh(ctx); err != nil {
		return err
	}
	return read(m)
}

// search looks for a key in the generations and in the base table.
func (r *FreshReader) search(ctx context.Context, m manifest.Manifest, key string) (Row, bool, error) {
	for _, g := range slices.Backward(ascending(m.Generations)) {
		if row, ok, err := r.generations.row(ctx, g.Path, key); ok || err != nil {
			return row, ok, err
		}
	}
	v, err := r.base.Latest(ctx)
	if err != nil {
		return Row{}, false, err
	}
	return r.base.Get(ctx, v, key)
}

// newestRow returns the newest row of a key that a memtable has.
func (w *Writer) newestRow(key string) (Row, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tables.get(key)
}

// newestRows returns the newest row of every key of the memtables.
func (w *Writer) newestRows() map[string]Row {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tables.newest()
}
