package v1

import (
	"context"
	"fmt"
	"iter"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
)

// A selection is what a drain returns of all that it evaluates.
type selection struct {
	name   string // the prefix or the family, for messages
	scope  store.Scope
	filter string // "": everything
	names  map[string]string
	values map[string]types.AttributeValue
}

// prefixed selects the keys under a prefix. The empty prefix has no filter: the
// service need not be asked what every key meets.
func prefixed(table, prefix string) selection {
	sel := selection{name: prefix, scope: store.PrefixScope(table, prefix)}
	if prefix != "" {
		sel.filter = "begins_with(#k, :prefix)"
		sel.names = map[string]string{"#k": keyspace.AttrKey}
		sel.values = map[string]types.AttributeValue{":prefix": text(prefix)}
	}
	return sel
}

// rooted selects the root family: keys without a slash, and those under "root/".
func rooted(table string) selection {
	return selection{
		name:   keyspace.Root,
		scope:  store.FamilyScope(table, keyspace.Root),
		filter: "begins_with(#k, :prefix) OR NOT contains(#k, :slash)",
		names:  map[string]string{"#k": keyspace.AttrKey},
		values: map[string]types.AttributeValue{":prefix": text(keyspace.Root + "/"), ":slash": text("/")},
	}
}

func text(s string) *types.AttributeValueMemberS { return &types.AttributeValueMemberS{Value: s} }

// Page implements store.MetaStore: one Scan. Any prefix is accepted.
func (s *Store) Page(ctx context.Context, prefix string, limit int, cursor string) (store.Page, error) {
	if err := store.CheckPrefix(prefix, MaxKeyBytes); err != nil {
		return store.Page{}, err
	}
	return s.page(ctx, prefixed(s.cfg.Table, prefix), limit, cursor)
}

// List implements store.MetaStore.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[store.Entry, error] {
	return store.Drain(ctx, func(ctx context.Context, cursor string) (store.Page, error) {
		return s.Page(ctx, prefix, s.cfg.PageLimit, cursor)
	})
}

// ListFamily implements store.MetaStore.
func (s *Store) ListFamily(ctx context.Context, family string) iter.Seq2[store.Entry, error] {
	sel := rooted(s.cfg.Table)
	if family != keyspace.Root {
		sel = prefixed(s.cfg.Table, family+"/")
	}
	return store.Drain(ctx, func(ctx context.Context, cursor string) (store.Page, error) {
		if err := store.CheckFamily(family); err != nil {
			return store.Page{}, err
		}
		return s.page(ctx, sel, s.cfg.PageLimit, cursor)
	})
}

// page makes one Scan. Limit bounds the items evaluated, before the filter: a
// page may hold nothing and yet go on, and one that ends exactly at the table's
// end is told only by the next, empty page.
func (s *Store) page(ctx context.Context, sel selection, limit int, cursor string) (store.Page, error) {
	in, err := s.scan(sel, limit, cursor)
	if err != nil {
		return store.Page{}, err
	}
	out, err := s.cfg.Client.Scan(cause.With(ctx, cause.List), in)
	if err != nil {
		return store.Page{}, store.Failed("list", s.cfg.Table, sel.name, err)
	}
	page := store.Page{}
	if page.Entries, err = item.Entries(out.Items); err != nil {
		return store.Page{}, store.Failed("list", s.cfg.Table, sel.name, err)
	}
	last, err := item.Last(out.LastEvaluatedKey)
	if err != nil {
		return store.Page{}, store.Failed("list", s.cfg.Table, sel.name, err)
	}
	if last != "" {
		page.Cursor = store.Cursor{Layout: store.V1, Scope: sel.scope, Last: last}.Token()
	}
	return page, nil
}

// scan returns the request for the page at cursor.
func (s *Store) scan(sel selection, limit int, cursor string) (*dynamodb.ScanInput, error) {
	if err := store.CheckPageLimit(limit); err != nil {
		return nil, err
	}
	strong := s.cfg.Consistency == store.Strong
	in := &dynamodb.ScanInput{TableName: &s.cfg.Table, ConsistentRead: &strong}
	if sel.filter != "" {
		in.FilterExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues = &sel.filter, sel.names, sel.values
	}
	if limit > 0 {
		n := int32(limit)
		in.Limit = &n
	}
	if cursor != "" {
		at, err := store.ParseCursor(cursor)
		if err != nil {
			return nil, err
		}
		if err := at.Check(store.V1, sel.scope); err != nil {
			return nil, err
		}
		if at.Shard != 0 || store.CheckKey(at.Last, MaxKeyBytes) != nil {
			return nil, fmt.Errorf("%w: it names shard %d, key %q; v1 has no shards, and its cursors a key", store.ErrBadCursor, at.Shard, at.Last)
		}
		in.ExclusiveStartKey = keyOf(at.Last)
	}
	return in, nil
}
