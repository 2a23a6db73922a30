package migrate

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/item"
	v2 "github.com/lakebench/lakebench/store/v2"
)

// A difference is a confirmed one.
type difference struct {
	kind DifferenceKind
	key  string
	v1   store.Expectation // what v1 held at that moment
	v2   item.Condition    // the same of v2, whatever its record looks like
	at   item.Record       // the record of v2 that differs
	// misplaced: it is in a bucket where no reader looks for its key.
	misplaced bool
	// unmigratable is why v2 cannot hold what v1 does, "" if it can.
	unmigratable control.ProblemKind
	detail       string
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
				if err := c.note(ctx, difference{kind: DiffUnmigratable, key: it.key, unmigratable: it.kind, detail: it.detail}); err != nil {
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
	d := difference{key: b.key, at: m.v2Record(b.key), v2: item.Holds(b.raw)}
	switch {
	case b.equal():
		return d, false
	case b.v1 == nil:
		d.kind = DiffOrphan
	case b.v1.kind != "":
		d.kind, d.unmigratable, d.detail = DiffUnmigratable, b.v1.kind, b.v1.detail
	case !b.v2.Exists:
		d.kind, d.v1 = DiffMissing, store.Exactly(b.v1.value)
	default:
		d.kind, d.v1 = DiffValue, store.Exactly(b.v1.value)
	}
	return d, true
}

// misplaced confirms a record that is in a bucket where no reader looks for it. It is
// an orphan, whatever v1 has and whatever its value is.
func (c *comparison) misplaced(ctx context.Context, r v2Item) error {
	d, there, err := c.misplacedAt(ctx, v2.RecordIn(c.v2Table(), r.bucket, r.key))
	if err != nil || !there {
		return err
	}
	return c.note(ctx, d)
}

// misplacedAt reads a record in a bucket where no reader looks for its key, and reports
// whether it is there.
func (m *Migrator) misplacedAt(ctx context.Context, at item.Record) (difference, bool, error) {
	strong := true
	out, err := m.cfg.Client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &at.Table, Key: at.Key, ConsistentRead: &strong})
	if err != nil {
		return difference{}, false, store.Failed("get", at.Table, at.Name, err)
	}
	d := difference{kind: DiffOrphan, key: at.Name, v2: item.Holds(out.Item), at: at, misplaced: true}
	return d, len(out.Item) > 0, nil
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
