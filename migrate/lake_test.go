package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.uber.org/goleak"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/direct"
	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
	v1 "github.com/lakebench/lakebench/store/v1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	tableV1 = "lake"
	tableV2 = "lake_prefix_v2"
	owner   = "operator"
)

// A lake is an embedded service with a v1 table, and what was requested of it.
type lake struct {
	t       *testing.T
	ctx     context.Context // of the test, on the virtual runtime
	backend *backend.Backend
	setup   *direct.Client // whose requests never fail and are not counted

	injector *fault.Injector
	served   []served
	after    func(s served) // unless nil, hears of each request once it was served
	ids      int
}

// served is a request that was counted.
type served struct {
	api, outcome, actor string
	rru, wru            float64
}

type setupKey struct{}

// virtually runs a test on a lake under fault rules.
func virtually(t *testing.T, rules string, test func(ctx context.Context, l *lake)) {
	t.Helper()
	_, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
		l := newLake(ctx, t, dynamo.DefaultConfig(), rules)
		test(ctx, l)
		return l.injector.Wait()
	})
	if err != nil {
		t.Error(err)
	}
}

func (l *lake) meter() *meter.Meter {
	m, err := l.backend.NewMeter(nil)
	if err != nil {
		l.t.Fatal(err)
	}
	return m
}

func newLake(ctx context.Context, t *testing.T, engine dynamo.Config, rules string) *lake {
	t.Helper()
	parsed, err := fault.Parse("test", rules)
	if err != nil {
		t.Fatal(err)
	}
	l := &lake{t: t, ctx: ctx, injector: fault.New(ctx, parsed, fault.DefaultConfig())}
	cfg := backend.DefaultConfig()
	cfg.Dynamo = engine
	cfg.Observe = func(ctx context.Context, s dynamo.Served) {
		if ctx.Value(setupKey{}) != nil {
			return
		}
		one := served{s.API, s.Outcome, cause.Actor(ctx), s.RRU, s.WRU}
		l.served = append(l.served, one)
		if l.after != nil {
			l.after(one)
		}
	}
	if l.backend, err = backend.Open(ctx, cfg); err != nil {
		t.Fatal(err)
	}
	if l.setup, err = l.backend.Direct(l.meter(), nil); err != nil {
		t.Fatal(err)
	}
	if err := v1.Create(l.quiet(), l.setup, tableV1); err != nil {
		t.Fatal(err)
	}
	return l
}

// quiet is a context for requests that are not the test's subject.
func (l *lake) quiet() context.Context {
	return context.WithValue(context.WithoutCancel(l.ctx), setupKey{}, true)
}

// client returns one under the lake's fault rules.
func (l *lake) client() *direct.Client {
	c, err := l.backend.Direct(l.meter(), l.injector)
	if err != nil {
		l.t.Fatal(err)
	}
	return c
}

// random returns a source of its own for each caller.
func (l *lake) random() rand.Source {
	l.ids++
	h := fnv.New64a()
	fmt.Fprint(h, l.ids)
	return rand.NewPCG(h.Sum64(), 1)
}

func (l *lake) config(client migrate.Client) migrate.Config {
	cfg := migrate.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Random = client, tableV1, l.random()
	return cfg
}

func (l *lake) migrator(client migrate.Client) *migrate.Migrator {
	l.t.Helper()
	m, err := migrate.New(l.config(client))
	if err != nil {
		l.t.Fatal(err)
	}
	return m
}

// init makes the v2 table, unseen.
func (l *lake) init() {
	l.t.Helper()
	if _, err := l.migrator(l.setup).Init(l.quiet(), migrate.InitOptions{}); err != nil {
		l.t.Fatal(err)
	}
}

// load writes items into v1.
func (l *lake) load(items map[string]string) {
	l.t.Helper()
	cfg := item.DefaultLoadConfig()
	cfg.Random = l.random()
	_, err := item.Load(l.quiet(), l.setup, tableV1, func(yield func(map[string]types.AttributeValue) bool) {
		for _, key := range slices.Sorted(maps.Keys(items)) {
			if !yield(v1.Item(key, []byte(items[key]))) {
				return
			}
		}
	}, cfg)
	if err != nil {
		l.t.Fatal(err)
	}
}

// putRaw writes any item.
func (l *lake) putRaw(table string, item map[string]types.AttributeValue) {
	l.t.Helper()
	if _, err := l.setup.PutItem(l.quiet(), &dynamodb.PutItemInput{TableName: &table, Item: item}); err != nil {
		l.t.Fatal(err)
	}
}

// set writes one record of either layout behind everybody's back; get and remove
// likewise.
func (l *lake) set(table, key, value string) {
	l.t.Helper()
	item := l.keyOf(table, key)
	item["value"] = &types.AttributeValueMemberB{Value: []byte(value)}
	l.putRaw(table, item)
}

