// Package base is the table that the generations of its shards are compacted
// into.
//
// The public system has a Lance table there. lakebench has a format of its own
// with as many objects of the same kinds, and the same requests to commit
// (docs/facts/memwal.md §2.9: LIST, GET, PUT data, PUT transaction, conditional PUT of
// a version):
//
//	data/{name}.arrow              rows in the order of their keys, an Arrow IPC stream
//	_transactions/{n}-{name}.txn   what made version n+1, JSON
//	_versions/{2⁶⁴−1−n}.manifest   version n: the fragments of the table, and how far each shard has been compacted, JSON
//
// The first key of a list of versions is the newest one.
//
// How far a shard has been compacted is committed with the rows or
// not at all, so that a pass that is made twice adds its rows once.
package base

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/manifest/object"
	"github.com/lakebench/lakebench/wal/entry"
)

// What can come of an operation, beside errors of the service.
var (
	// ErrNoTable: the table has no version. Create makes one.
	ErrNoTable = errors.New("no base table")
	// ErrDamaged: an object is not what its reference promises, or of another system.
	ErrDamaged = errors.New("damaged")
	// ErrContention: other commits came first, as often as was tried.
	ErrContention = errors.New("the base table's version was taken each time")
)

// A Table is a base table. Any number of tasks may use one.
type Table struct {
	// Objects reads the table's bucket.
	Objects object.Reader
	// Dir is the key of the table's directory, "" for the bucket's root.
	Dir string
}

// A Version is what the table holds at one time.
type Version struct {
	Format string `json:"format"`
	Number uint64 `json:"number"` // from 1
	// Fragments are in the order in which they were added: of a key's rows the one
	// in the last fragment counts.
	Fragments []Fragment `json:"fragments"`
	// Compacted has, by shard, the last generation that was compacted.
	Compacted map[string]uint64 `json:"compacted"`
}

// A Fragment is a part of the table's rows: each key once.
type Fragment struct {
	Path  string `json:"path"`
	Rows  int    `json:"rows"`
	Bytes int64  `json:"bytes"`
	CRC32 uint32 `json:"crc32"` // IEEE
	First []byte `json:"first"` // lowest key
	Last  []byte `json:"last"`  // highest
}

const format = "lakebench-base-1"

const (
	versions  = "_versions/"
	extension = ".manifest"
)

func (t *Table) key(name string) string { return path.Join(t.Dir, name) }

func (t *Table) versionKey(number uint64) string {
	return t.key(fmt.Sprintf("%s%020d%s", versions, math.MaxUint64-number, extension))
}

// Create makes the table's first version, with nothing in it, unless there is
// one.
func (t *Table) Create(ctx context.Context, w *object.Writer, names *rand.Rand) error {
	v := Version{Format: format, Number: 1, Fragments: []Fragment{}, Compacted: map[string]uint64{}}
	err := t.commit(cause.With(ctx, cause.Base), w, v, transaction{Operation: "create"}, names)
	if errors.Is(err, object.ErrExists) {
		return nil
	}
	return err
}

// List is the request with which the public system begins whatever it does with
// the table: it finds the newest version. The number is 0 if there is none.
func (t *Table) List(ctx context.Context) (uint64, error) {
	prefix := t.key(versions) + "/" // path.Join takes the slash off
	for o, err := range t.Objects.List(cause.With(ctx, cause.Base), prefix, "") {
		if err != nil {
			return 0, err
		}
		name, ok := strings.CutSuffix(strings.TrimPrefix(o.Key, prefix), extension)
		inverse, err := strconv.ParseUint(name, 10, 64)
		if !ok || err != nil || len(name) != 20 {
			continue // the public system keeps a hint beside the versions
		}
		return math.MaxUint64 - inverse, nil
	}
	return 0, nil
}

