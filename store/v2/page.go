package v2

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
)

// A selection is what a drain reads: a family, or what is under a prefix in it.
type selection struct {
	name   string // the prefix or the family, for messages
	scope  store.Scope
	family string
	prefix string // "": the whole family
}

func (s *Store) prefixed(prefix string) (selection, error) {
	if err := store.CheckPrefix(prefix, keyspace.MaxKeyBytes); err != nil {
		return selection{}, err
	}
	family, err := store.FamilyOfPrefix(prefix)
	if err != nil {
		return selection{}, err
	}
	return selection{name: prefix, scope: store.PrefixScope(s.cfg.Table, prefix), family: family, prefix: prefix}, nil
}

// rooted selects the root family: keys without a slash, and those under "root/".
// Its buckets hold nothing else.
func (s *Store) rooted() selection {
	return selection{name: keyspace.Root, scope: store.FamilyScope(s.cfg.Table, keyspace.Root), family: keyspace.Root}
}

// A place is where a drain is: after key last of a shard, at its start if last is
// empty.
type place struct {
	shard int
	last  string
}

// Page implements store.MetaStore: one Query of the cursor's shard. The end of a
// shard that is not the last gives a cursor to the next.
func (s *Store) Page(ctx context.Context, prefix string, limit int, cursor string) (store.Page, error) {
	sel, err := s.prefixed(prefix)
	if err != nil {
		return store.Page{}, err
	}
	return s.page(ctx, sel, limit, cursor)
}

// List implements store.MetaStore.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[store.Entry, error] {
	sel, err := s.prefixed(prefix)
	if err != nil {
		return failed(err)
	}
	return s.list(ctx, sel)
}

// ListFamily implements store.MetaStore.
func (s *Store) ListFamily(ctx context.Context, family string) iter.Seq2[store.Entry, error] {
	if err := store.CheckFamily(family); err != nil {
		return failed(err)
	}
	if family == keyspace.Root {
		return s.list(ctx, s.rooted())
	}
	return s.List(ctx, family+"/")
}

func failed(err error) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) { yield(store.Entry{}, err) }
}

func (s *Store) list(ctx context.Context, sel selection) iter.Seq2[store.Entry, error] {
	if s.cfg.Parallel > 1 {
		return s.drainParallel(ctx, sel)
	}
	return store.Drain(ctx, func(ctx context.Context, cursor string) (store.Page, error) {
		return s.page(ctx, sel, s.cfg.PageLimit, cursor)
	})
}

func (s *Store) page(ctx context.Context, sel selection, limit int, cursor string) (store.Page, error) {
	at, err := s.parse(sel, cursor)
	if err != nil {
		return store.Page{}, err
	}
	entries, last, err := s.query(ctx, sel, at, limit)
	if err != nil {
		return store.Page{}, err
	}
	page := store.Page{Entries: entries}
	next := place{shard: at.shard, last: last}
	if last == "" {
		next.shard++
	}
	if next.shard < s.cfg.Shards.Of(sel.family) {
		page.Cursor = store.Cursor{Layout: store.V2, Scope: sel.scope, Shard: next.shard, Last: next.last}.Token()
	}
	return page, nil
}

// parse returns the place that a cursor names. A place that this drain cannot have
// reached is store.ErrBadCursor: the service might answer it with a page of
// another shard's keys, or from the start.
func (s *Store) parse(sel selection, cursor string) (place, error) {
	if cursor == "" {
		return place{}, nil
	}
	c, err := store.ParseCursor(cursor)
	if err != nil {
		return place{}, err
	}
	if err := c.Check(store.V2, sel.scope); err != nil {
		return place{}, err
	}
	if n := s.cfg.Shards.Of(sel.family); c.Shard >= n {
		return place{}, fmt.Errorf("%w: it names shard %d, family %q has %d", store.ErrBadCursor, c.Shard, sel.family, n)
	}
	if c.Last != "" {
		if keyspace.Family(c.Last) != sel.family || !strings.HasPrefix(c.Last, sel.prefix) {
			return place{}, fmt.Errorf("%w: its key %q is not under %q", store.ErrBadCursor, c.Last, sel.name)
		}
		if shard := s.cfg.Shards.Shard(c.Last); shard != c.Shard {
			return place{}, fmt.Errorf("%w: its key %q is in shard %d, not in %d", store.ErrBadCursor, c.Last, shard, c.Shard)
		}
	}
	return place{shard: c.Shard, last: c.Last}, nil
}

// query makes one Query and returns the last key that it evaluated, "" at the end
// of the shard. The key condition lets nothing be evaluated that is not returned.
func (s *Store) query(ctx context.Context, sel selection, at place, limit int) ([]store.Entry, string, error) {
	in, err := s.request(sel, at, limit)
	if err != nil {
		return nil, "", err
	}
	out, err := s.cfg.Client.Query(cause.With(ctx, cause.List), in)
	if err != nil {
		return nil, "", store.Failed("list", s.cfg.Table, sel.name, err)
	}
	entries, err := item.Entries(out.Items)
	if err != nil {
		return nil, "", store.Failed("list", s.cfg.Table, sel.name, err)
	}
	last, err := item.Last(out.LastEvaluatedKey)
	if err != nil {
		return nil, "", store.Failed("list", s.cfg.Table, sel.name, err)
	}
	return entries, last, nil
}

func (s *Store) request(sel selection, at place, limit int) (*dynamodb.QueryInput, error) {
	if err := store.CheckPageLimit(limit); err != nil {
		return nil, err
	}
	strong := s.cfg.Consistency == store.Strong
	bucket := keyspace.BucketName(sel.family, at.shard)
	condition := "#b = :bucket"
	in := &dynamodb.QueryInput{
		TableName: &s.cfg.Table, ConsistentRead: &strong, KeyConditionExpression: &condition,
		ExpressionAttributeNames:  map[string]string{"#b": keyspace.AttrBucket},
		ExpressionAttributeValues: map[string]types.AttributeValue{":bucket": text(bucket)},
	}
	// An empty operand of begins_with is refused on key attributes.
	if sel.prefix != "" {
		condition += " AND begins_with(#k, :prefix)"
		in.ExpressionAttributeNames["#k"] = keyspace.AttrKey
		in.ExpressionAttributeValues[":prefix"] = text(sel.prefix)
	}
	if limit > 0 {
		n := int32(limit)
		in.Limit = &n
	}
	if at.last != "" {
		in.ExclusiveStartKey = keyOf(bucket, at.last)
	}
	return in, nil
}
