// Package catalog is a query reader's view of the catalog: the last complete
// listing, kept while refreshes fail (docs/spec/metadata-store.md §4, "A
// reader's last-good cache").
//
// A reader with a complete catalog of known age is better off than
// one with an error or, worse, with half a catalog. So a listing replaces the
// last one only when it is complete, and its age is always told.
package catalog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
)

// ErrEmpty reports that no refresh has succeeded yet: there is nothing to serve.
var ErrEmpty = errors.New("catalog has never been read")

// A Lister drains a prefix.
type Lister interface {
	List(ctx context.Context, prefix string) iter.Seq2[store.Entry, error]
}

// A Catalog is the last complete listing of a prefix. It may be used by several
// tasks at once.
type Catalog struct {
	lister Lister
	prefix string

	refreshing task.Mutex

	mu     sync.Mutex // guards what follows; never held over a yield
	last   map[string][]byte
	began  time.Time // when the listing of last began
	failed int       // refreshes that failed since
	err    error     // of the last of them
}

// New returns an empty catalog of prefix.
func New(lister Lister, prefix string) *Catalog {
	return &Catalog{lister: lister, prefix: prefix}
}

// Refresh lists the prefix and, once the listing is complete, serves it. If it
// fails the last complete listing stays in place. Refreshes run one at a time.
func (c *Catalog) Refresh(ctx context.Context) error {
	if err := c.refreshing.Lock(ctx); err != nil {
		return err
	}
	defer c.refreshing.Unlock()
	began := task.Now(ctx)
	listing, err := c.list(ctx)

	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.failed++
		c.err = err
		return fmt.Errorf("refresh catalog %q: %w", c.prefix, err)
	}
	c.last, c.began, c.failed, c.err = listing, began, 0, nil
	return nil
}

func (c *Catalog) list(ctx context.Context) (map[string][]byte, error) {
	listing := make(map[string][]byte)
	for entry, err := range c.lister.List(ctx, c.prefix) {
		if err != nil {
			return nil, err
		}
		listing[entry.Key] = entry.Value
	}
	return listing, nil
}

// A View is what a reader works with.
type View struct {
	// Entries is the last complete listing; it is shared and must not be
	// changed.
	Entries map[string][]byte
	// Age is the time since that listing began: all that was acknowledged before
	// is in it.
	Age time.Duration
	// Failed counts the refreshes that failed since, and Err is the last one's
	// error.
	Failed int
	Err    error
}

// View returns the last complete listing, or ErrEmpty, which wraps the last
// refresh's error, if there has been none.
func (c *Catalog) View(ctx context.Context) (View, error) {
	now := task.Now(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		if c.err != nil {
			return View{}, fmt.Errorf("%w: %q, %d refreshes failed: %w", ErrEmpty, c.prefix, c.failed, c.err)
		}
		return View{}, fmt.Errorf("%w: %q", ErrEmpty, c.prefix)
	}
	return View{Entries: c.last, Age: now.Sub(c.began), Failed: c.failed, Err: c.err}, nil
}
