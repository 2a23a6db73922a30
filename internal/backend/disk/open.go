package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/lakebench/lakebench/internal/atomicfile"
)

// fileName is the file in the directory.
const fileName = "lakebench.db"

// earlierLock is a file of every directory in the format before bbolt.
const earlierLock = "LOCK"

// The bucket and key that hold the format.
const (
	formatBucket = "lakebench"
	formatKey    = "format"
)

// options of bbolt. It does not wait for the lock. It writes its list of free pages
// with every commit, which verify compares with the pages in use; without the list it
// would find them itself, and end the process where they are damaged.
var options = bbolt.Options{Timeout: time.Nanosecond, FreelistType: bbolt.FreelistMapType, NoStatistics: true}

// A DamageError is about a file that cannot be read.
type DamageError struct {
	File    string
	Problem string
}

// Error returns one line: the file, what is wrong and what to do.
func (e *DamageError) Error() string {
	return fmt.Sprintf("%s: %s; put it back from a copy, or choose another directory", e.File, e.Problem)
}

// Open opens a directory, which it creates if needed. format names the service and
// the version of what it stores; a directory with another format is refused, and so
// is one that another process has open. Damage is a *DamageError.
func Open(dir, format string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, earlierLock)); err == nil {
		return nil, fmt.Errorf("%s holds data in the format of an earlier lakebench, which this one cannot read: choose another directory", dir)
	}
	path := filepath.Join(dir, fileName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := create(path, format); err != nil {
			return nil, fmt.Errorf("create a database in %s: %w", dir, err)
		}
	}
	if err := verify(path, format); err != nil {
		return nil, explain(err, dir, path)
	}
	db, err := bbolt.Open(path, 0o600, &options)
	if err != nil {
		return nil, explain(err, dir, path)
	}
	s := &Store{db: db, dir: dir}
	s.written.L = &s.mu
	return s, nil
}

// create makes the file. It appears under its name when it is complete, so the end of
// the process leaves nothing that cannot be opened, and of two processes that create
// it at the same time one finds the other's.
func create(path, format string) error {
	dir := filepath.Dir(path)
	unfinished, err := os.CreateTemp(dir, fileName+".*.new")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(unfinished.Name()) }() // it has its other name, or is of no use
	if err := unfinished.Close(); err != nil {
		return err
	}
	db, err := bbolt.Open(unfinished.Name(), 0o600, &options)
	if err != nil {
		return err
	}
	s := &Store{db: db}
	err = s.commit([]Change{Create(formatBucket), Put(formatBucket, formatKey, format)})
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	if err := os.Link(unfinished.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return atomicfile.SyncDir(dir)
}

// explain says what an error of bbolt.Open means for the directory.
func explain(err error, dir, path string) error {
	var damage *DamageError
	var system syscall.Errno
	switch {
	case errors.Is(err, bbolterrors.ErrTimeout):
		return fmt.Errorf("%s is in use by another process: stop that one first, or choose another directory", dir)
	case errors.As(err, &damage), errors.As(err, &system), errors.Is(err, errFormat):
		return err
	}
	return &DamageError{path, "it is damaged, or not a file of lakebench (" + err.Error() + ")"}
}

// errFormat is the error of a directory with another format than the one wanted.
var errFormat = errors.New("choose another directory")

// verify reads the whole file, and compares the sum of every bucket with its entries.
// It opens the file for reading only, since bbolt reads nothing of it by itself then.
func verify(path, format string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Size() == 0 { // bbolt would make a new database of it
		return &DamageError{path, "it is empty"}
	}
	readOnly := options
	readOnly.ReadOnly = true
	db, err := bbolt.Open(path, 0o600, &readOnly)
	if err != nil {
		return err
	}
	var found string
	err = guard(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			if info.Size() < tx.Size() {
				return fmt.Errorf("it is cut off: %d of %d bytes", info.Size(), tx.Size())
			}
			if b := tx.Bucket([]byte(formatBucket)); b != nil {
				found = string(b.Get([]byte(formatKey)))
			}
			if err := verifySums(tx); err != nil {
				return err
			}
			return verifyPages(tx)
		})
	})
	switch {
	case err != nil:
		err = &DamageError{path, err.Error()}
	case found != format:
		err = fmt.Errorf("%s has format %q, expected %q: %w", path, found, format, errFormat)
	}
	return errors.Join(err, db.Close())
}

// guard turns what a damaged page makes of its reader, a panic or a fault in mapped
// memory, into an error.
func guard(read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("a page is damaged (%v)", v)
		}
	}()
	return read()
}

// verifySums compares the sum of every bucket with its entries. It also looks up each
// key, which reads the pages above the entry.
func verifySums(tx *bbolt.Tx) error {
	return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		total := uint64(0)
		err := b.ForEach(func(key, value []byte) error {
			total += sum(key, value)
			if !bytes.Equal(b.Get(key), value) {
				return errPages
			}
			return nil
		})
		if err == nil && total != b.Sequence() {
			err = fmt.Errorf("the entries of bucket %q do not add up to its sum", name)
		}
		return err
	})
}

// errPages stands for what bbolt says of a damaged tree, which is pages long.
var errPages = errors.New("its pages do not belong together")

// verifyPages has bbolt check its tree and its list of free pages.
func verifyPages(tx *bbolt.Tx) (err error) {
	for range tx.Check(bbolt.WithKVStringer(unread{})) {
		err = errPages
	}
	return err
}

// unread prints no key: a damaged one may be of any length.
type unread struct{}

// KeyToString returns nothing.
func (unread) KeyToString([]byte) string { return "" }

// ValueToString returns nothing.
func (unread) ValueToString([]byte) string { return "" }
