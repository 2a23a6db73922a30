// Package durable keeps what a service in memory has changed on disk: a
// write-ahead log, and snapshots that shorten it.
//
// Its opinion: the service's memory is the database, and the disk only has to be
// able to say what it was. So there is nothing to look up here, no page and no
// cache, only records that are appended, forced to disk in groups, and read again
// once, in order. An embedded store (bbolt, pebble) would keep a second ordered
// copy of every item for reads that never come, and force two writes for each
// commit or compact in the background; a log forces one, and can say of every
// byte which record it belongs to.
//
// A directory holds
//
//	LOCK                the process that has it open
//	log-<n>             records from number n on, in order
//	snapshot-<n>        the state that records 1 to n lead to
//
// with n in 16 hexadecimal digits. The last two snapshots are kept, and the log
// from the older of them on, so that a damaged snapshot can be done without.
//
// A record is one change of state: it is found again whole or not at all. What
// Sync has returned for survives the end of the process at any moment, and that of
// the machine as far as its disk keeps what it has acknowledged.
package durable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// ErrClosed is the error of a log that has been closed.
var ErrClosed = errors.New("the log is closed")

// A Log appends records to a directory. Its methods may be called at the same
// time, but for Close.
type Log struct {
	dir  string
	lock io.Closer

	appended atomic.Uint64 // number of the last record appended
	durable  atomic.Uint64 // number of the last record known to be on disk

	mu      sync.Mutex // what follows
	settled sync.Cond  // a flush has ended
	// pending are the frames of the records behind durable, or behind those being
	// written. spare is room for the next ones.
	pending, spare []byte
	first          uint64 // number of the first of them
	flushing       bool   // someone writes, without holding mu
	file           file   // the last segment
	err            error

	// logged and snapshotted are the bytes written since the last snapshot, and
	// those of it.
	logged, snapshotted int64
}

// file is what the log needs of a segment.
type file interface {
	writeSyncer
	io.Closer
	Trim() error
}

type writeSyncer interface {
	io.Writer
	Sync() error
}

// maxSpare bounds the buffer that is kept for the next flush, in bytes.
const maxSpare = 1 << 20

// Append adds a record, which it copies, to the log. The record is on disk once a
// Sync that began later has returned. Callers that need records in the order of
// what they describe append them under the lock that orders it.
func (l *Log) Append(record []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.appended.Load() + 1
	if len(l.pending) == 0 {
		l.first = n
	}
	l.pending = appendFrame(l.pending, n, l.first, record)
	l.appended.Store(n)
}

// Sync waits until everything that has been appended is on disk. Those who wait at
// the same time share one write: the first of them makes it for all. Once a write
// has failed, every Sync does, since memory is then ahead of the disk for good.
func (l *Log) Sync(ctx context.Context) error {
	upTo := l.appended.Load()
	for l.durable.Load() < upTo {
		// Let those who are about to append do so first. A write that has just ended
		// has set many of them free at once, and the next one should be for them all.
		task.Yield(ctx)
		if err := l.advance(upTo); err != nil {
			return err
		}
	}
	return nil
}

// advance waits for the write that is under way, or makes one.
func (l *Log) advance(upTo uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.durable.Load() >= upTo:
	case l.err != nil:
		return l.err
	case l.flushing:
		l.settled.Wait()
	default:
		l.flush()
	}
	return nil
}

// drain is Sync for callers that keep others from appending; l.mu is held, but not
// while it writes or waits.
func (l *Log) drain() error {
	for l.flushing || l.err == nil && l.durable.Load() < l.appended.Load() {
		if l.flushing {
			l.settled.Wait()
		} else {
			l.flush()
		}
	}
	return l.err
}

// flush writes what is pending. It lets go of l.mu while it writes.
func (l *Log) flush() {
	frames, upTo := l.pending, l.appended.Load()
	l.pending, l.spare = l.spare[:0], nil
	l.flushing = true
	l.mu.Unlock()
	err := force(l.file, frames)
	l.mu.Lock()
	l.flushing = false
	l.logged += int64(len(frames))
	if cap(frames) <= maxSpare {
		l.spare = frames
	}
	if err == nil {
		l.durable.Store(upTo)
	} else {
		l.err = fmt.Errorf("write the log in %s: %w", l.dir, err)
	}
	l.settled.Broadcast()
}

func force(f writeSyncer, frames []byte) error {
	if _, err := f.Write(frames); err != nil {
		return err
	}
	return f.Sync()
}

// Err returns why the log cannot go on, nil if it can.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close writes what is pending and lets go of the directory. It must be the last
// call.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.drain()
	l.err = ErrClosed
	return errors.Join(err, l.file.Close(), l.lock.Close())
}

const (
	logPrefix      = "log-"
	snapshotPrefix = "snapshot-"
	temporary      = ".tmp"
	lockName       = "LOCK"
)

func (l *Log) path(prefix string, n uint64) string {
	return filepath.Join(l.dir, fmt.Sprintf("%s%016x", prefix, n))
}

// syncDir makes the names in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
