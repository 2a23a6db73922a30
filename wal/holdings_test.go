package wal_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/manifest/object"
	"github.com/lakebench/lakebench/wal/base"
	"github.com/lakebench/lakebench/wal/entry"
	"github.com/lakebench/lakebench/wal/generation"
)

// holdings reads the objects of the shard, with no more of the code under test
// than the formats, and returns the rows that count in the order of their writing:
// the base table's, those of generations that the base table does not have, and
// those of entries that no generation has.
func (s *service) holdings(ctx context.Context, t testing.TB) (rows []entry.Row) {
	t.Helper()
	objects := object.Reader{Client: s.client(), Bucket: s.Name}
	fatal := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	reader, err := manifest.NewReader(manifest.ReaderConfig{Client: s.client(), Location: s.at(), Policy: policy(manifest.Scan)})
	fatal(err)
	tip, err := reader.Latest(ctx)
	if errors.Is(err, manifest.ErrNoManifest) {
		return nil
	}
	fatal(err)
	table := base.Table{Objects: objects, Dir: s.at().Table}
	version, err := table.Latest(ctx)
	fatal(err)
	for _, f := range version.Fragments {
		o, err := objects.Get(ctx, s.at().Table+"/"+f.Path)
		fatal(err)
		of, err := entry.DecodeRows(o.Body)
		fatal(err)
		rows = append(rows, of...)
	}
	for _, g := range tip.Generations {
		if g.Number <= version.Compacted[shard.String()] {
			continue
		}
		prefix := s.at().GenerationPrefix(g.Path)
		o, err := objects.Get(ctx, prefix+generation.VersionPath)
		fatal(err)
		v, err := generation.DecodeVersion(o.Body)
		fatal(err)
		o, err = objects.Get(ctx, prefix+v.Data.Path)
		fatal(err)
		of, err := entry.DecodeRows(o.Body)
		fatal(err)
		rows = append(rows, of...)
	}
	for p := tip.ReplayAfter + 1; ; p++ {
		o, err := objects.Get(ctx, s.at().WALKey(p))
		if errors.Is(err, object.ErrAbsent) {
			return rows
		}
		fatal(err)
		e, err := entry.Decode(o.Body)
		fatal(err)
		rows = append(rows, e.Rows...)
	}
}

// counts says how often each key is among rows.
func counts(rows []entry.Row) map[string]int {
	n := map[string]int{}
	for _, r := range rows {
		n[r.Key]++
	}
	return n
}
