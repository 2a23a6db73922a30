package dual_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
	"github.com/lakebench/lakebench/store/v1"
	"github.com/lakebench/lakebench/store/v2"
)

// A testLake is both tables on an embedded service.
type testLake struct {
	*testing.T
	faults  *storetest.Faults
	faulty  *dynamodb.Client // under the faults
	direct  *dynamodb.Client
	records *control.Records
	seed    uint64
}

// newLake makes both tables.
func newLake(t *testing.T) *testLake {
	t.Helper()
	l := legacyLake(t)
	initialize(t, l.direct, lake, 1)
	return l
}

// legacyLake makes the table of v1 alone.
func legacyLake(t *testing.T) *testLake {
	t.Helper()
	faults, direct := service(t)
	if err := v1.Create(context.Background(), direct, lake); err != nil {
		t.Fatal(err)
	}
	return &testLake{T: t, faults: faults, faulty: storetest.Client(faults), direct: direct, records: records(t, direct, lake, 1), seed: 10}
}

// config is that of a node on a client, with tokens of its own.
func (l *testLake) config(c dual.Client, node string, mode control.Mode) dual.Config {
	l.seed++
	return config(c, node, mode, l.seed)
}

func (l *testLake) open(node string, mode control.Mode) *dual.Store {
	l.Helper()
	return openNode(l.T, l.config(l.direct, node, mode))
}

// openFaulty opens a node whose requests can be made to fail.
func (l *testLake) openFaulty(node string, mode control.Mode) *dual.Store {
	l.Helper()
	return openNode(l.T, l.config(l.faulty, node, mode))
}

func (l *testLake) barrier() {
	l.Helper()
	l.must(l.records.InstallBarrier(context.Background(), control.Barrier{ID: "b1", Owner: "test"}))
}

func (l *testLake) finalize() {
	l.Helper()
	finalize(l.T, l.records)
}

func (l *testLake) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

// is checks that err is of a kind.
func (l *testLake) is(what string, err, want error) {
	l.Helper()
	if !errors.Is(err, want) {
		l.Errorf("%s: error %v, want %v", what, err, want)
	}
}

func (l *testLake) mode(s *dual.Store, want control.Mode) {
	l.Helper()
	if s.Mode() != want {
		l.Errorf("mode %v, want %v", s.Mode(), want)
	}
}

// peer checks what a node's record says.
func (l *testLake) peer(node string, mode control.Mode, observed bool) {
	l.Helper()
	p, err := l.records.Peer(context.Background(), node)
	l.must(err)
	if p == nil || p.Mode != mode || p.MarkerObserved != observed {
		l.Errorf("record of node %s: %+v; want mode %v, marker observed %v", node, p, mode, observed)
	}
}

func (l *testLake) noPeer(node string) {
	l.Helper()
	if p, err := l.records.Peer(context.Background(), node); p != nil || err != nil {
		l.Errorf("record of node %s: %+v, %v; want none", node, p, err)
	}
}

// A copied key is what each layout holds for it, "-" for nothing.
func (l *testLake) holds(key, inV1, inV2 string) {
	l.Helper()
	for what, c := range map[string]struct {
		r    item.Record
		want string
	}{
		"v1": {v1.Layout(lake).Record(key), inV1},
		"v2": {v2.Layout(lake2, keyspace.DefaultShardCounts()).Record(key), inV2},
	} {
		got := "-"
		switch value, err := c.r.Get(context.Background(), l.direct, store.Strong); {
		case err == nil:
			got = string(value)
		case !errors.Is(err, store.ErrNotFound):
			l.Fatal(err)
		}
		if got != c.want {
			l.Errorf("%s holds %q for %q, want %q", what, got, key, c.want)
		}
	}
}

// write puts a key behind the nodes' backs; "-" is nothing.
func (l *testLake) write(key, inV1, inV2 string) {
	l.Helper()
	for _, c := range []struct {
		table string
		item  map[string]types.AttributeValue
		value string
	}{
		{lake, v1.Item(key, []byte(inV1)), inV1},
		{lake2, v2.Item(keyspace.DefaultShardCounts(), key, []byte(inV2)), inV2},
	} {
		if c.value == "-" {
			continue
		}
		_, err := l.direct.PutItem(context.Background(), &dynamodb.PutItemInput{TableName: &c.table, Item: c.item})
		l.must(err)
	}
}

func (l *testLake) get(s store.MetaStore, key, want string) {
	l.Helper()
	value, err := s.Get(context.Background(), key)
	if err != nil || string(value) != want {
		l.Errorf("Get(%q) = %q, %v; want %q", key, value, err, want)
	}
}

// keys drains a prefix and returns its keys with their values.
func (l *testLake) keys(s store.MetaStore, prefix string) map[string]string {
	l.Helper()
	listed := make(map[string]string)
	for e, err := range s.List(context.Background(), prefix) {
		l.must(err)
		listed[e.Key] = string(e.Value)
	}
	return listed
}

func is(value string) store.Expectation { return store.Exactly([]byte(value)) }

// before is a fault that does something just before the request arrives.
func before(do func()) storetest.Fault {
	return storetest.Before(do, storetest.Through)
}
