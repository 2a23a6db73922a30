// Package v2 is the prefix-isolated layout: a table whose partition key is a
// bucket, one shard of one family, and whose sort key is the complete logical key
// (spec §3).
//
// Its opinion: a prefix read must never pay for another family, so a prefix that
// does not name one whole family is refused rather than scanned. A request
// evaluates exactly what it returns.
package v2

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/record"
	"github.com/lakebench/lakebench/store/table"
	"github.com/lakebench/lakebench/store/write"
)

// TableName returns the name of the v2 companion of a v1 table.
func TableName(v1 string) string { return v1 + "_prefix_v2" }

// A Client makes the requests of an open store.
type Client interface {
	write.Client
	table.Describer
	record.Getter
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
}

// A Creator makes the table and its layout record.
type Creator interface {
	Client
	table.Creator
}

// Config says what to open and how to read it.
type Config struct {
	Client Client
	Table  string // the v2 table itself, see TableName
	// Shards must be the counts that the table was made with.
	Shards store.ShardCounts
	// PageLimit is the most items that a page of List evaluates; 0: as many as
	// the service puts into one (1 MB).
	PageLimit int
	// Parallel is how many shards List drains at once; 1: one after the other.
	// The number of requests does not depend on it.
	Parallel    int
	Consistency store.Consistency // of every read
	Random      rand.Source       // see write.Config
	Backoff     write.Backoff     // see write.Config
}

// DefaultConfig has the shard counts of spec §3, pages of at most 1,000 items,
// sequential drains and strong reads. Client, Table and Random are for the caller
// to set.
func DefaultConfig() Config {
	return Config{Shards: store.DefaultShardCounts(), PageLimit: 1000, Parallel: 1, Backoff: write.DefaultBackoff()}
}

// Validate refuses a configuration that cannot be opened.
func (c Config) Validate() error {
	if err := table.CheckName(c.Table); err != nil {
		return err
	}
	if err := c.Shards.Validate(); err != nil {
		return err
	}
	if err := store.CheckPageLimit(c.PageLimit); err != nil {
		return err
	}
	if c.Parallel < 1 {
		return fmt.Errorf("%w: %d shards drained at once; want at least 1", store.ErrInvalid, c.Parallel)
	}
	return c.writes().Validate()
}

func (c Config) writes() write.Config {
	return write.Config{Client: c.Client, Random: c.Random, Backoff: c.Backoff}
}

// A Store is a store.MetaStore on a v2 table.
type Store struct {
	cfg    Config
	writes write.Mutator
}

var _ store.MetaStore = (*Store)(nil)

// Create makes cfg's table, waits until it can be used, and writes the layout
// record that pins its shard counts. It returns table.ErrExists if there is one of
// that name; a creation that was interrupted is finished with control.PutLayout.
func Create(ctx context.Context, client Creator, cfg Config) error {
	cfg.Client = client
	if err := cfg.Validate(); err != nil {
		return err
	}
	sender, err := write.NewSender(cfg.writes())
	if err != nil {
		return err
	}
	if err := table.Create(ctx, client, schema(cfg.Table)); err != nil {
		return err
	}
	return control.PutLayout(ctx, client, sender, cfg.Table, cfg.Shards)
}

// Open returns the store on an existing table, whose primary key and layout record
// it checks first. With other shard counts than cfg's it fails with a
// *control.LayoutError.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	sender, err := write.NewSender(cfg.writes())
	if err != nil {
		return nil, err
	}
	if _, err := table.Check(ctx, cfg.Client, schema(cfg.Table)); err != nil {
		return nil, err
	}
	if err := control.CheckLayout(ctx, cfg.Client, cfg.Table, cfg.Shards); err != nil {
		return nil, err
	}
	layout := layout{table: cfg.Table, shards: cfg.Shards}
	return &Store{cfg: cfg, writes: write.Mutator{Sender: sender, Layout: layout}}, nil
}

func schema(name string) table.Schema {
	return table.Schema{Name: name, Hash: store.AttrBucket, Range: store.AttrKey}
}

// Stats counts what stood in the way of mutations.
func (s *Store) Stats() write.Stats { return s.writes.Sender.Stats() }

// CAS implements store.MetaStore.
func (s *Store) CAS(ctx context.Context, key string, expected store.Expectation, next []byte) error {
	return s.writes.CAS(ctx, key, expected, next)
}

// Delete implements store.MetaStore.
func (s *Store) Delete(ctx context.Context, key string, expected []byte) error {
	return s.writes.Delete(ctx, key, expected)
}

// GuardedMutate implements store.MetaStore.
func (s *Store) GuardedMutate(ctx context.Context, g store.Guard, m store.Mutation) error {
	return s.writes.GuardedMutate(ctx, g, m)
}

// Get implements store.MetaStore.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	if err := store.CheckKey(key, store.MaxKeyBytes); err != nil {
		return nil, err
	}
	return s.writes.Layout.Record(key).Get(cause.With(ctx, cause.Point), s.cfg.Client, s.cfg.Consistency)
}

// Item returns the whole item of a record, for loading in bulk.
func Item(shards store.ShardCounts, key string, value []byte) map[string]types.AttributeValue {
	return layout{shards: shards}.Record(key).Item(value)
}

// ItemBytes returns the size of a record by DynamoDB's rules
// (CapacityUnitCalculations page).
func ItemBytes(shards store.ShardCounts, key string, value []byte) int {
	return units.StringSize(store.AttrBucket) + units.StringSize(shards.Bucket(key)) +
		units.StringSize(store.AttrKey) + units.StringSize(key) +
		units.StringSize(store.AttrValue) + units.BinarySize(value)
}

// Layout says where the table of that name keeps a key, and what it refuses.
func Layout(table string, shards store.ShardCounts) write.Layout {
	return layout{table: table, shards: shards}
}

// layout is write.Layout for a table.
type layout struct {
	table  string
	shards store.ShardCounts
}

func (l layout) Record(key string) record.Record {
	return record.Record{Table: l.table, Name: key, Key: keyOf(l.shards.Bucket(key), key)}
}

func (l layout) Check(key string, value []byte) error {
	if err := store.CheckKey(key, store.MaxKeyBytes); err != nil {
		return err
	}
	return store.CheckItem(key, ItemBytes(l.shards, key, value))
}

func keyOf(bucket, key string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{store.AttrBucket: text(bucket), store.AttrKey: text(key)}
}

func text(s string) *types.AttributeValueMemberS { return &types.AttributeValueMemberS{Value: s} }
