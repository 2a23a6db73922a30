// Package store is the contract of lakebench's metadata stores, and what their
// layouts share: keys, families and shards, cursors, limits and errors.
//
// A metadata store maps a logical key, a path such as "tbl/orders", to an opaque
// value. Every mutation is conditional on the exact value it replaces, so a
// caller always knows what it overwrote. When the outcome of a mutation cannot be
// known the caller is told so (ErrUnknown): no implementation guesses from what
// it reads back, since another writer may have written the same bytes.
//
// The implementations are store/v1 (one table read by Scan), store/v2 (a table of
// buckets read by Query) and store/dual (a node that moves from one to the other);
// store/storetest is the suite that each must pass.
// The specification is docs/spec/metadata-store.md, whose sections the comments name.
package store

import (
	"bytes"
	"context"
	"fmt"
	"iter"
)

// A MetaStore is one node's view of a lake's metadata
// (docs/spec/metadata-store.md §1). Its methods may be called from several
// tasks at once. Every method can also return the service's own errors, wrapped
// with the operation, the table and the key, and every mutation of a dual node
// ErrWritesPaused and ErrMirrorConflict.
type MetaStore interface {
	// Get returns the value of key, never nil, or ErrNotFound. It is one
	// request, strongly consistent unless the store was opened otherwise.
	Get(ctx context.Context, key string) ([]byte, error)

	// CAS sets key to next if it now is as expected. It returns a
	// *ConflictError, ErrContention or ErrUnknown.
	CAS(ctx context.Context, key string, expected Expectation, next []byte) error

	// GuardedMutate applies m if the guard holds and m's target is as expected,
	// all of it atomically. It returns a *GuardError, only if the guard holds a
	// *ConflictError, or ErrContention or ErrUnknown. A guard on the target
	// itself is refused up front (ErrInvalid).
	GuardedMutate(ctx context.Context, g Guard, m Mutation) error

	// Delete removes key if it holds exactly expected. It returns a
	// *ConflictError for another value, ErrNotFound for none, ErrContention or
	// ErrUnknown.
	Delete(ctx context.Context, key string, expected []byte) error

	// Page is one request: it evaluates at most limit items (0: as many as the
	// service puts into a page, 1 MB) and returns those under prefix, possibly
	// none. The empty cursor starts; Page.Cursor continues.
	Page(ctx context.Context, prefix string, limit int, cursor string) (Page, error)

	// List drains Page. It ends after the first error, which comes with a zero
	// Entry. Every key under prefix that exists for the whole drain comes exactly
	// once; the order is not promised.
	List(ctx context.Context, prefix string) iter.Seq2[Entry, error]

	// ListFamily drains one family, "root" included (see keyspace.Family).
	ListFamily(ctx context.Context, family string) iter.Seq2[Entry, error]
}

// An Entry is a key and its value.
type Entry struct {
	Key   string
	Value []byte
}

// A Page is what one request of a prefix read returned.
type Page struct {
	Entries []Entry
	// Cursor continues after this page; it is empty once all has been read. A
	// page without entries may well have a cursor.
	Cursor string
}

// An Expectation is what a key must hold for a mutation to apply: nothing, or
// exactly one value. The zero Expectation is Absent.
type Expectation struct {
	value  []byte
	exists bool
}

// Absent expects that the key does not exist. An empty value is not absence.
func Absent() Expectation { return Expectation{} }

// Exactly expects that the key exists and holds value; nil stands for the empty
// value.
func Exactly(value []byte) Expectation { return Expectation{value: value, exists: true} }

// Value returns the expected value, and false if absence is expected.
func (e Expectation) Value() ([]byte, bool) { return e.value, e.exists }

// Met reports whether a key that holds value, or does not exist, is as expected.
func (e Expectation) Met(value []byte, exists bool) bool {
	return e.exists == exists && bytes.Equal(e.value, value)
}

func (e Expectation) String() string {
	if !e.exists {
		return "no value"
	}
	return describe(e.value)
}

// A Guard is a key that must be as expected for a mutation of another key to
// apply, such as a lease that fences a commit.
type Guard struct {
	Key    string
	Expect Expectation
}

// A Mutation is what GuardedMutate does to its target. With Delete the target is
// removed: then Expect must name a value, and Next must be nil.
type Mutation struct {
	Key    string
	Expect Expectation
	Next   []byte
	Delete bool
}

// CheckGuarded refuses guards and mutations that mean nothing, with ErrInvalid.
func CheckGuarded(g Guard, m Mutation) error {
	switch {
	case g.Key == m.Key:
		return fmt.Errorf("%w: the guard %q is also the target; a conditional write of that key alone says the same", ErrInvalid, g.Key)
	case m.Delete && !m.Expect.exists:
		return fmt.Errorf("%w: deleting %q expects no value; a delete names the value that it removes", ErrInvalid, m.Key)
	case m.Delete && m.Next != nil:
		return fmt.Errorf("%w: the mutation of %q both deletes it and sets it", ErrInvalid, m.Key)
	}
	return nil
}

// Drain reads pages until one has no cursor. Only the cursor ends it: an empty
// page is not the end (hazard 7).
func Drain(ctx context.Context, page func(ctx context.Context, cursor string) (Page, error)) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for cursor := ""; ; {
			p, err := page(ctx, cursor)
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, e := range p.Entries {
				if !yield(e, nil) {
					return
				}
			}
			if p.Cursor == "" {
				return
			}
			cursor = p.Cursor
		}
	}
}

// Consistency is the consistency of a store's reads.
type Consistency int

// Strong reads see every write that was acknowledged before they began. Eventual
// reads cost half and may be stale.
const (
	Strong Consistency = iota
	Eventual
)

func (c Consistency) String() string {
	if c == Eventual {
		return "eventual"
	}
	return "strong"
}