func (l *lake) remove(table, key string) {
	l.t.Helper()
	if _, err := l.setup.DeleteItem(l.quiet(), &dynamodb.DeleteItemInput{TableName: &table, Key: l.keyOf(table, key)}); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lake) keyOf(table, key string) map[string]types.AttributeValue {
	k := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: key}}
	if table == tableV2 {
		k["bucket"] = &types.AttributeValueMemberS{Value: keyspace.Bucket(key)}
	}
	return k
}

// contents returns the records of a table, without control records.
func (l *lake) contents(table string) map[string]string {
	l.t.Helper()
	found := map[string]string{}
	for bucket, records := range l.buckets(table) {
		for key, value := range records {
			if bucket != control.Bucket {
				found[key] = value
			}
		}
	}
	return found
}

// controls returns the control records.
func (l *lake) controls() map[string]string { return l.buckets(tableV2)[control.Bucket] }

func (l *lake) buckets(table string) map[string]map[string]string {
	l.t.Helper()
	found := map[string]map[string]string{}
	in := &dynamodb.ScanInput{TableName: &table, ConsistentRead: aws.Bool(true)}
	for {
		out, err := l.setup.Scan(l.quiet(), in)
		if err != nil {
			l.t.Fatal(err)
		}
		for _, item := range out.Items {
			bucket, _ := item["bucket"].(*types.AttributeValueMemberS)
			value, _ := item["value"].(*types.AttributeValueMemberB)
			name := ""
			if bucket != nil {
				name = bucket.Value
			}
			if found[name] == nil {
				found[name] = map[string]string{}
			}
			text := "not binary"
			if value != nil {
				text = string(value.Value)
			}
			found[name][item["pk"].(*types.AttributeValueMemberS).Value] = text
		}
		if len(out.LastEvaluatedKey) == 0 {
			return found
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// node opens a node whose requests never fail and are not counted.
func (l *lake) node(name string, mode control.Mode) *dual.Store {
	l.t.Helper()
	s, err := l.open(l.quiet(), l.setup, name, mode)
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

func (l *lake) open(ctx context.Context, client dual.Client, name string, mode control.Mode) (*dual.Store, error) {
	cfg := dual.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Node, cfg.Mode, cfg.Random = client, tableV1, name, mode, l.random()
	return dual.Open(ctx, cfg)
}

// requests counts what was served, by operation.
func (l *lake) requests() map[string]int {
	n := map[string]int{}
	for _, s := range l.served {
		n[s.api]++
	}
	return n
}

func (l *lake) wru() (n float64) {
	for _, s := range l.served {
		n += s.wru
	}
	return n
}

// records are so many items of some size each, in a family of their own.
func records(n, valueBytes int) map[string]string {
	items := map[string]string{}
	for i := range n {
		items[fmt.Sprintf("tbl/%05d", i)] = fmt.Sprintf("%d:", i) + strings.Repeat("x", valueBytes)
	}
	return items
}

// backfillAll copies everything, unseen.
func (l *lake) backfillAll() {
	l.t.Helper()
	r, err := l.migrator(l.setup).Backfill(l.quiet(), migrate.DefaultBackfillOptions())
	if err != nil || r.Progress.State != control.BackfillComplete {
		l.t.Fatalf("backfill: %+v, %v", r, err)
	}
}

// finalizing are options for the nodes.
func finalizing(nodes ...string) migrate.FinalizeOptions {
	o := migrate.DefaultFinalizeOptions()
	o.Owner, o.Nodes, o.NoNodes = owner, nodes, len(nodes) == 0
	return o
}

// beating keeps nodes alive until the test has ended.
func beating(ctx context.Context, nodes ...*dual.Store) (stop func()) {
	ctx, cancel := task.WithCancel(ctx)
	group := task.NewGroup(ctx, 0)
	for _, n := range nodes {
		group.Go("heartbeats", func(ctx context.Context) error {
			for task.Sleep(ctx, 300*time.Millisecond) == nil {
				if err := n.Heartbeat(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, fault.ErrCrashed) {
					return err
				}
			}
			return nil
		})
	}
	return func() {
		cancel(context.Canceled)
		_ = group.Wait()
	}
}

// contentious is a service whose transactions take time, so that others meet them.
func contentious() dynamo.Config {
	cfg := dynamo.DefaultConfig()
	cfg.CommitDelay = 2 * time.Millisecond
	return cfg
}

func scanOf(table string) *dynamodb.ScanInput {
	return &dynamodb.ScanInput{TableName: &table, ConsistentRead: aws.Bool(true)}
}

func deleteOf(table, bucket, key string) *dynamodb.DeleteItemInput {
	return &dynamodb.DeleteItemInput{TableName: &table, Key: map[string]types.AttributeValue{
		"bucket": &types.AttributeValueMemberS{Value: bucket}, "pk": &types.AttributeValueMemberS{Value: key},
	}}
}
