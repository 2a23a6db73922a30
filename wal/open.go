package wal

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/manifest/object"
	"github.com/lakebench/lakebench/wal/base"
	"github.com/lakebench/lakebench/wal/entry"
)

// Open claims a shard and makes it ready for appends: the writer before is kept
// out, and what it appended is replayed. The shard is made if there is none.
//
// ctx is for opening alone. Close the writer when done with it.
func Open(ctx context.Context, cfg Config) (*Writer, error) {
	w, err := newWriter(cfg)
	if err != nil {
		return nil, err
	}
	m, err := w.store.ClaimEpoch(ctx)
	if err != nil {
		return nil, err
	}
	w.epoch = m.WriterEpoch
	w.tables.active = newMemtable(m.CurrentGeneration)
	o := opening{Writer: w, claimed: m, at: m.ReplayAfter + 1, seen: m.LastSeen}
	if err := o.run(ctx); err != nil {
		return nil, fmt.Errorf("opening shard %v under epoch %d: %w", cfg.Location.Shard, w.epoch, err)
	}
	return w, nil
}

// newWriter puts a writer together. It makes no request.
func newWriter(cfg Config) (*Writer, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	w := &Writer{cfg: cfg, random: rand.New(cfg.Random), sentinels: map[uint64]bool{}}
	var err error
	if w.store, err = manifest.NewStore(w.storeConfig()); err != nil {
		return nil, err
	}
	if w.objects, err = object.NewWriter(w.objectConfig(cfg.Client)); err != nil {
		return nil, err
	}
	counted := &sends{Client: cfg.Client}
	slots, err := object.NewWriter(w.objectConfig(counted))
	if err != nil {
		return nil, err
	}
	w.log = &log{location: cfg.Location, reader: w.objects.Reader, writer: slots, sends: counted}
	w.base = &base.Table{Objects: w.objects.Reader, Dir: cfg.Location.Table}
	w.generations = newGenerations(cfg.Client, w.objects.Reader, cfg.Location)
	return w, nil
}

func (w *Writer) storeConfig() manifest.Config {
	cfg := manifest.DefaultConfig()
	cfg.Client, cfg.Location, cfg.Policy = w.cfg.Client, w.cfg.Location, w.cfg.Policy
	cfg.Random = w.names()
	return cfg
}

func (w *Writer) objectConfig(client object.Client) object.Config {
	return object.Config{
		Client: client, Bucket: w.cfg.Location.Bucket, Backoff: object.DefaultBackoff(),
		Random: w.names(),
	}
}

// An opening is what happens between the claim and the first append
// (docs/spec/shard-manifest.md §3, "Opening").
type opening struct {
	*Writer
	claimed manifest.Manifest
	at      uint64 // position of the next entry to read
	last    uint64 // position of the last entry that was there; 0 is none
	seen    uint64 // position of the last entry that the manifest knows
	// newest is the highest epoch among the entries that were read, and the position
	// of its first entry.
	newest struct{ epoch, position uint64 }
}

func (o *opening) run(ctx context.Context) error {
	read := o.fenceAndRead
	if o.cfg.Policy.Kind == manifest.Probe {
		read = o.readAndFence
	}
	if err := read(ctx); err != nil {
		return err
	}
	o.next, o.known = max(o.last, o.claimed.ReplayAfter)+1, o.claimed.ReplayAfter+1
	return o.prove(ctx)
}

// prove makes sure that the shard is still ours: if another opener has claimed it
// meanwhile, has flushed and collected, the place where our sentinel is was an
// emptied one and not the end, and what is appended beyond would never be read
// it (hazard 14). A commit proves it as a fence check does.
func (o *opening) prove(ctx context.Context) error {
	switch {
	case o.last > o.seen:
		return o.publish(ctx)
	case o.seen > o.claimed.LastSeen:
		return nil // the last commit was after the sentinel
	default:
		return o.fenceCheck(ctx)
	}
}

// errAsIs ends a commit that would change nothing.
var errAsIs = errors.New("nothing to change")

// publish commits that there is an entry where the last one was.
func (o *opening) publish(ctx context.Context) error {
	_, err := o.store.CommitUpdate(ctx, o.epoch, func(m manifest.Manifest) (manifest.Manifest, error) {
		if m.LastSeen >= o.last {
			return manifest.Manifest{}, errAsIs
		}
		next := m.Next()
		next.LastSeen = o.last
		return next, nil
	})
	switch {
	case err == nil:
		o.seen = o.last
		return nil
	case errors.Is(err, errAsIs):
		return nil
	}
	return err
}

// fenceAndRead does what the public system does: it finds the end of the log, puts
// the sentinel there, and reads until there is no entry.
func (o *opening) fenceAndRead(ctx context.Context) error {
	end := uint64(0) // not known
	if o.epoch > 1 {
		m, err := o.store.Latest(ctx)
		if err != nil {
			return err
		}
		if end, err = o.log.endFrom(ctx, m.LastSeen, m.ReplayAfter); err != nil {
			return err
		}
		if end, err = o.fence(ctx, end); err != nil {
			return err
		}
	}
	for {
		there, err := o.replay(ctx)
		switch {
		case err != nil:
			return err
		case there && o.cfg.cursorPerEntry():
			if err := o.publish(ctx); err != nil {
				return err
			}
		case there:
		case o.at <= end:
			return o.missing(ctx, o.at, end)
		default:
			return o.checkSeen(ctx)
		}
	}
}

