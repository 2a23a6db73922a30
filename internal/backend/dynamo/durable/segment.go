package durable

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// segmentFile is a segment that is written. Behind its records it has room, made
// of zeros: a disk that has the place of a record and the file's length already is
// forced to keep the record alone, which takes about half the time.
type segmentFile struct {
	f    *os.File
	at   int64 // where the next record goes
	room int64 // where the file ends
}

// Room grows by what the segment holds, so that small ones stay small, within
// these bounds, in bytes.
const (
	minRoom = 64 << 10
	maxRoom = 4 << 20
)

// Write appends b.
func (s *segmentFile) Write(b []byte) (int, error) {
	if end := s.at + int64(len(b)); end > s.room {
		if err := s.makeRoom(end + min(max(minRoom, end), maxRoom)); err != nil {
			return 0, err
		}
	}
	n, err := s.f.WriteAt(b, s.at)
	s.at += int64(n)
	return n, err
}

// makeRoom makes the file end at to. Its length is on disk before a record is that
// relies on it.
func (s *segmentFile) makeRoom(to int64) error {
	zeros := make([]byte, minRoom)
	for s.room < to {
		n, err := s.f.WriteAt(zeros[:min(minRoom, to-s.room)], s.room)
		s.room += int64(n)
		if err != nil {
			return err
		}
	}
	return s.f.Sync()
}

// Sync forces what has been written to disk.
func (s *segmentFile) Sync() error { return syncData(s.f) }

// Trim ends the file with its last record, for good.
func (s *segmentFile) Trim() error {
	if err := s.f.Truncate(s.at); err != nil {
		return err
	}
	s.room = s.at
	return s.f.Sync()
}

// Close trims the file and closes it.
func (s *segmentFile) Close() error { return errors.Join(s.Trim(), s.f.Close()) }

// segment is a file of the log while it is read.
type segment struct {
	path   string
	first  uint64
	behind []uint64 // the segments that follow it
	log    *Log
}

// segmentEnd is where a segment's whole records end.
type segmentEnd struct {
	number uint64 // of the last record
	at     int64
	cutOff int64 // bytes that follow and are of a write that did not end
}

// read calls visit for each record.
func (s *segment) read(visit func(number uint64, record []byte) error) (segmentEnd, error) {
	f, err := os.Open(s.path)
	if err != nil {
		return segmentEnd{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	src := bufio.NewReaderSize(f, 1<<20)
	if whole, err := readMagic(src, logMagic); err != nil || !whole {
		if err == nil && len(s.behind) == 0 {
			info, err := f.Stat()
			if err != nil {
				return segmentEnd{}, err
			}
			return segmentEnd{number: s.first - 1, cutOff: info.Size()}, nil // made, and not written to
		}
		return segmentEnd{}, notOurs(s.path, err)
	}
	r := &frameReader{src: src, at: int64(len(logMagic)), number: s.first - 1}
	for {
		start := *r
		record, problem := r.next()
		switch {
		case errors.Is(problem, io.EOF):
			return segmentEnd{number: r.number, at: r.at}, nil
		case problem != nil && len(s.behind) == 0:
			return s.end(f, &start, problem)
		case problem != nil:
			return segmentEnd{}, s.damage(&start, problem)
		}
		if err := visit(r.number, record); err != nil {
			return segmentEnd{}, s.damage(&start, err)
		}
	}
}

// end tells, in the last segment, a write that did not end from damage. r stands
// before the record with the problem.
func (s *segment) end(f *os.File, r *frameReader, problem error) (segmentEnd, error) {
	rest, err := io.ReadAll(io.NewSectionReader(f, r.at, 1<<62))
	if err != nil {
		return segmentEnd{}, err
	}
	if !errors.Is(problem, errCutOff) && !errors.Is(problem, errZeros) && !torn(rest, r.at, r.number+1) {
		return segmentEnd{}, s.damage(r, problem)
	}
	written := len(rest)
	for written > 0 && rest[written-1] == 0 {
		written--
	}
	return segmentEnd{number: r.number, at: r.at, cutOff: int64(written)}, nil
}

// sector is what a disk writes as a whole, in bytes: it holds all of a write's part
// of it or, where the machine or the process stopped before, none.
const sector = 512

// torn says whether the record that rest begins with, at byte at of its file, is
// what the end of the machine or of the process can make of one: a sector of it, or
// more, is as it was before the write, which is zeros, and no later write was
// begun, as one is only when the write before has ended.
func torn(rest []byte, at int64, number uint64) bool {
	extent := int64(frameHeader)
	if h, ok := frameHeaderOf(rest); ok {
		if h.number != number {
			return false
		}
		extent += int64(h.length)
	}
	for from := int64(0); from < min(extent, int64(len(rest))); {
		to := min(from+sector-(at+from)%sector, int64(len(rest)))
		if isZero(rest[from:to]) {
			return !laterWrite(rest, number)
		}
		from = to
	}
	return false
}

// laterWrite looks in b for the frame of a record that was written when the one
// with this number was on disk.
func laterWrite(b []byte, number uint64) bool {
	for ; len(b) >= frameHeader; b = b[1:] {
		if binary.LittleEndian.Uint64(b[12:]) <= number {
			continue // the number of the first, if this is a header; checksums take longer
		}
		if h, ok := frameHeaderOf(b); ok && h.number >= h.first {
			return true
		}
	}
	return false
}

// damage is the error of the record that r stands before.
func (s *segment) damage(r *frameReader, problem error) error {
	advice := fmt.Sprintf("to go on without it and all that was written after it: truncate -s %d %s", r.at, s.path)
	for _, n := range s.behind {
		advice += " && rm " + s.log.path(logPrefix, n)
	}
	return &DamageError{File: s.path, Offset: r.at, Record: r.number + 1, Problem: problem.Error(), Advice: advice}
}

// startSegment makes the file for the records from number first on, in which
// there are none yet. The file has room once it has said what it is.
func (l *Log) startSegment(first uint64) (file, error) {
	f, err := os.OpenFile(l.path(logPrefix, first), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(force(f, logMagic[:]), syncDir(l.dir)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &segmentFile{f: f, at: int64(len(logMagic)), room: int64(len(logMagic))}, nil
}

// continueSegment opens the last segment to append to it, and takes off what
// stands behind its records.
func (l *Log) continueSegment(first uint64, end segmentEnd) (file, error) {
	if end.at == 0 {
		return l.startSegment(first)
	}
	f, err := os.OpenFile(l.path(logPrefix, first), os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	s := &segmentFile{f: f, at: end.at}
	if err := s.Trim(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return s, nil
}
