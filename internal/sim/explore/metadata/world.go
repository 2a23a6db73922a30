package metadata

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/internal/sim/explore"
	"github.com/lakebench/lakebench/internal/sim/explore/simulated"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
	v1 "github.com/lakebench/lakebench/store/v1"
	v2 "github.com/lakebench/lakebench/store/v2"
)

// A World is one run. Its tasks touch it one at a time.
type World struct {
	cfg      Config
	setup    explore.Setup
	names    []string
	service  *simulated.DynamoDB
	nodes    Nodes
	recorder *checker.Recorder
	// numbers has for each entry of the history that of the operation which it
	// was recorded by: a list is recorded as several reads.
	numbers []int
	begun   int // operations
	// What was found while actors were at work.
	listings, answers complaints
	watcher           simulated.Observer // nil: none
}

// Nodes makes the tables of a run and opens the stores of its nodes.
type Nodes interface {
	// Create makes the tables. Item is one of Table, with which a run begins.
	Create(ctx context.Context) error
	Table() string
	Item(key string, value []byte) map[string]types.AttributeValue
	// Open opens the store of a node.
	Open(ctx context.Context, node string) (store.MetaStore, error)
}

// complaints are what a check found, in the order in which it did.
type complaints struct {
	texts      []string
	operations []int
}

func (c *complaints) add(operation int, format string, args ...any) {
	c.texts = append(c.texts, fmt.Sprintf(format, args...))
	c.operations = append(c.operations, operation)
}

// tableName is that of every run's table.
const tableName = "lake"

// loader is the actor that loads what exists from the start.
const loader = "loader"

func open(ctx context.Context, c Config, s explore.Setup) (*World, error) {
	return Open(ctx, c, s, func(service *simulated.DynamoDB) Nodes { return storeConfig{c, service} }, nil)
}

// Open sets up a run of c whose nodes have other stores than c's layout. The watcher,
// unless nil, is told of every request and call as well.
func Open(ctx context.Context, c Config, s explore.Setup, nodes func(*simulated.DynamoDB) Nodes, watcher simulated.Observer) (*World, error) {
	w := &World{cfg: c, setup: s, names: c.Actors(), watcher: watcher}
	var err error
	if w.service, err = simulated.New(ctx, c.Services, s.Seed, s.Faults, w); err != nil {
		return nil, err
	}
	w.nodes = nodes(w.service)
	ctx = cause.With(cause.WithActor(ctx, loader), cause.Setup)
	if err := w.nodes.Create(ctx); err != nil {
		return nil, err
	}
	initial, err := w.load(ctx)
	if err != nil {
		return nil, err
	}
	w.recorder = checker.NewRecorder(ctx, initial...)
	return w, nil
}

// load writes every other key in bulk.
func (w *World) load(ctx context.Context) ([]checker.Entry, error) {
	client, err := w.service.Node(loader)
	if err != nil {
		return nil, err
	}
	var entries []checker.Entry
	for i, key := range w.cfg.Keys() {
		if i%2 == 0 {
			entries = append(entries, checker.Entry{Key: key, Value: checker.Text(w.cfg.Shared[0])})
		}
	}
	cfg := item.DefaultLoadConfig()
	cfg.Random = rand.NewPCG(w.service.Stream(loader), streamLoad)
	_, err = item.Load(ctx, client, w.nodes.Table(), func(yield func(map[string]types.AttributeValue) bool) {
		for _, e := range entries {
			if !yield(w.nodes.Item(e.Key, []byte(w.cfg.Shared[0]))) {
				return
			}
		}
	}, cfg)
	return entries, err
}

// Streams of random numbers of one node.
const (
	streamLoad       = 0x6c6f6164
	streamTokens     = 0x746f6b656e73
	streamOperations = 0x6f7073
)

// storeConfig makes and opens stores of either layout.
type storeConfig struct {
	cfg     Config
	service *simulated.DynamoDB
}

// Table implements Nodes.
func (s storeConfig) Table() string {
	if s.cfg.Layout == store.V1 {
		return tableName
	}
	return v2.TableName(tableName)
}

// Item implements Nodes.
func (s storeConfig) Item(key string, value []byte) map[string]types.AttributeValue {
	if s.cfg.Layout == store.V1 {
		return v1.Item(key, value)
	}
	return v2.Item(s.shards(), key, value)
}

func (s storeConfig) shards() keyspace.ShardCounts {
	return keyspace.ShardCounts{Default: s.cfg.Shards}
}

// Create implements Nodes.
func (s storeConfig) Create(ctx context.Context) error {
	client, err := s.service.Setup()
	if err != nil {
		return err
	}
	if s.cfg.Layout == store.V1 {
		return v1.Create(ctx, client, s.Table())
	}
	return v2.Create(ctx, client, s.v2(client, loader))
}

