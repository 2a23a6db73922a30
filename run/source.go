package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/history/archive"
	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/store/v1"
)

// A Source is where a workload's records come from when they are not generated:
// a history file, or a table that exists. The zero Source generates.
type Source struct {
	File *archive.File
	// digest is the SHA-256 of the file: what was measured is part of the hash of
	// the workload.
	digest string
	// Table is a v1 table that is only read, and found what it holds.
	Table string
	found shape
}

// OpenHistory opens a history file and reads it once to the end, so that a
// damaged one is refused before anything runs. progress may be nil.
func OpenHistory(ctx context.Context, fsys fs.FS, name string, progress history.Progress) (Source, error) {
	file, err := archive.Load(ctx, fsys, name, progress)
	if err != nil {
		return Source{}, err
	}
	digest, err := digestFile(fsys, name)
	if err != nil {
		return Source{}, fmt.Errorf("history file: %w", err)
	}
	return Source{File: file, digest: digest}, nil
}

func digestFile(fsys fs.FS, name string) (string, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Given reports whether there are records to read, rather than to generate.
func (s Source) Given() bool { return s.File != nil || s.Table != "" }

// shape is what a file says about the parameters that describe a lake.
type shape struct {
	inside, outside int64 // records under the prefix, and others
	itemBytes       int64 // of all records, on average
}

func (s Source) shape(ctx context.Context, prefix string) (shape, error) {
	if s.Table != "" {
		return s.found, nil
	}
	var sh shape
	var bytes int64
	for r, err := range s.File.Records(ctx, nil) {
		if err != nil {
			return shape{}, err
		}
		if strings.HasPrefix(r.Key, prefix) {
			sh.inside++
		} else {
			sh.outside++
		}
		bytes += int64(r.StoredBytes())
	}
	if n := sh.inside + sh.outside; n > 0 {
		sh.itemBytes = (bytes + n/2) / n
	}
	return sh, nil
}

// fix puts what the file says in the place of the parameters that describe a
// generated lake. A user cannot set those: they would say something else than
// what is measured.
func (s Source) fix(ctx context.Context, w *Workload, set map[string]string, prefix string) (map[string]string, error) {
	for _, name := range []string{"tables", "history_records", "item_bytes"} {
		if v, ok := set[name]; ok {
			return nil, &ParamError{w.Name, name, v, "cannot be set with --history or --use-existing-table: it is read from the input"}
		}
	}
	sh, err := s.shape(ctx, prefix)
	if err != nil {
		return nil, err
	}
	if sh.inside == 0 {
		return nil, &ParamError{w.Name, "prefix", prefix, "no record has a key under it"}
	}
	fixed := map[string]string{
		"tables":          strconv.FormatInt(sh.inside, 10),
		"history_records": strconv.FormatInt(sh.outside, 10),
		"item_bytes":      strconv.FormatInt(sh.itemBytes, 10),
	}
	for name, v := range set {
		fixed[name] = v
	}
	return fixed, nil
}

// OpenTable looks at a v1 table that exists and is only to be read: it counts
// what is under the prefix and what is not, at the price of one whole scan.
func OpenTable(ctx context.Context, b *backend.Backend, table, prefix string) (Source, error) {
	m, err := b.NewMeter(nil)
	if err != nil {
		return Source{}, err
	}
	cfg := v1.DefaultConfig()
	cfg.Client = b.DynamoDB(m)
	cfg.Table = table
	cfg.PageLimit = 0
	cfg.Random = rand.NewPCG(0, 0) // of the waits of writes, which there are none of
	s, err := v1.Open(ctx, cfg)
	if err != nil {
		return Source{}, b.Classify(err)
	}
	src := Source{Table: table}
	var bytes int64
	for entry, err := range s.List(cause.With(ctx, cause.Setup), "") {
		if err != nil {
			return Source{}, b.Classify(err)
		}
		if strings.HasPrefix(entry.Key, prefix) {
			src.found.inside++
		} else {
			src.found.outside++
		}
		bytes += int64(v1.ItemBytes(entry.Key, entry.Value))
	}
	if n := src.found.inside + src.found.outside; n > 0 {
		src.found.itemBytes = (bytes + n/2) / n
	}
	return src, nil
}
