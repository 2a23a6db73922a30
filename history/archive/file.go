package archive

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/history/internal/lines"
)

// A File is a file of records that can be read any number of times.
type File struct {
	fsys   fs.FS
	name   string
	header Header
}

// Open reads the header of a file in fsys.
func Open(fsys fs.FS, name string) (*File, error) {
	f := &File{fsys: fsys, name: name}
	r, err := f.open()
	if err != nil {
		return nil, err
	}
	defer r.close()
	f.header = r.header
	return f, nil
}

// Load opens a file and reads it once to the end, so that a run does not begin
// on a file that is damaged, cut off or has a key twice; the error is then a
// *history.LineError. progress, which may be nil, counts records. While it reads
// it keeps 16 bytes a record, and their overhead in a map.
func Load(ctx context.Context, fsys fs.FS, name string, progress history.Progress) (*File, error) {
	f, err := Open(fsys, name)
	if err != nil {
		return nil, err
	}
	seen := make(map[[16]byte]struct{})
	err = f.each(ctx, progress, func(r history.Record) error {
		// 128 bits: two of a billion keys share them once in 10^20 files.
		sum := sha256.Sum256([]byte(r.Key))
		fingerprint := [16]byte(sum[:16])
		if _, twice := seen[fingerprint]; twice {
			return fmt.Errorf("%w: %q", ErrDuplicate, r.Key)
		}
		seen[fingerprint] = struct{}{}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Header returns the file's first line.
func (f *File) Header() Header { return f.header }

// Records reads the file from its beginning and yields its records in its
// order. An error is the last thing yielded: a *history.LineError, or one that
// names the file.
func (f *File) Records(ctx context.Context, progress history.Progress) iter.Seq2[history.Record, error] {
	return func(yield func(history.Record, error) bool) {
		err := f.each(ctx, progress, func(r history.Record) error {
			if !yield(r, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(history.Record{}, err)
		}
	}
}

var errStopped = errors.New("stopped")

// reportEvery is after how many records the context is looked at and progress
// is told.
const reportEvery = 1 << 13

func (f *File) each(ctx context.Context, progress history.Progress, do func(history.Record) error) error {
	r, err := f.open()
	if err != nil {
		return err
	}
	defer r.close()
	for n := int64(0); ; n++ {
		if n%reportEvery == 0 {
			if progress != nil {
				progress(n, r.header.Records)
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		record, err := r.next()
		if errors.Is(err, io.EOF) {
			if progress != nil {
				progress(n, r.header.Records)
			}
			return nil
		}
		if err != nil {
			return err
		}
		if err := do(record); err != nil {
			return r.bad(err)
		}
	}
}

// A reader is one reading of a file.
type reader struct {
	name   string
	file   fs.File
	lines  *lines.Reader
	parser lineParser
	header Header
	left   Header // what the records to come must add up to
}

func (f *File) open() (*reader, error) {
	file, err := f.fsys.Open(f.name)
	if err != nil {
		return nil, fmt.Errorf("history file: %w", err)
	}
	r, err := newReader(f.name, file)
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	r.file = file
	return r, nil
}

func newReader(name string, in io.Reader) (*reader, error) {
	r := &reader{name: name}
	plain, err := lines.Plain(in)
	if err != nil {
		return nil, fmt.Errorf("history file %s: %w", name, err)
	}
	r.lines = lines.NewReader(plain, maxLine)
	line, err := r.lines.Next()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("history file %s: %w: it is empty", name, ErrSchema)
	}
	if err != nil {
		return nil, r.bad(err)
	}
	if r.header, err = parseHeader(line); err != nil {
		return nil, r.bad(err)
	}
	r.left = r.header
	return r, nil
}

// next returns the next record, or io.EOF after the last one if the header's
// counts are right.
func (r *reader) next() (history.Record, error) {
	line, err := r.lines.Next()
	if errors.Is(err, io.EOF) {
		if r.left.Records != 0 || r.left.ItemBytes != 0 {
			return history.Record{}, r.bad(fmt.Errorf("%w: it ends with %d records of %d bytes, the header says %d of %d", ErrCounts,
				r.header.Records-r.left.Records, r.header.ItemBytes-r.left.ItemBytes, r.header.Records, r.header.ItemBytes))
		}
		return history.Record{}, io.EOF
	}
	if err != nil {
		return history.Record{}, r.bad(err)
	}
	record, err := r.parser.parse(line)
	if err != nil {
		return history.Record{}, r.bad(err)
	}
	r.left.Records--
	r.left.ItemBytes -= int64(record.ItemBytes)
	return record, nil
}

func (r *reader) bad(err error) error {
	if errors.Is(err, errStopped) {
		return err
	}
	return &history.LineError{File: r.name, Line: r.lines.Line(), Err: err}
}

func (r *reader) close() { _ = r.file.Close() }