// Latest reads the newest version, with two requests.
func (t *Table) Latest(ctx context.Context) (Version, error) {
	ctx = cause.With(ctx, cause.Base)
	number, err := t.List(ctx)
	if err != nil {
		return Version{}, err
	}
	if number == 0 {
		return Version{}, fmt.Errorf("%w at %s", ErrNoTable, object.URL(t.Objects.Bucket, t.Dir))
	}
	o, err := t.Objects.Get(ctx, t.versionKey(number))
	if err != nil {
		return Version{}, err
	}
	v := Version{}
	d := json.NewDecoder(bytes.NewReader(o.Body))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil || v.Format != format || v.Number != number {
		return Version{}, t.damaged(t.versionKey(number), "it is not version %d of a base table of lakebench (%v)", number, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Version{}, t.damaged(t.versionKey(number), "there is something after its end")
	}
	return v, nil
}

func (t *Table) damaged(key, format string, args ...any) error {
	return fmt.Errorf("%s is %w: %s", object.URL(t.Objects.Bucket, key), ErrDamaged, fmt.Sprintf(format, args...))
}

// maxAttempts bounds how often a merge meets another commit.
const maxAttempts = 10

// Merge adds rows, each key once, as those of a shard's generations up to the
// given one, and returns the version that holds them. from is the newest version
// that the caller knows. If another pass has compacted as far meanwhile nothing is
// added.
func (t *Table) Merge(ctx context.Context, w *object.Writer, from Version, shard string, generation uint64, rows []entry.Row, names *rand.Rand) (Version, error) {
	ctx = cause.With(ctx, cause.Base)
	fragment, body, err := newFragment(rows, names)
	if err != nil {
		return Version{}, err
	}
	if err := w.Put(ctx, t.key(fragment.Path), body); err != nil {
		return Version{}, err
	}
	for range maxAttempts {
		if from.Compacted[shard] >= generation {
			return from, nil
		}
		next := Version{
			Format: format, Number: from.Number + 1,
			Fragments: append(slices.Clone(from.Fragments), fragment), Compacted: maps.Clone(from.Compacted),
		}
		next.Compacted[shard] = generation
		err := t.commit(ctx, w, next, transaction{Operation: "merge", Shard: shard, Generation: generation, Added: fragment.Path}, names)
		if err == nil {
			return next, nil
		}
		if !errors.Is(err, object.ErrExists) {
			return Version{}, err
		}
		if from, err = t.Latest(ctx); err != nil {
			return Version{}, err
		}
	}
	return Version{}, fmt.Errorf("%w: %d attempts at %s", ErrContention, maxAttempts, object.URL(t.Objects.Bucket, t.Dir))
}

func newFragment(rows []entry.Row, names *rand.Rand) (Fragment, []byte, error) {
	sorted := slices.SortedFunc(slices.Values(rows), func(a, b entry.Row) int { return strings.Compare(a.Key, b.Key) })
	if len(sorted) == 0 {
		return Fragment{}, nil, errors.New("base: a merge without rows")
	}
	body, err := entry.EncodeRows(sorted)
	return Fragment{
		Path: "data/" + newName(names) + ".arrow", Rows: len(sorted), Bytes: int64(len(body)), CRC32: crc32.ChecksumIEEE(body),
		First: []byte(sorted[0].Key), Last: []byte(sorted[len(sorted)-1].Key),
	}, body, err
}

// A transaction is what made a version.
type transaction struct {
	Operation  string `json:"operation"`
	Shard      string `json:"shard,omitempty"`
	Generation uint64 `json:"generation,omitempty"`
	Added      string `json:"added,omitempty"`
}

// commit writes a transaction and the version that it makes. If the version
// exists the error is object.ErrExists.
func (t *Table) commit(ctx context.Context, w *object.Writer, v Version, made transaction, names *rand.Rand) error {
	txn, err := json.Marshal(made)
	if err != nil {
		return err
	}
	if err := w.Put(ctx, t.key(fmt.Sprintf("_transactions/%d-%s.txn", v.Number-1, newName(names))), txn); err != nil {
		return err
	}
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.Create(ctx, t.versionKey(v.Number), body, w.NewIdentity())
}

// Get returns the row that counts for a key, a tombstone as well, with a request
// for each fragment that may have one, the last one first.
func (t *Table) Get(ctx context.Context, v Version, key string) (entry.Row, bool, error) {
	ctx = cause.With(ctx, cause.Base)
	for _, f := range slices.Backward(v.Fragments) {
		if key < string(f.First) || key > string(f.Last) {
			continue
		}
		rows, err := t.read(ctx, f)
		if err != nil {
			return entry.Row{}, false, err
		}
		at, ok := slices.BinarySearchFunc(rows, key, func(r entry.Row, key string) int { return strings.Compare(r.Key, key) })
		if ok {
			return rows[at], true, nil
		}
	}
	return entry.Row{}, false, nil
}

// Rows returns the row that counts for every key, tombstones as well, with a
// request for each fragment.
func (t *Table) Rows(ctx context.Context, v Version) (map[string]entry.Row, error) {
	ctx = cause.With(ctx, cause.Base)
	all := map[string]entry.Row{}
	for _, f := range v.Fragments {
		rows, err := t.read(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			all[r.Key] = r
		}
	}
	return all, nil
}

func (t *Table) read(ctx context.Context, f Fragment) ([]entry.Row, error) {
	key := t.key(f.Path)
	o, err := t.Objects.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	if int64(len(o.Body)) != f.Bytes || crc32.ChecksumIEEE(o.Body) != f.CRC32 {
		return nil, t.damaged(key, "%d bytes with a checksum that is not that of the %d that were written", len(o.Body), f.Bytes)
	}
	rows, err := entry.DecodeRows(o.Body)
	if err != nil {
		return nil, t.damaged(key, "%v", err)
	}
	if len(rows) != f.Rows {
		return nil, t.damaged(key, "%d rows, expected %d", len(rows), f.Rows)
	}
	return rows, nil
}

// newName returns 16 random bytes in hex.
func newName(names *rand.Rand) string {
	var b [16]byte
	for i := range b {
		b[i] = byte(names.Uint32())
	}
	return hex.EncodeToString(b[:])
}
