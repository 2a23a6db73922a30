package v2_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.uber.org/goleak"

	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/keyspace"
	"github.com/lakebench/lakebench/store/v2"
)

// filled returns a recorded store that holds n tables and as many records of other
// families.
func filled(t *testing.T, n, parallel int) (*v2.Store, *storetest.Recorder, *storetest.Faults) {
	t.Helper()
	faults, direct := service(t)
	rec := storetest.NewRecorder(storetest.Client(faults))
	f := fixture(t, lake, 1, rec, direct, faults, parallel)
	for i := range n {
		for _, key := range []string{fmt.Sprintf("tbl/%03d", i), fmt.Sprintf("lease/%03d", i)} {
			if err := f.Peer.CAS(context.Background(), key, store.Absent(), []byte(key)); err != nil {
				t.Fatal(err)
			}
		}
	}
	rec.Take()
	return f.Store.(*v2.Store), rec, faults
}

// listed drains a prefix and returns its keys in order.
func listed(t *testing.T, s *v2.Store, prefix string) []string {
	t.Helper()
	var keys []string
	for e, err := range s.List(context.Background(), prefix) {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, e.Key)
	}
	slices.Sort(keys)
	return keys
}

// TestParallelRequests: a parallel drain makes the very requests of a sequential
// one, and a request evaluates what it returns (docs/spec/metadata-store.md §3).
func TestParallelRequests(t *testing.T) {
	var want, wantKeys []string
	for _, parallel := range []int{1, 2, 8, 100} {
		s, rec, _ := filled(t, 60, parallel)
		keys, requests := listed(t, s, "tbl/"), rec.Take()
		slices.Sort(requests)
		if parallel == 1 {
			want, wantKeys = requests, keys
		}
		if len(keys) != 60 || !slices.Equal(keys, wantKeys) {
			t.Errorf("%d at once: %d keys, want 60", parallel, len(keys))
		}
		if !slices.Equal(requests, want) {
			t.Errorf("%d at once made other requests:\n%s\nwant:\n%s", parallel, strings.Join(requests, "\n"), strings.Join(want, "\n"))
		}
		for _, line := range requests {
			var evaluated, returned int
			_, counts, _ := strings.Cut(line, " -> ")
			if _, err := fmt.Sscanf(counts, "evaluated %d, returned %d", &evaluated, &returned); err != nil || evaluated != returned {
				t.Errorf("%s: evaluated %d, returned %d (%v)", line, evaluated, returned, err)
			}
		}
	}
}

// TestRequestFloor: a refresh of one page a shard is one request a shard, at any
// history size.
func TestRequestFloor(t *testing.T) {
	for _, n := range []int{0, 8, 20} {
		s, rec, _ := filled(t, n, 1)
		p, err := s.Page(context.Background(), "tbl/", 1000, "")
		for err == nil && p.Cursor != "" {
			p, err = s.Page(context.Background(), "tbl/", 1000, p.Cursor)
		}
		if requests := rec.Take(); err != nil || len(requests) != 8 {
			t.Errorf("%d tables: %d requests, %v; want 8", n, len(requests), err)
		}
	}
}

