// Package wal is a node of a shard: it appends rows to the shard's write-ahead
// log on S3, holds them in a memtable, flushes that to L0 generations, compacts
// those into the base table, and after a crash replays what no generation holds
// (docs/spec/shard-manifest.md §3, docs/facts/memwal.md §2).
//
// An append that was acknowledged is never lost and never there
// twice, whoever crashes, stalls or takes over, and whatever answer gets lost. So
//
//   - a position of the log is written once, by one conditional PUT, and a writer
//     has one of them in flight;
//   - what a PUT without an answer did is settled by reading back who wrote the
//     object, and never by writing the rows elsewhere;
//   - who opens the shard claims it, puts a sentinel at the end of the log, which
//     keeps the writer before out, and replays; and then proves by a commit or a
//     fence check that it still holds the shard, always;
//   - memtables are flushed in the order in which they were filled: the next one
//     waits until the one before is in a generation that the manifest lists.
//
// How many requests that takes depends on the manifest store's policy. The
// policies before [manifest.Probe] do what the public system does, the lists that
// this format has no need of included, so that what they cost is what it costs.
//
// Packages entry, generation and base hold the formats of the objects.
package wal

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/manifest/object"
	"github.com/lakebench/lakebench/wal/base"
	"github.com/lakebench/lakebench/wal/entry"
	"github.com/lakebench/lakebench/wal/generation"
)

// A Row is a row of the table. A later row of a key replaces an earlier one.
type Row = entry.Row

// A Client makes the requests: an SDK client, or another transport.
type Client interface {
	object.Client
	DeleteObject(context.Context, *s3.DeleteObjectInput, ...func(*s3.Options)) (*s3.DeleteObjectOutput, error)
}

// Config is the shard that a writer opens, and how it works.
type Config struct {
	Client   Client
	Location manifest.Location
	Policy   manifest.Policy
	// Random is where identities and names of objects come from; the writer locks
	// it. No other writer of the bucket may draw the same numbers: see
	// object.Config.
	Random rand.Source
	Group  Group
	// CursorPerEntry has replay publish how far it is after every entry, as the
	// public system's tailer did before it was made silent. The policy Scan does so
	// in any case.
	CursorPerEntry bool
	// UserIndexes is how many indexes a flush builds beside that of the keys.
	UserIndexes int
	Generation  generation.Config
}

// Group bounds which appends share an entry of the log. What comes while an entry is
// on its way always shares the next one.
type Group struct {
	// Rows and Bytes are how much an entry holds before it is closed.
	Rows  int
	Bytes int
	// Wait is how long the first append of an entry waits for others.
	Wait time.Duration
}

// DefaultConfig groups as the public system does by size (10 MB), without a wait for
// more rows; the rest is for the caller to set.
func DefaultConfig() Config {
	return Config{
		Policy:     manifest.DefaultPolicy(),
		Group:      Group{Rows: 100_000, Bytes: 10_000_000},
		Generation: generation.DefaultConfig(),
	}
}

// Validate names the first setting that is no good.
func (c Config) Validate() error {
	switch {
	case c.Client == nil:
		return fmt.Errorf("%w: no client", ErrInvalid)
	case c.Random == nil:
		return fmt.Errorf("%w: no source of identities", ErrInvalid)
	case c.Group.Rows < 1 || c.Group.Bytes < 1 || c.Group.Wait < 0:
		return fmt.Errorf("%w: entries of %d rows and %d bytes after %v; expected are at least 1, 1 and 0", ErrInvalid, c.Group.Rows, c.Group.Bytes, c.Group.Wait)
	case c.UserIndexes < 0:
		return fmt.Errorf("%w: %d user indexes", ErrInvalid, c.UserIndexes)
	}
	if err := c.Location.Validate(); err != nil {
		return err
	}
	if err := c.Policy.Validate(); err != nil {
		return err
	}
	return c.Generation.Validate()
}

// cursorPerEntry reports whether replay publishes its place after each entry.
func (c Config) cursorPerEntry() bool { return c.CursorPerEntry || c.Policy.Kind == manifest.Scan }

// A Writer holds a shard. Any number of tasks may use one.
type Writer struct {
	cfg         Config
	store       *manifest.Store
	log         *log
	objects     *object.Writer
	base        *base.Table
	epoch       uint64
	generations *generations

	// appending is held while an entry is on its way, and whenever the active
	// memtable is changed or taken away. next is the position of the next entry.
	appending task.Mutex
	next      uint64
	// flushing is held by the one flush or compaction under way.
	flushing task.Mutex

	mu        sync.Mutex // never held over a yield
	random    *rand.Rand
	open      *batch // appends may still join it; nil: none
	tables    memtables
	sentinels map[uint64]bool // positions of sentinels that were seen
	known     uint64          // all entries from this position on were seen
	ended     error           // why nothing is appended any more; nil: it is
}

// Epoch returns the epoch under which the shard is held.
func (w *Writer) Epoch() uint64 { return w.epoch }

// Manifest returns the manifest as the policy has it: under all but Scan this is
// what the writer itself committed last, in which a seal or a compaction by
// another process is missing. See RefreshManifest.
func (w *Writer) Manifest(ctx context.Context) (manifest.Manifest, error) { return w.store.Latest(ctx) }

// RefreshManifest reads the newest manifest from storage, so that it shows what
// other processes have committed.
func (w *Writer) RefreshManifest(ctx context.Context) (manifest.Manifest, error) {
	return w.store.RefreshLatest(ctx)
}

// end makes the writer refuse appends from now on, for the first reason given.
func (w *Writer) end(why error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended == nil {
		w.ended = why
	}
	return why
}

// fenceCheck asks storage whether a newer epoch holds the shard.
func (w *Writer) fenceCheck(ctx context.Context) error { return w.store.CheckFenced(ctx, w.epoch) }

// usable returns why nothing may be appended, or nil.
func (w *Writer) usable() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

// names returns a stream of random numbers of its own, for names of objects.
func (w *Writer) names() *rand.PCG {
	w.mu.Lock()
	defer w.mu.Unlock()
	return rand.NewPCG(w.random.Uint64(), w.random.Uint64())
}