// fence puts our sentinel at the first free position from one on, and returns
// where that was.
func (o *opening) fence(ctx context.Context, from uint64) (uint64, error) {
	for at := from; ; at++ {
		_, err := o.log.create(ctx, at, entry.Entry{WriterEpoch: o.epoch, Sentinel: true})
		if err == nil {
			return at, nil
		}
		if !errors.Is(err, object.ErrExists) {
			return 0, err
		}
		// The writer before was faster, or another opener.
		if _, err := o.look(ctx, at); err != nil {
			return 0, err
		}
	}
}

// look reads an entry, and stops if it is of a newer epoch (hazard 13).
func (o *opening) look(ctx context.Context, position uint64) (entry.Entry, error) {
	e, err := o.log.read(ctx, position)
	if err == nil && e.WriterEpoch > o.epoch {
		err = o.log.failed(position, &FencedError{o.epoch, e.WriterEpoch})
	}
	return e, err
}

// replay reads the next entry, if there is one, and takes in its rows.
func (o *opening) replay(ctx context.Context) (there bool, err error) {
	e, err := o.look(ctx, o.at)
	if isAbsent(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := o.inOrder(ctx, e); err != nil {
		return false, err
	}
	o.saw(o.at, e)
	o.tables.replay(e.Rows, o.at, e.Generation)
	o.last = o.at
	o.at++
	return true, nil
}

// inOrder returns an error if the entry at o.at cannot be where it is. A writer is
// fenced by the sentinel of a newer epoch, so it has no rows behind one. Where there
// are some, the sentinel took the place of an entry that is gone: the opener that put
// it there took the gap for the end. A sentinel of an older epoch proves nothing: an
// opener that had lost its claim by then may have put it at the true end.
func (o *opening) inOrder(ctx context.Context, e entry.Entry) error {
	switch {
	case e.WriterEpoch > o.newest.epoch:
		o.newest.epoch, o.newest.position = e.WriterEpoch, o.at
	case e.WriterEpoch < o.newest.epoch && !e.Sentinel:
		return o.gap(ctx, o.newest.position, fmt.Sprintf(
			"epoch %d put its sentinel there, but entry %d behind it has rows of epoch %d", o.newest.epoch, o.at, e.WriterEpoch))
	}
	return nil
}

// missing returns why there is no entry below one that is there.
func (o *opening) missing(ctx context.Context, position, beyond uint64) error {
	return o.gap(ctx, position, fmt.Sprintf("there is none, but entry %d exists", beyond))
}

// gap returns why the entry at a position is not there: another epoch, which has
// collected it, or a loss.
func (o *opening) gap(ctx context.Context, position uint64, found string) error {
	if err := o.fenceCheck(ctx); err != nil {
		return err
	}
	return o.log.failed(position, fmt.Errorf("%w: %s", ErrGap, found))
}

// checkSeen refuses an end that lies before an entry that the manifest knows.
func (o *opening) checkSeen(ctx context.Context) error {
	if seen := o.claimed.LastSeen; seen > max(o.last, o.claimed.ReplayAfter) {
		return o.missing(ctx, o.at, seen)
	}
	return nil
}

// readAndFence reads the log until there is no entry, and puts the sentinel there.
// A log that is longer than cost.FoldedEntries is fenced first: its writer might go on
// appending for as long as it is read.
func (o *opening) readAndFence(ctx context.Context) error {
	for range cost.FoldedEntries {
		there, err := o.replay(ctx)
		if err != nil {
			return err
		}
		if there {
			continue
		}
		fenced, err := o.fenceHere(ctx)
		if err != nil || fenced {
			return err
		}
	}
	end, err := o.log.endAfter(ctx, o.at, o.seen)
	if err != nil {
		return err
	}
	if end, err = o.fence(ctx, end); err != nil {
		return err
	}
	for o.at < end {
		there, err := o.replay(ctx)
		if err != nil {
			return err
		}
		if !there {
			return o.missing(ctx, o.at, end)
		}
	}
	return o.fencedAt(ctx, end)
}

// fenceHere puts the sentinel where no entry was. It returns false if there is one
// by now.
func (o *opening) fenceHere(ctx context.Context) (bool, error) {
	if err := o.checkSeen(ctx); err != nil {
		return false, err
	}
	if o.epoch == 1 {
		return true, nil // no writer has held the shard before
	}
	_, err := o.log.create(ctx, o.at, entry.Entry{WriterEpoch: o.epoch, Sentinel: true})
	if errors.Is(err, object.ErrExists) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, o.fencedAt(ctx, o.at)
}

// fencedAt books our sentinel, and makes sure that it is at the end: that there is
// nothing behind it is what a gap would hide.
func (o *opening) fencedAt(ctx context.Context, position uint64) error {
	sentinel := entry.Entry{WriterEpoch: o.epoch, Sentinel: true}
	o.at = position
	if err := o.inOrder(ctx, sentinel); err != nil {
		return err
	}
	o.saw(position, sentinel)
	o.tables.replay(nil, position, 0)
	o.last, o.at = position, position+1
	beyond, err := o.log.exists(cause.With(ctx, cause.Fence), o.at)
	for beyond && err == nil {
		beyond, err = o.replay(ctx)
	}
	return err
}
