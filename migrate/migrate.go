// Package migrate moves a lake's metadata from v1 to v2 while its nodes go on
// writing (docs/spec/metadata-store.md §5).
//
// A migrator can die between any two requests, twice at once, and the
// operator who starts it again knows nothing. So every verb reads where things
// stand from durable records, does what is left, and may be repeated; whatever it
// writes to v2 is one transaction that checks the v1 value it copies, the v2 value
// it replaces and that the write barrier is absent, so that it is right whenever it
// lands; and a refusal changes nothing and names what to do next.
package migrate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/lakebench/lakebench/internal/attempt"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
	v1 "github.com/lakebench/lakebench/store/v1"
	v2 "github.com/lakebench/lakebench/store/v2"
)

// A Client makes the requests of all verbs.
type Client interface {
	v1.Client
	v2.Creator
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
	TransactGetItems(context.Context, *dynamodb.TransactGetItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error)
	DeleteTable(context.Context, *dynamodb.DeleteTableInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteTableOutput, error)
}

// Config is what to migrate.
type Config struct {
	Client Client
	Table  string // of v1; v2 is its companion, see v2.TableName
	// Shards are the counts that v2 is made with, or must have been made with.
	Shards keyspace.ShardCounts
	// Random is where request tokens, ids and waits are drawn from, see
	// item.SenderConfig.
	Random rand.Source
	// Backoff is for what other transactions on the same items refuse.
	Backoff item.Backoff
	// Progress, unless nil, hears how far a verb has come; it may be called from
	// several tasks, one at a time, and must not wait.
	Progress func(Progress)
}

// Progress is how far a verb has come with one of its steps.
type Progress struct {
	Step string // such as "backfill" or "scan v2"
	// Done and Total count items; Total is DynamoDB's own estimate, which lags by
	// hours on AWS, 0 if it has none.
	Done, Total int64
}

// DefaultConfig has the shard counts of docs/spec/metadata-store.md §3. Client,
// Table and Random are for the caller to set.
func DefaultConfig() Config {
	return Config{Shards: keyspace.DefaultShardCounts(), Backoff: item.DefaultBackoff()}
}

// Validate refuses a configuration that cannot be used.
func (c Config) Validate() error {
	if err := item.CheckTableName(c.Table); err != nil {
		return err
	}
	if err := item.CheckTableName(v2.TableName(c.Table)); err != nil {
		return fmt.Errorf("the v2 companion of table %s: %w", c.Table, err)
	}
	if err := c.Shards.Validate(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrInvalid, err)
	}
	return item.SenderConfig{Client: c.Client, Random: c.Random, Backoff: c.Backoff}.Validate()
}

// A Migrator carries out the verbs on one lake. Its methods may be called from
// several tasks at once, and by several processes on the same lake.
type Migrator struct {
	cfg     Config
	records *control.Records
	sender  *item.Sender

	mu     sync.Mutex // guards random and the calls of cfg.Progress; never held over a yield
	random *rand.Rand
}

// New returns a migrator. It makes no request.
func New(cfg Config) (*Migrator, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	m := &Migrator{cfg: cfg, random: rand.New(cfg.Random)}
	var err error
	if m.sender, err = item.NewSender(item.SenderConfig{Client: cfg.Client, Random: m.stream(), Backoff: cfg.Backoff}); err != nil {
		return nil, err
	}
	m.records, err = control.New(control.Config{Client: cfg.Client, Table: m.v2Table(), Random: m.stream(), Backoff: cfg.Backoff})
	return m, err
}

// stream returns a source of random numbers of its own; its user locks it.
func (m *Migrator) stream() rand.Source {
	m.mu.Lock()
	defer m.mu.Unlock()
	return rand.NewPCG(m.random.Uint64(), m.random.Uint64())
}

func (m *Migrator) v2Table() string { return v2.TableName(m.cfg.Table) }

// id returns a unique id for a barrier or a run.
func (m *Migrator) id() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return attempt.ID(m.random, 8)
}

// jitter returns a number in [0, 1).
func (m *Migrator) jitter() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.random.Float64()
}

func (m *Migrator) report(p Progress) {
	if m.cfg.Progress == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cfg.Progress(p)
}

// tables is DynamoDB's description of the lake's two tables.
type tables struct {
	v1, v2 described
}

// described is one table. Its counts are DynamoDB's, which brings them up to date
// about every six hours (DescribeTable, API reference).
type described struct {
	exists bool
	items  int64
	bytes  int64
}

// check looks at both tables: whatever is there must have the primary key of its
// layout. The v2 table may be missing; if v1 is, what it returns of v2 holds beside
// the error.
func (m *Migrator) check(ctx context.Context) (tables, error) {
	var t tables
	var missing, err error
	if t.v1, missing = m.describe(ctx, v1.Schema(m.cfg.Table)); missing != nil && !errors.Is(missing, store.ErrNoTable) {
		return t, missing
	}
	if t.v2, err = m.describe(ctx, v2.Schema(m.v2Table())); err == nil || errors.Is(err, store.ErrNoTable) {
		err = missing
	}
	return t, err
}

// open is check for verbs that need both tables, in the layout of cfg.
func (m *Migrator) open(ctx context.Context) (tables, error) {
	t, err := m.check(ctx)
	if err != nil {
		return t, err
	}
	if !t.v2.exists {
		return t, fmt.Errorf("%w: %s; create it with the verb init", store.ErrNoTable, m.v2Table())
	}
	return t, control.CheckLayout(ctx, m.cfg.Client, m.v2Table(), m.cfg.Shards)
}

func (m *Migrator) describe(ctx context.Context, s item.Schema) (described, error) {
	table, err := item.CheckTable(ctx, m.cfg.Client, s)
	if err != nil {
		return described{}, err
	}
	return described{exists: true, items: aws.ToInt64(table.ItemCount), bytes: aws.ToInt64(table.TableSizeBytes)}, nil
}
