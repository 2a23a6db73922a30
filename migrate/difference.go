package migrate

import (
	"context"
	"errors"
	"slices"

	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
	v2 "github.com/lakebench/lakebench/store/v2"
)

// A difference is a confirmed one.
type difference struct {
	kind DifferenceKind
	key  string
	v1   store.Expectation // what v1 held at that moment
	v2   store.Expectation
	at   item.Record // the record of v2 that differs
	// misplaced: it is in a bucket where no reader looks for its key.
	misplaced bool
}

// confirmV1 reads the unequal partitions of v1 again and confirms what is missing
// in v2, or differs, by transactions that read both records.
func (c *comparison) confirmV1(ctx context.Context, differ map[int]bool) error {
	return c.scanV1(ctx, "look again at v1", func(ctx context.Context, items []original) error {
		var keys []string
		for _, it := range items {
			switch {
			case !differ[partition(it.key)]:
			case it.kind != "":
				if err := c.note(ctx, difference{kind: DiffUnmigratable, key: it.key}); err != nil {
					return err
				}
			default:
				keys = append(keys, it.key)
			}
		}
		return c.confirm(ctx, keys, func(d difference) bool { return d.kind != DiffOrphan })
	})
}

// confirmV2 does so for what v2 has and v1 has not: the rest was seen from the
// other side.
func (c *comparison) confirmV2(ctx context.Context, differ map[int]bool) error {
	return c.scanV2(ctx, "look again at v2", func(ctx context.Context, records []v2Item) error {
		var keys []string
		for _, r := range records {
			switch {
			case !differ[partition(r.key)]:
			case r.bucket != c.cfg.Shards.Bucket(r.key):
				if err := c.misplaced(ctx, r); err != nil {
					return err
				}
			default:
				keys = append(keys, r.key)
			}
		}
		return c.confirm(ctx, keys, func(d difference) bool { return d.kind == DiffOrphan })
	})
}

// confirm reads both records of the keys and takes note of the differences that
// are wanted.
func (c *comparison) confirm(ctx context.Context, keys []string, wanted func(difference) bool) error {
	for part := range slices.Chunk(keys, maxReadPairs) {
		pairs, err := c.readBoth(ctx, part)
		if err != nil {
			return err
		}
		for _, b := range pairs {
			if d, differs := c.difference(b); differs && wanted(d) {
				if err := c.note(ctx, d); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// difference returns how the records of a key differ, if they do.
func (m *Migrator) difference(b both) (difference, bool) {
	d := difference{key: b.key, at: m.v2Record(b.key)}
	if b.v2.Exists {
		d.v2 = store.Exactly(b.v2.Value)
	}
	switch {
	case b.equal():
		return d, false
	case b.v1 == nil:
		d.kind = DiffOrphan
	case b.v1.kind != "":
		d.kind = DiffUnmigratable
	case !b.v2.Exists:
		d.kind, d.v1 = DiffMissing, store.Exactly(b.v1.value)
	default:
		d.kind, d.v1 = DiffValue, store.Exactly(b.v1.value)
	}
	return d, true
}

// misplaced confirms a record that is in a bucket where no reader looks for it. It is
// an orphan, whatever v1 has.
func (c *comparison) misplaced(ctx context.Context, r v2Item) error {
	at := v2.RecordIn(c.v2Table(), r.bucket, r.key)
	value, err := at.Get(ctx, c.cfg.Client, store.Strong)
	switch {
	case err == nil:
		return c.note(ctx, difference{kind: DiffOrphan, key: r.key, v2: store.Exactly(value), at: at, misplaced: true})
	case errors.Is(err, store.ErrNotFound):
		return nil
	}
	return err
}

// note counts a difference, after it was repaired if that is wanted.
func (c *comparison) note(ctx context.Context, d difference) error {
	c.found.Differences[d.kind]++
	if keys := c.found.Examples[d.kind]; len(keys) < c.examples {
		c.found.Examples[d.kind] = append(keys, d.key)
	}
	if c.fix == nil {
		return nil
	}
	return c.fix(ctx, d)
}
