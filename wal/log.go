package wal

import (
	"context"
	"errors"
	"fmt"
	"path"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/manifest/object"
	"github.com/lakebench/lakebench/wal/entry"
)

// A log is the entries of a shard, as objects.
type log struct {
	location manifest.Location
	reader   object.Reader
	writer   *object.Writer // nil: the log is only read
	sends    *sends
}

// sends counts the calls of PutObject.
type sends struct {
	object.Client
	count atomic.Int64
}

// PutObject implements object.Client.
func (s *sends) PutObject(ctx context.Context, in *s3.PutObjectInput, opts ...func(*s3.Options)) (*s3.PutObjectOutput, error) {
	s.count.Add(1)
	return s.Client.PutObject(ctx, in, opts...)
}

func (l *log) url(position uint64) string { return l.location.URL(l.location.WALKey(position)) }

func (l *log) failed(position uint64, err error) error {
	return &EntryError{Path: l.url(position), Position: position, Err: err}
}

// read reads the entry at a position. If there is none the error is
// object.ErrAbsent.
func (l *log) read(ctx context.Context, position uint64) (entry.Entry, error) {
	o, err := l.reader.Get(cause.With(ctx, cause.WAL), l.location.WALKey(position))
	if err != nil {
		return entry.Entry{}, err
	}
	e, err := entry.Decode(o.Body)
	if err != nil {
		return entry.Entry{}, l.failed(position, fmt.Errorf("%w: %w", ErrDamaged, err))
	}
	return e, nil
}

func (l *log) exists(ctx context.Context, position uint64) (bool, error) {
	return l.reader.Exists(cause.With(ctx, cause.WAL), l.location.WALKey(position))
}

// create writes an entry at a position that has none. It returns whether it was
// sent more than once; the caller sees to it that nothing else is created
// meanwhile. If there is an entry already that is not this one the error is
// object.ErrExists.
func (l *log) create(ctx context.Context, position uint64, e entry.Entry) (again bool, err error) {
	label := cause.WAL
	if e.Sentinel {
		label = cause.Fence
	}
	body, err := entry.Encode(e)
	if err != nil {
		return false, err
	}
	before := l.sends.count.Load()
	err = l.writer.Create(cause.With(ctx, label), l.location.WALKey(position), body, l.writer.NewIdentity())
	return l.sends.count.Load()-before > 1, err
}

// positions lists the positions of all entries, in no order.
func (l *log) positions(ctx context.Context) ([]uint64, error) {
	var all []uint64
	for o, err := range l.reader.List(cause.With(ctx, cause.WAL), l.location.WALPrefix(), "") {
		if err != nil {
			return nil, err
		}
		if p, ok := manifest.Number(path.Base(o.Key), manifest.WALExtension); ok {
			all = append(all, p)
		}
	}
	return all, nil
}

// maxChain bounds how many entries chain asks for (docs/facts/memwal.md §2.5).
const maxChain = 4096

// endFrom finds the first position without an entry, as the public system does:
// from the hint on one by one; if the hinted entry is absent, or there are too
// many, by listing the log. covered is the last position that a generation covers:
// entries up to it may have been deleted.
func (l *log) endFrom(ctx context.Context, hint, covered uint64) (uint64, error) {
	if end, err := l.chain(ctx, hint); end > 0 || err != nil {
		return end, err
	}
	all, err := l.positions(ctx)
	if err != nil {
		return 0, err
	}
	end := covered
	for _, p := range all {
		end = max(end, p)
	}
	return end + 1, nil
}

// chain asks for one entry after the other, the hinted one first, which the
// public system does for position 0 as well. It returns 0 if it has not found the
// end.
func (l *log) chain(ctx context.Context, hint uint64) (end uint64, err error) {
	for p := hint; p < hint+maxChain; p++ {
		there, err := l.exists(ctx, p)
		switch {
		case err != nil:
			return 0, err
		case !there && p > hint:
			return p, nil
		case !there:
			return 0, nil
		}
	}
	return 0, nil
}

// endAfter finds the first position without an entry from a position on, where seen
// is the last one of which the manifest knows. If the manifest knows of none there,
// a page of the log's listing takes less than doubling from a far end: it has the
// whole log, or positions from all over it, since their names are bit-reversed.
func (l *log) endAfter(ctx context.Context, from, seen uint64) (uint64, error) {
	if seen >= from {
		return l.endBeyond(ctx, seen+1)
	}
	highest, whole, err := l.firstPage(ctx)
	from = max(from, highest+1)
	if whole || err != nil {
		return from, err
	}
	return l.endBeyond(ctx, from)
}

// firstPage returns the highest position that the first page of the log's listing
// has, and whether there is no other page.
func (l *log) firstPage(ctx context.Context) (highest uint64, whole bool, err error) {
	keys := 0
	for o, err := range l.reader.List(cause.With(ctx, cause.WAL), l.location.WALPrefix(), "") {
		if err != nil {
			return 0, false, err
		}
		if p, ok := manifest.Number(path.Base(o.Key), manifest.WALExtension); ok {
			highest = max(highest, p)
		}
		if keys++; keys == cost.ListedKeys {
			return highest, false, nil
		}
	}
	return highest, true, nil
}

// endBeyond finds the first position without an entry from a position on, by
// doubling and halving: it relies on there being no gap.
func (l *log) endBeyond(ctx context.Context, from uint64) (uint64, error) {
	there, step := from-1, uint64(1) // the last that is known to be there
	for {
		yes, err := l.exists(ctx, there+step)
		if err != nil {
			return 0, err
		}
		if !yes {
			break
		}
		there += step
		step *= 2
	}
	for absent := there + step; absent-there > 1; {
		middle := there + (absent-there)/2
		yes, err := l.exists(ctx, middle)
		switch {
		case err != nil:
			return 0, err
		case yes:
			there = middle
		default:
			absent = middle
		}
	}
	return there + 1, nil
}

// isAbsent reports whether an error is that of an object that is not there.
func isAbsent(err error) bool { return errors.Is(err, object.ErrAbsent) }
