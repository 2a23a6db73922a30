package workloads

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakebench/lakebench/store"
)

// A client is one who reads and writes records, and remembers what they held.
type client struct {
	store store.MetaStore
	known map[string][]byte
}

// mostTries bounds how often a client tries to get a change through.
const mostTries = 1000

func (c *client) read(ctx context.Context, key string) error {
	value, err := c.store.Get(ctx, key)
	if err == nil {
		c.known[key] = value
	}
	return err
}

// create writes a record that no other client writes.
func (c *client) create(ctx context.Context, key string, value []byte) error {
	err := c.store.CAS(ctx, key, store.Absent(), value)
	if err == nil {
		c.known[key] = value
	}
	return err
}

// remove deletes a record that no other client writes.
func (c *client) remove(ctx context.Context, key string) error {
	err := c.store.Delete(ctx, key, c.known[key])
	if err == nil {
		delete(c.known, key)
	}
	return err
}

// replace puts next in the place of what the client knows, and where others were
// faster in the place of what they wrote.
func (c *client) replace(ctx context.Context, key string, next []byte) error {
	return c.retryConflicts(ctx, key, "", next, func() error { return c.store.CAS(ctx, key, store.Exactly(c.known[key]), next) })
}

// replaceUnder is replace as long as the guard holds what the client knows of it.
func (c *client) replaceUnder(ctx context.Context, guard, key string, next []byte) error {
	return c.retryConflicts(ctx, key, guard, next, func() error {
		return c.store.GuardedMutate(ctx, store.Guard{Key: guard, Expect: store.Exactly(c.known[guard])},
			store.Mutation{Key: key, Expect: store.Exactly(c.known[key]), Next: next})
	})
}

// retryConflicts repeats a conflicting write, learning the version from each refusal.
func (c *client) retryConflicts(ctx context.Context, key, guard string, next []byte, try func() error) error {
	for range mostTries {
		var conflict *store.ConflictError
		var guarded *store.GuardError
		err := try()
		switch {
		case err == nil:
			c.known[key] = next
			return nil
		case errors.Is(err, store.ErrUnknown):
			return err
		case errors.As(err, &conflict):
			err = c.remember(ctx, key, conflict.Found)
		case errors.As(err, &guarded):
			err = c.remember(ctx, guard, guarded.Found)
		}
		if err != nil {
			return err
		}
	}
	return fmt.Errorf("%q: gave up after %d conflicting writes", key, mostTries)
}

// remember takes what a refusal found; where the service does not say it is read.
func (c *client) remember(ctx context.Context, key string, found store.Found) error {
	if !found.Exists {
		return c.read(ctx, key)
	}
	c.known[key] = found.Value
	return nil
}

// tolerable are outcomes that a lake's nodes live with: what was given up for
// contention is counted as failed.
func tolerable(err error) bool { return errors.Is(err, store.ErrContention) }
