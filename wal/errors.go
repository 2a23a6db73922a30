package wal

import (
	"errors"
	"fmt"

	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/manifest/object"
)

// What can come of an operation, beside errors of the service, of the manifest
// and of the formats. Test for them with errors.Is.
var (
	// ErrFenced: a newer epoch holds the shard.
	ErrFenced = manifest.ErrFenced
	// ErrSealed: the shard is being dropped.
	ErrSealed = manifest.ErrSealed
	// ErrInvalid: the arguments mean nothing. Nothing was written.
	ErrInvalid = object.ErrInvalid
	// ErrUnknown: rows may have been appended, or may yet be. Whoever opens the
	// shard again finds out.
	ErrUnknown = object.ErrUnknown
	// ErrPoisoned: an append ended with ErrUnknown, so that this writer does not
	// know the end of the log any more. Open the shard again.
	ErrPoisoned = errors.New("the writer does not know the end of its log")
	// ErrClosed: the writer was closed.
	ErrClosed = errors.New("the writer is closed")
	// ErrGap: an entry is missing below one that exists.
	ErrGap = errors.New("gap in the log")
	// ErrCollected: the entry was there, and was deleted since a generation holds
	// its rows.
	ErrCollected = errors.New("the entry was collected")
	// ErrDamaged: an object is not what its reference promises.
	ErrDamaged = errors.New("damaged")
)

// An EntryError is an entry of the log that cannot be used.
type EntryError struct {
	Path     string // of its object
	Position uint64
	Err      error // ErrGap, ErrCollected, ErrDamaged, or a *FencedError
}

func (e *EntryError) Error() string {
	return fmt.Sprintf("WAL entry %d at %s: %v", e.Position, e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *EntryError) Unwrap() error { return e.Err }

// A FencedError is an entry, or a manifest, of a newer epoch than the writer's.
type FencedError struct{ Epoch, Found uint64 }

func (e *FencedError) Error() string {
	return fmt.Sprintf("%v: it is of epoch %d, ours is %d; open the shard again to write", ErrFenced, e.Found, e.Epoch)
}

// Unwrap returns ErrFenced.
func (e *FencedError) Unwrap() error { return ErrFenced }

// A GenerationError is an object of a generation that cannot be read.
type GenerationError struct {
	Path string // of the object
	Err  error
}

func (e *GenerationError) Error() string {
	return fmt.Sprintf("%s is %v: %v", e.Path, ErrDamaged, e.Err)
}

// Unwrap returns ErrDamaged and the reason.
func (e *GenerationError) Unwrap() []error { return []error{ErrDamaged, e.Err} }
