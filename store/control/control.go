// Package control keeps the store's durable control records.
//
// They live in the v2 table under one partition key without "#", which no bucket
// can be, so user reads never see them and they survive the removal of v1
// (docs/spec/metadata-store.md §3). Control records are read
// strongly and written conditionally, always; a node that saw a stale one would
// act on a state that is over.
package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
)

// Bucket is the partition key of every control record.
const Bucket = "control"

// layoutName is the sort key of the layout record.
const layoutName = "layout"

// ErrNoLayout reports that the table has no layout record, so that nothing tells how
// its keys are spread over shards.
var ErrNoLayout = errors.New("no layout record")

// ErrLayout reports that the table was made with other shard counts. The error is a
// *LayoutError.
var ErrLayout = errors.New("table has another layout")

// A LayoutError names the shard counts that a table was made with and those that
// it was opened with.
type LayoutError struct {
	Table          string
	Stored, Wanted keyspace.ShardCounts
}

func (e *LayoutError) Error() string {
	return fmt.Sprintf("%v: table %s was made with shard counts %v, this program uses %v; keys would be looked for in the wrong shards",
		ErrLayout, e.Table, e.Stored, e.Wanted)
}

// Unwrap returns ErrLayout.
func (e *LayoutError) Unwrap() error { return ErrLayout }

// layoutRecord is the stored form of a layout.
type layoutRecord struct {
	Layout string      `json:"layout"`
	Shards shardRecord `json:"shards"`
}

type shardRecord struct {
	Families map[string]int `json:"families"`
	Default  int            `json:"default"`
}

// Layout returns the shard counts that the table's layout record pins. It returns
// ErrNoLayout if there is none.
func Layout(ctx context.Context, client item.Getter, table string) (keyspace.ShardCounts, error) {
	// Strongly, as every control record (hazard 13).
	value, err := at(table, layoutName).Get(cause.With(ctx, cause.Control), client, store.Strong)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return keyspace.ShardCounts{}, fmt.Errorf("%w in table %s; create the table with this program, or finish its creation", ErrNoLayout, table)
	case err != nil:
		return keyspace.ShardCounts{}, err
	}
	counts, err := decodeLayout(value)
	if err != nil {
		return keyspace.ShardCounts{}, fmt.Errorf("layout record of table %s: %w", table, err)
	}
	return counts, nil
}

// CheckLayout returns a *LayoutError unless the table was made with these shard
// counts.
func CheckLayout(ctx context.Context, client item.Getter, table string, wanted keyspace.ShardCounts) error {
	stored, err := Layout(ctx, client, table)
	if err != nil {
		return err
	}
	if !stored.Equal(wanted) {
		return &LayoutError{Table: table, Stored: stored, Wanted: wanted}
	}
	return nil
}

// PutLayout writes the layout record if there is none, and otherwise does what
// CheckLayout does, so that a creation that was interrupted can be repeated.
func PutLayout(ctx context.Context, client item.Getter, sender *item.Sender, table string, counts keyspace.ShardCounts) error {
	if err := counts.Validate(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrInvalid, err)
	}
	value, err := json.Marshal(layoutRecord{Layout: store.V2.String(), Shards: shardRecord{Families: counts.Families, Default: counts.Default}})
	if err != nil {
		return fmt.Errorf("layout record of table %s: %w", table, err)
	}
	err = sender.Put(cause.With(ctx, cause.Control), at(table, layoutName), store.Absent(), value)
	// The record never changes once it is there. So reading it settles also what
	// a lost answer left open.
	if err == nil || errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrUnknown) {
		return CheckLayout(ctx, client, table, counts)
	}
	return store.Failed("write", table, at(table, layoutName).Name, err)
}

func decodeLayout(value []byte) (keyspace.ShardCounts, error) {
	var r layoutRecord
	if err := decode(value, &r); err != nil {
		return keyspace.ShardCounts{}, err
	}
	if r.Layout != store.V2.String() {
		return keyspace.ShardCounts{}, fmt.Errorf("%w: layout %q, want %q", store.ErrMalformed, r.Layout, store.V2)
	}
	counts := keyspace.ShardCounts{Families: r.Shards.Families, Default: r.Shards.Default}
	if err := counts.Validate(); err != nil {
		return keyspace.ShardCounts{}, fmt.Errorf("%w: %w", store.ErrMalformed, err)
	}
	return counts, nil
}

// at is the place of a control record of a v2 table.
func at(table, name string) item.Record {
	return item.Record{Table: table, Name: Bucket + " record " + name, Key: map[string]types.AttributeValue{
		keyspace.AttrBucket: &types.AttributeValueMemberS{Value: Bucket},
		keyspace.AttrKey:    &types.AttributeValueMemberS{Value: name},
	}}
}
