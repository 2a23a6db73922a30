package durable

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// minLog is how long the log may grow, in bytes, before a snapshot is worth its
// while however small the state is.
const minLog = 64 << 20

// Due says whether the log has grown longer than a snapshot would be.
func (l *Log) Due() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.logged > max(minLog, l.snapshotted)
}

// A Cut is a point between two records, up to which a snapshot is to be written.
type Cut struct {
	log *Log
	at  uint64 // number of the last record before it
}

// Cut begins a new segment of the log, for a snapshot of what is before; one at a
// time. Whoever calls it keeps others from
// appending, and takes hold of the state that the records so far have led to.
func (l *Log) Cut() (Cut, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.drain(); err != nil {
		return Cut{}, err
	}
	// Only the last segment may have room behind its records: in another one, zeros
	// are damage.
	if err := l.file.Trim(); err != nil {
		return Cut{}, fmt.Errorf("end a segment of the log: %w", err)
	}
	at := l.appended.Load()
	next, err := l.startSegment(at + 1)
	if err != nil {
		return Cut{}, fmt.Errorf("begin a segment of the log: %w", err)
	}
	old := l.file
	l.file, l.logged = next, 0
	return Cut{l, at}, old.Close()
}

// Write writes the snapshot, whose records write adds in the order in which they
// are to be restored. Then it removes what neither this snapshot nor the one
// before it needs.
func (c Cut) Write(write func(add func(record []byte) error) error) error {
	path := c.log.path(snapshotPrefix, c.at)
	size, err := writeSnapshot(path+temporary, write)
	if err != nil {
		return errors.Join(fmt.Errorf("write a snapshot: %w", err), os.Remove(path+temporary))
	}
	if err := errors.Join(os.Rename(path+temporary, path), syncDir(c.log.dir)); err != nil {
		return fmt.Errorf("write a snapshot: %w", err)
	}
	c.log.mu.Lock()
	c.log.snapshotted = size
	c.log.mu.Unlock()
	return c.log.removeOld()
}

func writeSnapshot(path string, write func(add func(record []byte) error) error) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	to := bufio.NewWriterSize(f, 1<<20)
	size = int64(len(snapshotMagic))
	_, err = to.Write(snapshotMagic[:])
	number := uint64(0)
	var frame []byte
	add := func(record []byte) error {
		number++
		frame = appendFrame(frame[:0], number, 1, record)
		size += int64(len(frame))
		_, err := to.Write(frame)
		return err
	}
	if err == nil {
		err = write(add)
	}
	if err == nil {
		err = add(nil) // the end, without which a snapshot is not whole
	}
	return size, errors.Join(err, to.Flush(), f.Sync(), f.Close())
}

// readSnapshot calls restore for the records of a snapshot.
func (l *Log) readSnapshot(at uint64, restore func([]byte) error) error {
	path := l.path(snapshotPrefix, at)
	advice := fmt.Sprintf("the snapshot before it and the log say the same: mv %s %s", path, filepath.Join(l.dir, "damaged"))
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	src := bufio.NewReaderSize(f, 1<<20)
	if whole, err := readMagic(src, snapshotMagic); err != nil || !whole {
		var damage *DamageError
		errors.As(notOurs(path, err), &damage)
		damage.Advice = advice
		return damage
	}
	r := &frameReader{src: src, at: int64(len(snapshotMagic))}
	for {
		start := r.at
		record, err := r.next()
		switch {
		case errors.Is(err, io.EOF):
			err = errCutOff
		case err == nil && len(record) == 0:
			l.snapshotted = r.at
			return nil
		case err == nil:
			err = restore(record)
		}
		if err != nil {
			return &DamageError{File: path, Offset: start, Record: r.number + 1, Problem: err.Error(), Advice: advice}
		}
	}
}

// removeOld removes the snapshots but the last two, and the log before the older
// of them. With a single snapshot the whole log is kept.
func (l *Log) removeOld() error {
	snapshots, logs, err := l.files()
	if err != nil || len(snapshots) < 2 {
		return err
	}
	oldest := snapshots[len(snapshots)-2]
	var errs []error
	for _, n := range snapshots[:len(snapshots)-2] {
		errs = append(errs, os.Remove(l.path(snapshotPrefix, n)))
	}
	// The segment that holds record oldest+1, if there is one, begins with it.
	keep, _ := slices.BinarySearch(logs, oldest+1)
	for _, n := range logs[:keep] {
		errs = append(errs, os.Remove(l.path(logPrefix, n)))
	}
	return errors.Join(errs...)
}
