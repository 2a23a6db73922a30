// Package v1 is the legacy layout: one table whose partition key is the logical
// key, read by prefix with a filtered Scan (docs/spec/metadata-store.md §2).
//
// It keeps the flaw of that layout exactly: DynamoDB evaluates and
// charges every item of the table and filters afterwards, so a prefix read costs
// what the table holds, whatever the prefix. Nothing here softens that; it is
// what lakebench measures.
package v1

import (
	"context"
	"math/rand/v2"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
)

// MaxKeyBytes is the longest key of this layout: a partition key's limit.
const MaxKeyBytes = units.MaxPartitionKeyBytes

// A Client makes the requests of an open store.
type Client interface {
	item.Writer
	item.Describer
	item.Getter
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
}

// Config is what to open and how to read it.
type Config struct {
	Client Client
	Table  string
	// PageLimit is the most items that a page of List evaluates; 0: as many as
	// the service puts into one (1 MB).
	PageLimit   int
	Consistency store.Consistency // of every read
	Random      rand.Source       // see item.SenderConfig
	Backoff     item.Backoff      // see item.SenderConfig
}

// DefaultConfig has pages of at most 1,000 items and strong reads. Client, Table
// and Random are for the caller to set.
func DefaultConfig() Config {
	return Config{PageLimit: 1000, Backoff: item.DefaultBackoff()}
}

// Validate refuses a configuration that cannot be opened.
func (c Config) Validate() error {
	if err := item.CheckTableName(c.Table); err != nil {
		return err
	}
	if err := store.CheckPageLimit(c.PageLimit); err != nil {
		return err
	}
	return c.writes().Validate()
}

func (c Config) writes() item.SenderConfig {
	return item.SenderConfig{Client: c.Client, Random: c.Random, Backoff: c.Backoff}
}

// A Store is a store.MetaStore on a v1 table.
type Store struct {
	item.Mutator // CAS, Delete, GuardedMutate and Stats

	cfg Config
}

var _ store.MetaStore = (*Store)(nil)

// Create makes the table and waits until it can be used. It returns
// item.ErrTableExists if there is one of that name.
func Create(ctx context.Context, client item.Creator, name string) error {
	return item.CreateTable(ctx, client, Schema(name))
}

// Open returns the store on an existing table, which it first looks at.
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
	return &Store{Mutator: item.NewMutator(sender, layout{cfg.Table}), cfg: cfg}, nil
}

// Schema returns the primary key of a table (docs/spec/metadata-store.md §2).
func Schema(name string) item.Schema { return item.Schema{Name: name, Hash: keyspace.AttrKey} }

// Get implements store.MetaStore.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	if err := store.CheckKey(key, MaxKeyBytes); err != nil {
		return nil, err
	}
	return layout{s.cfg.Table}.Record(key).Get(cause.With(ctx, cause.Point), s.cfg.Client, s.cfg.Consistency)
}

// Item returns the whole item of a record, for loading in bulk.
func Item(key string, value []byte) map[string]types.AttributeValue {
	return layout{}.Record(key).Item(value)
}

// ItemBytes returns the size of a record by DynamoDB's rules
// (CapacityUnitCalculations page).
func ItemBytes(key string, value []byte) int {
	return units.StringSize(keyspace.AttrKey) + units.StringSize(key) +
		units.StringSize(keyspace.AttrValue) + units.BinarySize(value)
}

// Layout returns where the table of that name keeps a key, and what it refuses.
func Layout(table string) item.Layout { return layout{table} }

// layout is item.Layout for a table.
type layout struct{ table string }

func (l layout) Record(key string) item.Record {
	return item.Record{Table: l.table, Name: key, Key: keyOf(key)}
}

func (layout) Check(key string, value []byte) error {
	if err := store.CheckKey(key, MaxKeyBytes); err != nil {
		return err
	}
	return store.CheckItem(key, ItemBytes(key, value))
}

func keyOf(key string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{keyspace.AttrKey: &types.AttributeValueMemberS{Value: key}}
}
