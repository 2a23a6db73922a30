package dual

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
	"github.com/lakebench/lakebench/store/v1"
	"github.com/lakebench/lakebench/store/v2"
)

// A Client makes the requests of a node.
type Client interface {
	item.Writer
	item.Describer
	item.Getter
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
}

// Mirror is what a dual mutation does to a v2 record that has neither the
// expected value nor none.
type Mirror int

const (
	// FailClosed refuses the mutation with store.ErrMirrorConflict, as the design
	// note wants it.
	FailClosed Mirror = iota
	// Heal overwrites it. v1 is the authority, and the transaction has checked v1
	// and the barrier, so afterwards both copies agree.
	Heal
)

func (m Mirror) String() string {
	if m == Heal {
		return "heal"
	}
	return "fail-closed"
}

// Config is the node to open, and how it works.
type Config struct {
	Client Client
	Table  string // the v1 table; that of v2 is its companion, see v2.TableName
	// Node is the node's id, by which operators and finalizations know it. No two
	// processes that are alive may share one.
	Node string
	// Mode is the mode to open in. ModeDual opens as v2-authoritative once the
	// migration is final.
	Mode   control.Mode
	Shards keyspace.ShardCounts // see v2.Config
	Mirror Mirror               // in mode dual
	// PageLimit is the most items that a page of List evaluates; 0: as many as
	// the service puts into one (1 MB).
	PageLimit   int
	Parallel    int               // see v2.Config
	Consistency store.Consistency // of reads of users' keys
	Random      rand.Source       // see item.SenderConfig
	Backoff     item.Backoff      // see item.SenderConfig
}

// DefaultConfig is a dual node with the shard counts of
// docs/spec/metadata-store.md §3, a mirror that fails closed, pages of at most
// 1,000 items, sequential drains and strong reads. Client, Table, Node and Random
// are for the caller to set.
func DefaultConfig() Config {
	return Config{Mode: control.ModeDual, Shards: keyspace.DefaultShardCounts(), PageLimit: 1000, Parallel: 1, Backoff: item.DefaultBackoff()}
}

// Validate refuses a configuration that cannot be opened.
func (c Config) Validate() error {
	if err := control.CheckNode(c.Node); err != nil {
		return err
	}
	if err := c.Mode.Validate(); err != nil {
		return err
	}
	if c.Mirror != FailClosed && c.Mirror != Heal {
		return fmt.Errorf("%w: mirror %d; want fail-closed or heal", store.ErrInvalid, c.Mirror)
	}
	if err := c.v1().Validate(); err != nil {
		return err
	}
	return c.v2().Validate()
}

func (c Config) v1() v1.Config {
	return v1.Config{Client: c.Client, Table: c.Table, PageLimit: c.PageLimit, Consistency: c.Consistency, Random: c.Random, Backoff: c.Backoff}
}

func (c Config) v2() v2.Config {
	return v2.Config{
		Client: c.Client, Table: v2.TableName(c.Table), Shards: c.Shards,
		PageLimit: c.PageLimit, Parallel: c.Parallel, Consistency: c.Consistency, Random: c.Random, Backoff: c.Backoff,
	}
}

// shared is one source of randomness for the several senders of a node, each of
// which locks only itself.
type shared struct {
	mu     sync.Mutex // never held over a yield
	source rand.Source
}

// Uint64 implements rand.Source.
func (s *shared) Uint64() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.source.Uint64()
}
