// Package v1 is the legacy layout: one table whose partition key is the logical
// key, read by prefix with a filtered Scan (spec §2).
//
// Its opinion is the layout's own flaw, kept exactly: DynamoDB evaluates and
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
	"github.com/lakebench/lakebench/store/record"
	"github.com/lakebench/lakebench/store/table"
	"github.com/lakebench/lakebench/store/write"
)

// MaxKeyBytes is the longest key of this layout: a partition key's limit.
const MaxKeyBytes = units.MaxPartitionKeyBytes

// A Client makes the requests of an open store.
type Client interface {
	write.Client
	table.Describer
	record.Getter
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
}

// Config says what to open and how to read it.
type Config struct {
	Client Client
	Table  string
	// PageLimit is the most items that a page of List evaluates; 0: as many as
	// the service puts into one (1 MB).
	PageLimit   int
	Consistency store.Consistency // of every read
	Random      rand.Source       // see write.Config
	Backoff     write.Backoff     // see write.Config
}

// DefaultConfig has pages of at most 1,000 items and strong reads. Client, Table
// and Random are for the caller to set.
func DefaultConfig() Config {
	return Config{PageLimit: 1000, Backoff: write.DefaultBackoff()}
}

// Validate refuses a configuration that cannot be opened.
func (c Config) Validate() error {
	if err := table.CheckName(c.Table); err != nil {
		return err
	}
	if err := store.CheckPageLimit(c.PageLimit); err != nil {
		return err
	}
	return c.writes().Validate()
}

func (c Config) writes() write.Config {
	return write.Config{Client: c.Client, Random: c.Random, Backoff: c.Backoff}
}

// A Store is a store.MetaStore on a v1 table.
type Store struct {
	cfg    Config
	writes write.Mutator
}

var _ store.MetaStore = (*Store)(nil)

// Create makes the table and waits until it can be used. It returns
// table.ErrExists if there is one of that name.
func Create(ctx context.Context, client table.Creator, name string) error {
	return table.Create(ctx, client, schema(name))
}

// Open returns the store on an existing table, which it first looks at.
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
	return &Store{cfg: cfg, writes: write.Mutator{Sender: sender, Layout: layout{cfg.Table}}}, nil
}

func schema(name string) table.Schema { return table.Schema{Name: name, Hash: store.AttrKey} }

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
	if err := store.CheckKey(key, MaxKeyBytes); err != nil {
		return nil, err
	}
	return s.writes.Layout.Record(key).Get(cause.With(ctx, cause.Point), s.cfg.Client, s.cfg.Consistency)
}

// Item returns the whole item of a record, for loading in bulk.
func Item(key string, value []byte) map[string]types.AttributeValue {
	return layout{}.Record(key).Item(value)
}

// ItemBytes returns the size of a record by DynamoDB's rules
// (CapacityUnitCalculations page).
func ItemBytes(key string, value []byte) int {
	return units.StringSize(store.AttrKey) + units.StringSize(key) +
		units.StringSize(store.AttrValue) + units.BinarySize(value)
}

// Layout says where the table of that name keeps a key, and what it refuses.
func Layout(table string) write.Layout { return layout{table} }

// layout is write.Layout for a table.
type layout struct{ table string }

func (l layout) Record(key string) record.Record {
	return record.Record{Table: l.table, Name: key, Key: keyOf(key)}
}

func (layout) Check(key string, value []byte) error {
	if err := store.CheckKey(key, MaxKeyBytes); err != nil {
		return err
	}
	return store.CheckItem(key, ItemBytes(key, value))
}

func keyOf(key string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{store.AttrKey: &types.AttributeValueMemberS{Value: key}}
}