// Open implements Nodes.
func (s storeConfig) Open(ctx context.Context, node string) (store.MetaStore, error) {
	client, err := s.service.Node(node)
	if err != nil {
		return nil, err
	}
	if s.cfg.Layout == store.V1 {
		cfg := v1.DefaultConfig()
		cfg.Client, cfg.Table, cfg.PageLimit, cfg.Random = client, s.Table(), s.cfg.PageLimit, s.random(node)
		return v1.Open(ctx, cfg)
	}
	return v2.Open(ctx, s.v2(client, node))
}

func (s storeConfig) v2(client v2.Client, node string) v2.Config {
	cfg := v2.DefaultConfig()
	cfg.Client, cfg.Table, cfg.PageLimit, cfg.Random = client, s.Table(), s.cfg.PageLimit, s.random(node)
	cfg.Shards, cfg.Parallel = s.shards(), s.cfg.Parallel
	return cfg
}

func (s storeConfig) random(node string) rand.Source {
	return rand.NewPCG(s.service.Stream(node), streamTokens)
}

// History implements explore.World.
func (w *World) History() checker.History { return w.recorder.History() }

// Checks implements explore.World.
func (w *World) Checks(ctx context.Context) ([]explore.Check, error) {
	var checks []explore.Check
	for _, name := range w.cfg.Checks {
		switch name {
		case Listings:
			checks = append(checks, w.listings.check(name, "no list returned a key twice or an unknown one"))
		case Answers:
			checks = append(checks, w.answers.check(name, "every mutation ended as the contract says"))
		default:
			c, err := w.linearizable(ctx)
			if err != nil {
				return nil, err
			}
			checks = append(checks, c)
		}
	}
	return checks, nil
}

func (c complaints) check(name, passed string) explore.Check {
	if len(c.texts) == 0 {
		return explore.Check{Name: name, Verdict: checker.Passed, Detail: passed}
	}
	return explore.Check{Name: name, Verdict: checker.Failed, Detail: c.texts[0], Operations: c.operations[:1]}
}

func (w *World) linearizable(ctx context.Context) (explore.Check, error) {
	h := w.recorder.History()
	res, err := checker.Check(ctx, h, w.cfg.Limits)
	if err != nil {
		return explore.Check{}, err
	}
	check := explore.Check{Name: Linearizable, Verdict: res.Verdict, Detail: res.Detail, Failing: res.Failing}
	for _, o := range res.Failing.Operations {
		i := slices.IndexFunc(h.Operations, func(p checker.Operation) bool { return p.Invoked.Seq == o.Invoked.Seq })
		check.Operations = append(check.Operations, w.numbers[i])
	}
	return check, nil
}

// Served implements simulated.Observer.
func (w *World) Served(ctx context.Context, s dynamo.Served) {
	if w.watcher != nil {
		w.watcher.Served(ctx, s)
	}
	if w.setup.Log.Wanted() {
		w.setup.Log.Note(ctx, describeServed(ctx, s))
	}
}

// Called implements simulated.Observer.
func (w *World) Called(ctx context.Context, api string, input any, err error) {
	if w.watcher != nil {
		w.watcher.Called(ctx, api, input, err)
	}
	if o := operationOf(ctx); o != nil {
		o.last = err
	}
	if w.setup.Log.Wanted() {
		w.setup.Log.Replace(ctx, describeServed(ctx, dynamo.Served{API: api, Outcome: dynamo.OutcomeOK}), describeCall(api, input, err))
	}
}

// Act implements explore.World.
func (w *World) Act(ctx context.Context, actor int) error {
	s, err := w.start(ctx, w.names[actor])
	if err != nil || s == nil {
		return err
	}
	a := newActor(w, actor, s)
	for range w.setup.Operations {
		if ended(ctx) {
			return nil
		}
		a.operate(ctx)
	}
	return nil
}

// start opens a node's store, again and again as long as the service fails. It
// returns nothing if the node crashes meanwhile.
func (w *World) start(ctx context.Context, name string) (*run.Recorded, error) {
	for try := 1; ; try++ {
		s, err := w.nodes.Open(ctx, name)
		switch {
		case ended(ctx):
			return nil, nil
		case err == nil:
			return run.Record(s, w.recorder, w.listedKeys()), nil
		case try == maxStarts:
			return nil, fmt.Errorf("%s cannot open its store: %w", name, err)
		}
	}
}

// ended reports whether a node has crashed, or the run is over: neither is a fault
// of whoever notices.
func ended(ctx context.Context) bool { return ctx.Err() != nil }

// maxStarts is how often a node tries to open its store.
const maxStarts = 10

// listedKeys are the keys that lists are checked for.
func (w *World) listedKeys() []string {
	if !w.cfg.checks(Listings) {
		return nil
	}
	return slices.DeleteFunc(w.cfg.Keys(), func(key string) bool { return !isListed(key) })
}
