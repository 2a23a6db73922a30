package store

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// What can come of an operation, beside errors of the service itself. Test for
// them with errors.Is.
var (
	// ErrNotFound: the key does not exist.
	ErrNotFound = errors.New("key not found")
	// ErrConflict: the key is not as expected. The error is a *ConflictError.
	ErrConflict = errors.New("value is not as expected")
	// ErrGuard: the guard is not as expected. The error is a *GuardError.
	ErrGuard = errors.New("guard is not as expected")
	// ErrUnknown: the mutation may have been applied, may not have been, and may
	// yet be. Reading the key back settles nothing: an equal value may be
	// another writer's, and a delayed request may still land.
	ErrUnknown = errors.New("outcome unknown")
	// ErrContention: the service refused every attempt because of other
	// transactions on the same items, or for load. Nothing was written.
	ErrContention = errors.New("refused for contention")
	// ErrWritesPaused: a finalization holds the write barrier. Nothing was
	// written; try again once it is over, which takes seconds
	// (docs/spec/metadata-store.md §4).
	ErrWritesPaused = errors.New("writes are paused for a finalization")
	// ErrMirrorConflict: v1 is as expected and v2 holds another value, so that
	// neither was written (docs/spec/metadata-store.md §4, "Dual mutation").
	ErrMirrorConflict = errors.New("v2 holds another value than v1")
	// ErrBadCursor: the cursor is damaged, or was made by another layout, table
	// or prefix.
	ErrBadCursor = errors.New("bad cursor")
	// ErrPrefixSpansFamilies: the prefix does not name one whole family.
	ErrPrefixSpansFamilies = errors.New("prefix spans families")
	// ErrTooLarge: a key or an item is over a limit of DynamoDB.
	ErrTooLarge = errors.New("over the limit")
	// ErrInvalid: the arguments mean nothing, whatever the store holds.
	ErrInvalid = errors.New("invalid argument")
	// ErrMalformed: a record or an answer is not what this program writes or
	// the service documents.
	ErrMalformed = errors.New("malformed record")
	// ErrNoTable: the table does not exist.
	ErrNoTable = errors.New("no such table")
)

// Found is what a key held when the service refused a write because of it.
type Found struct {
	Value  []byte
	Exists bool // false also when the service did not return the item
}

func (f Found) String() string {
	if !f.Exists {
		return "no value"
	}
	return describe(f.Value)
}

// A ConflictError reports that the target of a mutation is not as expected. It is
// an ErrConflict. Its text leaves out the key, which the operation's names.
type ConflictError struct {
	Table, Key string
	Expected   Expectation
	Found      Found
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("%v: expected %v, found %v", ErrConflict, e.Expected, e.Found)
}

// Unwrap returns ErrConflict.
func (e *ConflictError) Unwrap() error { return ErrConflict }

// A GuardError reports that the guard of a mutation is not as expected. It is an
// ErrGuard.
type GuardError struct {
	Table, Key string // of the guard
	Expected   Expectation
	Found      Found
}

func (e *GuardError) Error() string {
	return fmt.Sprintf("%v: guard %q: expected %v, found %v", ErrGuard, shorten(e.Key), e.Expected, e.Found)
}

// Unwrap returns ErrGuard.
func (e *GuardError) Unwrap() error { return ErrGuard }

// Failed wraps err with what was attempted, and as ErrNoTable if that is what the
// service said.
func Failed(operation, table, key string, err error) error {
	var missing *types.ResourceNotFoundException
	if errors.As(err, &missing) {
		return fmt.Errorf("%s %q: %w: %s (%w)", operation, shorten(key), ErrNoTable, table, err)
	}
	return fmt.Errorf("%s %q in table %s: %w", operation, shorten(key), table, err)
}

// describeBytes is how much of a value an error message shows.
const describeBytes = 64

// describe shows a value, text as text, so that a message stays one short line.
func describe(v []byte) string {
	shown, more := v, ""
	if len(v) > describeBytes {
		shown, more = v[:describeBytes], "…"
	}
	if utf8.Valid(v) {
		return fmt.Sprintf("%s%s (%d bytes)", strconv.Quote(string(shown)), more, len(v))
	}
	return fmt.Sprintf("0x%x%s (%d bytes)", shown, more, len(v))
}
