// Package v2 is the prefix-isolated layout: a table whose partition key is a
// bucket, one shard of one family, and whose sort key is the complete logical key
// (docs/spec/metadata-store.md §3).
//
// A prefix read must never pay for another family, so a prefix that
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
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
)

// TableName returns the name of the v2 companion of a v1 table.
func TableName(v1 string) string { return v1 + "_prefix_v2" }

// A Client makes the requests of an open store.
type Client interface {
	item.Writer
	item.Describer
	item.Getter
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
}

// A Creator makes the table and its layout record.
type Creator interface {
	Client
	item.Creator
}

// Config is what to open and how to read it.
type Config struct {
	Client Client
	Table  string // the v2 table itself, see TableName
	// Shards must be the counts that the table was made with.
	Shards keyspace.ShardCounts
	// PageLimit is the most items that a page of List evaluates; 0: as many as
	// the service puts into one (1 MB).
	PageLimit int
	// Parallel is how many shards List drains at once; 1: one after the other.
	// The number of requests does not depend on it.
	Parallel    int
	Consistency store.Consistency // of every read
	Random      rand.Source       // see item.SenderConfig
	Backoff     item.Backoff      // see item.SenderConfig
}

// DefaultConfig has the shard counts of docs/spec/metadata-store.md §3, pages of
// at most 1,000 items, sequential drains and strong reads. Client, Table and
// Random are for the caller to set.
func DefaultConfig() Config {
	return Config{Shards: keyspace.DefaultShardCounts(), PageLimit: 1000, Parallel: 1, Backoff: item.DefaultBackoff()}
}

// Validate refuses a configuration that cannot be opened.
func (c Config) Validate() error {
	if err := item.CheckTableName(c.Table); err != nil {
		return err
	}
	if err := c.Shards.Validate(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrInvalid, err)
	}
	if err := store.CheckPageLimit(c.PageLimit); err != nil {
		return err
	}
	if c.Parallel < 1 {
		return fmt.Errorf("%w: %d shards drained at once; want at least 1", store.ErrInvalid, c.Parallel)
	}
	return c.writes().Validate()
}

func (c Config) writes() item.SenderConfig {
	return item.SenderConfig{Client: c.Client, Random: c.Random, Backoff: c.Backoff}
}

func (c Config) layout() layout { return layout{table: c.Table, shards: c.Shards} }

// A Store is a store.MetaStore on a v2 table.
type Store struct {
	item.Mutator // CAS, Delete, GuardedMutate and Stats

	cfg Config
}

var _ store.MetaStore = (*Store)(nil)

// Create makes cfg's table, waits until it can be used, and writes the layout
// record that pins its shard counts. It returns item.ErrTableExists if there is one of
// that name; a creation that was interrupted is finished with control.PutLayout.
func Create(ctx context.Context, client Creator, cfg Config) error {
	cfg.Client = client
	if err := cfg.Validate(); err != nil {
		return err
	}
	sender, err := item.NewSender(cfg.writes())
	if err != nil {
		return err
	}
	if err := item.CreateTable(ctx, client, Schema(cfg.Table)); err != nil {
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
	sender, err := item.NewSender(cfg.writes())
	if err != nil {
		return nil, err
	}
	if _, err := item.CheckTable(ctx, cfg.Client, Schema(cfg.Table)); err != nil {
		return nil, err
	}
	if err := control.CheckLayout(ctx, cfg.Client, cfg.Table, cfg.Shards); err != nil {
		return nil, err
	}
	return &Store{Mutator: item.NewMutator(sender, cfg.layout()), cfg: cfg}, nil
}

// Schema returns the primary key of a table (docs/spec/metadata-store.md §3).
func Schema(name string) item.Schema {
	return item.Schema{Name: name, Hash: keyspace.AttrBucket, Range: keyspace.AttrKey}
}

// Get implements store.MetaStore.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	if err := store.CheckKey(key, keyspace.MaxKeyBytes); err != nil {
		return nil, err
	}
	return s.cfg.layout().Record(key).Get(cause.With(ctx, cause.Point), s.cfg.Client, s.cfg.Consistency)
}

// Item returns the whole item of a record, for loading in bulk.
func Item(shards keyspace.ShardCounts, key string, value []byte) map[string]types.AttributeValue {
	return layout{shards: shards}.Record(key).Item(value)
}

// ItemBytes returns the size of a record by DynamoDB's rules
// (CapacityUnitCalculations page).
func ItemBytes(shards keyspace.ShardCounts, key string, value []byte) int {
	return units.StringSize(keyspace.AttrBucket) + units.StringSize(shards.Bucket(key)) +
		units.StringSize(keyspace.AttrKey) + units.StringSize(key) +
		units.StringSize(keyspace.AttrValue) + units.BinarySize(value)
}

// Layout returns where the table of that name keeps a key, and what it refuses.
func Layout(table string, shards keyspace.ShardCounts) item.Layout {
	return layout{table: table, shards: shards}
}

// layout is item.Layout for a table.
type layout struct {
	table  string
	shards keyspace.ShardCounts
}

func (l layout) Record(key string) item.Record {
	return RecordIn(l.table, l.shards.Bucket(key), key)
}

// RecordIn returns the place of a key in a bucket, which need not be the key's.
func RecordIn(table, bucket, key string) item.Record {
	return item.Record{Table: table, Name: key, Key: keyOf(bucket, key)}
}

func (l layout) Check(key string, value []byte) error {
	if err := store.CheckKey(key, keyspace.MaxKeyBytes); err != nil {
		return err
	}
	return store.CheckItem(key, ItemBytes(l.shards, key, value))
}

func keyOf(bucket, key string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{keyspace.AttrBucket: text(bucket), keyspace.AttrKey: text(key)}
}

func text(s string) *types.AttributeValueMemberS { return &types.AttributeValueMemberS{Value: s} }
