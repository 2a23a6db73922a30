package metadata

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/backend/dynamo"
	"github.com/lakebench/lakebench/cause"
	"github.com/lakebench/lakebench/checker"
	"github.com/lakebench/lakebench/explore"
	"github.com/lakebench/lakebench/explore/simulated"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/bulk"
	v1 "github.com/lakebench/lakebench/store/v1"
	v2 "github.com/lakebench/lakebench/store/v2"
	"github.com/lakebench/lakebench/workloads"
)

// A world is one run. Its tasks touch it one at a time.
type world struct {
	cfg      Config
	setup    explore.Setup
	names    []string
	service  *simulated.DynamoDB
	stores   storeConfig
	recorder *checker.Recorder
	// numbers has for each entry of the history that of the operation which it
	// was recorded by: a list is recorded as several reads.
	numbers []int
	begun   int // operations
	// What was found while actors were at work.
	listings, answers complaints
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

func open(ctx context.Context, c Config, s explore.Setup) (*world, error) {
	w := &world{cfg: c, setup: s, names: c.actors()}
	var err error
	if w.service, err = simulated.New(ctx, c.Services, s.Seed, s.Faults, w); err != nil {
		return nil, err
	}
	w.stores = storeConfig{c, w.service}
	ctx = cause.With(cause.WithActor(ctx, loader), cause.Setup)
	if err := w.stores.create(ctx); err != nil {
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
func (w *world) load(ctx context.Context) ([]checker.Entry, error) {
	client, err := w.service.Node(loader)
	if err != nil {
		return nil, err
	}
	var entries []checker.Entry
	for i, key := range w.cfg.keys() {
		if i%2 == 0 {
			entries = append(entries, checker.Entry{Key: key, Value: checker.Text(w.cfg.Shared[0])})
		}
	}
	cfg := bulk.DefaultConfig()
	cfg.Random = rand.NewPCG(w.service.Stream(loader), streamLoad)
	_, err = bulk.Put(ctx, client, w.stores.table(), func(yield func(map[string]types.AttributeValue) bool) {
		for _, e := range entries {
			if !yield(w.stores.item(e.Key, []byte(w.cfg.Shared[0]))) {
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

func (s storeConfig) table() string {
	if s.cfg.Layout == store.V1 {
		return tableName
	}
	return v2.TableName(tableName)
}

func (s storeConfig) item(key string, value []byte) map[string]types.AttributeValue {
	if s.cfg.Layout == store.V1 {
		return v1.Item(key, value)
	}
	return v2.Item(s.shards(), key, value)
}

func (s storeConfig) shards() store.ShardCounts { return store.ShardCounts{Default: s.cfg.Shards} }

func (s storeConfig) create(ctx context.Context) error {
	client, err := s.service.Setup()
	if err != nil {
		return err
	}
	if s.cfg.Layout == store.V1 {
		return v1.Create(ctx, client, s.table())
	}
	return v2.Create(ctx, client, s.v2(client, loader))
}

// open opens the store of a node.
func (s storeConfig) open(ctx context.Context, node string) (store.MetaStore, error) {
	client, err := s.service.Node(node)
	if err != nil {
		return nil, err
	}
	if s.cfg.Layout == store.V1 {
		cfg := v1.DefaultConfig()
		cfg.Client, cfg.Table, cfg.PageLimit, cfg.Random = client, s.table(), s.cfg.PageLimit, s.random(node)
		return v1.Open(ctx, cfg)
	}
	return v2.Open(ctx, s.v2(client, node))
}

func (s storeConfig) v2(client v2.Client, node string) v2.Config {
	cfg := v2.DefaultConfig()
	cfg.Client, cfg.Table, cfg.PageLimit, cfg.Random = client, s.table(), s.cfg.PageLimit, s.random(node)
	cfg.Shards, cfg.Parallel = s.shards(), s.cfg.Parallel
	return cfg
}

func (s storeConfig) random(node string) rand.Source {
	return rand.NewPCG(s.service.Stream(node), streamTokens)
}

// History implements explore.World.
func (w *world) History() checker.History { return w.recorder.History() }

// Checks implements explore.World.
func (w *world) Checks(ctx context.Context) ([]explore.Check, error) {
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

func (w *world) linearizable(ctx context.Context) (explore.Check, error) {
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
func (w *world) Served(ctx context.Context, s dynamo.Served) {
	if w.setup.Log.Wanted() {
		w.setup.Log.Note(ctx, describeServed(ctx, s))
	}
}

// Called implements simulated.Observer.
func (w *world) Called(ctx context.Context, api string, input any, err error) {
	if o := operationOf(ctx); o != nil {
		o.last = err
	}
	if w.setup.Log.Wanted() {
		w.setup.Log.Replace(ctx, describeServed(ctx, dynamo.Served{API: api, Outcome: dynamo.OutcomeOK}), describeCall(api, input, err))
	}
}

// Act implements explore.World.
func (w *world) Act(ctx context.Context, actor int) error {
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
func (w *world) start(ctx context.Context, name string) (*workloads.Recorded, error) {
	for try := 1; ; try++ {
		s, err := w.stores.open(ctx, name)
		switch {
		case ended(ctx):
			return nil, nil
		case err == nil:
			return workloads.Record(s, w.recorder, w.listedKeys()), nil
		case try == maxStarts:
			return nil, fmt.Errorf("%s cannot open its store: %w", name, err)
		}
	}
}

// ended says whether a node has crashed, or the run is over: neither is a fault
// of whoever notices.
func ended(ctx context.Context) bool { return ctx.Err() != nil }

// maxStarts is how often a node tries to open its store.
const maxStarts = 10

// listedKeys are the keys that lists are checked for.
func (w *world) listedKeys() []string {
	if !w.cfg.checks(Listings) {
		return nil
	}
	return slices.DeleteFunc(w.cfg.keys(), func(key string) bool { return !isListed(key) })
}