// TestParallelFailure: a shard that fails ends the drain with its error, once, and
// nothing is left running; nor is it when the caller stops.
func TestParallelFailure(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s, _, faults := filled(t, 60, 4)
	fail := []storetest.Fault{storetest.Through, storetest.Through, storetest.Through}
	for range 100 {
		fail = append(fail, storetest.Refused("ValidationException"))
	}
	faults.Next("Query", fail...)
	var failed []error
	for _, err := range s.List(context.Background(), "tbl/") {
		if err != nil {
			failed = append(failed, err)
		}
	}
	var service interface{ ErrorCode() string }
	if len(failed) != 1 || !errors.As(failed[0], &service) || service.ErrorCode() != "ValidationException" {
		t.Errorf("errors %v, want the service's, once", failed)
	}
	faults.Next("Query")
	for range 10 {
		for _, err := range s.List(context.Background(), "tbl/") {
			if err != nil {
				t.Error(err)
			}
			break
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	var last error
	for _, err := range s.List(ctx, "tbl/") {
		if n++; n == 5 {
			cancel()
		}
		last = err
	}
	if !errors.Is(last, context.Canceled) || n > 60 {
		t.Errorf("cancelled after 5 entries: %d came, then %v; want Canceled", n, last)
	}
	cancel()
}

// TestPlacesOutOfReach: cursors that look right but name what this drain cannot
// have reached.
func TestPlacesOutOfReach(t *testing.T) {
	s, rec, _ := filled(t, 20, 1)
	key := "tbl/007"
	for what, c := range map[string]store.Cursor{
		"key of another shard":      {Shard: (keyspace.Shard(key) + 1) % 8, Last: key},
		"a shard too many":          {Shard: 8},
		"a huge shard":              {Shard: 1 << 31},
		"key of another family":     {Shard: keyspace.Shard("lease/007"), Last: "lease/007"},
		"key not under the prefix":  {Shard: keyspace.Shard("tbl/1"), Last: "tbl/1"},
		"the layout of v1":          {Layout: store.V1, Shard: keyspace.Shard(key), Last: key},
		"the scope of a v1 table":   {Scope: store.PrefixScope("lake", "tbl/0"), Shard: keyspace.Shard(key), Last: key},
		"the scope of a family":     {Scope: store.FamilyScope(lake, "tbl"), Shard: keyspace.Shard(key), Last: key},
		"the scope of the root one": {Scope: store.FamilyScope(lake, "root")},
	} {
		if c.Layout == 0 {
			c.Layout = store.V2
		}
		if c.Scope == (store.Scope{}) {
			c.Scope = store.PrefixScope(lake, "tbl/0")
		}
		if _, err := s.Page(context.Background(), "tbl/0", 0, c.Token()); !errors.Is(err, store.ErrBadCursor) {
			t.Errorf("%s: %v, want ErrBadCursor", what, err)
		}
	}
	if requests := rec.Take(); len(requests) > 0 {
		t.Errorf("refused cursors made requests:\n%s", strings.Join(requests, "\n"))
	}
	// The same with nothing wrong, and for a key that is gone by now.
	for _, key := range []string{"tbl/007", "tbl/0075"} {
		c := store.Cursor{Layout: store.V2, Scope: store.PrefixScope(lake, "tbl/0"), Shard: keyspace.Shard(key), Last: key}
		if _, err := s.Page(context.Background(), "tbl/0", 0, c.Token()); err != nil {
			t.Errorf("a cursor after %q: %v", key, err)
		}
	}
}

// emptyLast ends with an empty last key where the service sends none.
type emptyLast struct{ v2.Client }

func (e emptyLast) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	out, err := e.Client.Query(ctx, in, opts...)
	if err == nil && out.LastEvaluatedKey == nil {
		out.LastEvaluatedKey = map[string]types.AttributeValue{}
	}
	return out, err
}

// TestEmptyLastKey: an empty last key is the end of a shard (hazard 7).
func TestEmptyLastKey(t *testing.T) {
	for _, parallel := range []int{1, 3} {
		s, rec, _ := filled(t, 30, parallel)
		want := listed(t, s, "tbl/")
		cfg := config(emptyLast{rec}, 5)
		cfg.Parallel = parallel
		if got := listed(t, openStore(t, cfg), "tbl/"); !slices.Equal(got, want) {
			t.Errorf("%d at once: %d keys, want %d", parallel, len(got), len(want))
		}
	}
}

func TestEventualReads(t *testing.T) {
	_, rec, _ := filled(t, 3, 1)
	cfg := config(rec, 5)
	cfg.Consistency = store.Eventual
	s := openStore(t, cfg)
	rec.Take()
	if _, err := s.Get(context.Background(), "tbl/000"); err != nil {
		t.Error(err)
	}
	listed(t, s, "tbl/")
	for _, line := range rec.Take() {
		if !strings.Contains(line, " eventual ") {
			t.Errorf("%s: want an eventual read", line)
		}
	}
}
