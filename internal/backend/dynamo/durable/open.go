package durable

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Recovery says what Open found.
type Recovery struct {
	Snapshot uint64 // number of the record up to which a snapshot was read; 0: none
	Records  uint64 // read from the log
	// CutOff are the bytes behind the last whole record that were taken off: a
	// write that was under way when the process ended, acknowledged to nobody.
	CutOff int64
}

// A DamageError says which record of which file cannot be read, and how to go on.
type DamageError struct {
	File    string
	Offset  int64  // where the record begins; 0: the file as a whole
	Record  uint64 // its number in the file's kind of order
	Problem string
	Advice  string // what to do
}

// Error is one line.
func (e *DamageError) Error() string {
	if e.Offset == 0 {
		return fmt.Sprintf("%s: %s; %s", e.File, e.Problem, e.Advice)
	}
	return fmt.Sprintf("%s: record %d at byte %d is damaged: %s; %s", e.File, e.Record, e.Offset, e.Problem, e.Advice)
}

// Open takes hold of a directory, which it makes if need be, and calls restore for
// every record that leads to its state: those of the last snapshot first, then
// those of the log behind it. A directory that another process has open is refused.
// Damage is a *DamageError. What restore is given is good until it returns.
func Open(dir string, restore func(record []byte) error) (*Log, Recovery, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, Recovery{}, err
	}
	lock, err := lockDir(dir)
	if err != nil {
		return nil, Recovery{}, err
	}
	l := &Log{dir: dir, lock: lock}
	l.settled.L = &l.mu
	found, err := l.recover(restore)
	if err != nil {
		return nil, found, errors.Join(err, lock.Close())
	}
	return l, found, nil
}

func (l *Log) recover(restore func([]byte) error) (found Recovery, err error) {
	if err := removeUnfinished(l.dir); err != nil {
		return found, err
	}
	snapshots, logs, err := l.files()
	if err != nil {
		return found, err
	}
	if len(snapshots) > 0 {
		found.Snapshot = snapshots[len(snapshots)-1]
		if err := l.readSnapshot(found.Snapshot, restore); err != nil {
			return found, err
		}
	}
	last, end, err := l.readLog(logs, found.Snapshot+1, func(record []byte) error {
		found.Records++
		return restore(record)
	})
	if err != nil {
		return found, err
	}
	found.CutOff = end.cutOff
	number := found.Snapshot + found.Records
	l.appended.Store(number)
	l.durable.Store(number)
	if last == 0 || end.number < number { // no log, or one that ends before the snapshot
		l.file, err = l.startSegment(number + 1)
		return found, err
	}
	l.logged = end.at
	l.file, err = l.continueSegment(last, end)
	return found, err
}

// readLog calls visit for the records from number next on. It returns the last
// segment, 0 if there is none, and where it ends.
func (l *Log) readLog(logs []uint64, next uint64, visit func(record []byte) error) (last uint64, end segmentEnd, err error) {
	// The last segment that can have record next; those before it are older.
	i, exact := slices.BinarySearch(logs, next)
	if !exact && i > 0 {
		i--
	}
	logs = logs[i:]
	for i, first := range logs {
		if first > next {
			return 0, end, missing(l.path(logPrefix, next))
		}
		s := segment{path: l.path(logPrefix, first), first: first, behind: logs[i+1:], log: l}
		last = first
		end, err = s.read(func(number uint64, record []byte) error {
			if number < next {
				return nil
			}
			next++
			return visit(record)
		})
		if err != nil {
			return 0, end, err
		}
	}
	return last, end, nil
}

func missing(path string) error {
	return &DamageError{File: path, Problem: "the file is missing, and others follow it", Advice: "put it back from a copy"}
}

// removeUnfinished removes what a snapshot that was not finished has left.
func removeUnfinished(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), temporary) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// files lists what there is, in order.
func (l *Log) files() (snapshots, logs []uint64, err error) {
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		if n, ok := numberIn(e.Name(), snapshotPrefix); ok {
			snapshots = append(snapshots, n)
		}
		if n, ok := numberIn(e.Name(), logPrefix); ok {
			logs = append(logs, n)
		}
	}
	slices.Sort(snapshots)
	slices.Sort(logs)
	return snapshots, logs, nil
}

func numberIn(name, prefix string) (uint64, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	if !ok || len(digits) != 16 {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 16, 64)
	return n, err == nil
}

// readMagic reads the first bytes of a file. whole is false if the file ends within
// them.
func readMagic(src io.Reader, want [16]byte) (whole bool, err error) {
	var got [16]byte
	switch _, err := io.ReadFull(src, got[:]); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return false, nil
	case err != nil:
		return false, err
	case got != want:
		return false, fmt.Errorf("it begins with %q, want %q", got[:], want[:])
	}
	return true, nil
}

func notOurs(path string, err error) error {
	problem := "it is empty or cut off"
	if err != nil {
		problem = err.Error()
	}
	return &DamageError{File: path, Problem: problem, Advice: "it is damaged or of another version: put it back from a copy"}
}
