package v1_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/v1"
)

// filled returns a recorded store that holds n tables and as many records of
// another family.
func filled(t *testing.T, n int) (*v1.Store, *storetest.Recorder) {
	t.Helper()
	faults, direct := service(t)
	rec := storetest.NewRecorder(storetest.Client(faults))
	f := fixture(t, lake, 1, rec, direct, faults)
	for i := range n {
		for _, key := range []string{fmt.Sprintf("tbl/%03d", i), fmt.Sprintf("lease/%03d", i)} {
			if err := f.Peer.CAS(context.Background(), key, store.Absent(), []byte(key)); err != nil {
				t.Fatal(err)
			}
		}
	}
	rec.Take()
	return f.Store.(*v1.Store), rec
}

// count drains a prefix and returns how many keys there were.
func count(t *testing.T, s *v1.Store, prefix string) int {
	t.Helper()
	keys := make(map[string]bool)
	for e, err := range s.List(context.Background(), prefix) {
		if err != nil {
			t.Fatal(err)
		}
		keys[e.Key] = true
	}
	return len(keys)
}

// TestEvaluatesTheTable: whatever the prefix, a drain evaluates every record of the
// table (docs/spec/metadata-store.md §2), and with a limit that divides their
// number one more request finds the end.
func TestEvaluatesTheTable(t *testing.T) {
	s, rec := filled(t, 50)
	for _, prefix := range []string{"tbl/", "lease/", "nothing/", ""} {
		count(t, s, prefix)
		evaluated := 0
		requests := rec.Take()
		for _, line := range requests {
			var n int
			_, counts, _ := strings.Cut(line, " -> ")
			if _, err := fmt.Sscanf(counts, "evaluated %d", &n); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			evaluated += n
		}
		if evaluated != 100 || len(requests) != 6 {
			t.Errorf("List(%q): %d requests evaluated %d items, want 6 of 20 at most and 100 in all", prefix, len(requests), evaluated)
		}
	}
}

// emptyLast ends with an empty last key where the service sends none.
type emptyLast struct{ v1.Client }

func (e emptyLast) Scan(ctx context.Context, in *dynamodb.ScanInput, opts ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	out, err := e.Client.Scan(ctx, in, opts...)
	if err == nil && out.LastEvaluatedKey == nil {
		out.LastEvaluatedKey = map[string]types.AttributeValue{}
	}
	return out, err
}

// TestEmptyLastKey: an empty last key is the end (hazard 7).
func TestEmptyLastKey(t *testing.T) {
	_, rec := filled(t, 30)
	if n := count(t, openStore(t, config(emptyLast{rec}, 5)), "tbl/"); n != 30 {
		t.Errorf("%d keys, want 30", n)
	}
}

func TestEventualReads(t *testing.T) {
	_, rec := filled(t, 3)
	cfg := config(rec, 5)
	cfg.Consistency = store.Eventual
	s := openStore(t, cfg)
	rec.Take()
	if _, err := s.Get(context.Background(), "tbl/000"); err != nil {
		t.Error(err)
	}
	count(t, s, "tbl/")
	for _, line := range rec.Take() {
		if !strings.Contains(line, " eventual ") {
			t.Errorf("%s: want an eventual read", line)
		}
	}
}

// TestBadPlaces: a cursor of this drain names a key, and no shard.
func TestBadPlaces(t *testing.T) {
	s, rec := filled(t, 3)
	scope := store.PrefixScope(lake, "tbl/")
	for what, c := range map[string]store.Cursor{
		"a shard":               {Layout: store.V1, Scope: scope, Shard: 1, Last: "tbl/000"},
		"no key":                {Layout: store.V1, Scope: scope},
		"a key over 2 KB":       {Layout: store.V1, Scope: scope, Last: strings.Repeat("k", 2049)},
		"the layout of v2":      {Layout: store.V2, Scope: scope, Last: "tbl/000"},
		"the scope of a family": {Layout: store.V1, Scope: store.FamilyScope(lake, "tbl"), Last: "tbl/000"},
	} {
		if _, err := s.Page(context.Background(), "tbl/", 0, c.Token()); !errors.Is(err, store.ErrBadCursor) {
			t.Errorf("%s: %v, want ErrBadCursor", what, err)
		}
	}
	if requests := rec.Take(); len(requests) > 0 {
		t.Errorf("refused cursors made requests:\n%s", strings.Join(requests, "\n"))
	}
}

// TestOpen: a table that is not what it is taken for is refused.
func TestOpen(t *testing.T) {
	ctx := context.Background()
	_, client := service(t)
	cfg := config(client, 1)
	if _, err := v1.Open(ctx, cfg); !errors.Is(err, store.ErrNoTable) {
		t.Errorf("no table: %v, want ErrNoTable", err)
	}
	if err := item.CreateTable(ctx, client, item.Schema{Name: lake, Hash: "bucket", Range: "pk"}); err != nil {
		t.Fatal(err)
	}
	if _, err := v1.Open(ctx, cfg); !errors.Is(err, item.ErrWrongKeys) {
		t.Errorf("a v2 table: %v, want ErrWrongKeys", err)
	}
	if err := v1.Create(ctx, client, lake); !errors.Is(err, item.ErrTableExists) {
		t.Errorf("create what exists: %v, want ErrExists", err)
	}
	for what, change := range map[string]func(*v1.Config){
		"client":     func(c *v1.Config) { c.Client = nil },
		"table":      func(c *v1.Config) { c.Table = "" },
		"page limit": func(c *v1.Config) { c.PageLimit = 1 << 31 },
		"random":     func(c *v1.Config) { c.Random = nil },
		"back-off":   func(c *v1.Config) { c.Backoff.Tries = 0 },
	} {
		cfg := config(client, 1)
		change(&cfg)
		if _, err := v1.Open(ctx, cfg); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("bad %s: %v, want ErrInvalid", what, err)
		}
	}
}

// TestMalformed: a record that this program did not write is named, not guessed.
// Other attributes beside the value do no harm.
func TestMalformed(t *testing.T) {
	ctx := context.Background()
	_, client := service(t)
	if err := v1.Create(ctx, client, lake); err != nil {
		t.Fatal(err)
	}
	put := func(key string, change func(map[string]types.AttributeValue)) {
		t.Helper()
		name, item := lake, v1.Item(key, []byte(key))
		change(item)
		if _, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: &name, Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	put("more/a", func(item map[string]types.AttributeValue) { item["ttl"] = &types.AttributeValueMemberN{Value: "1"} })
	put("odd/text", func(item map[string]types.AttributeValue) {
		item["value"] = &types.AttributeValueMemberS{Value: "text"}
	})
	put("bare/none", func(item map[string]types.AttributeValue) { delete(item, "value") })
	s := openStore(t, config(client, 1))
	if v, err := s.Get(ctx, "more/a"); string(v) != "more/a" || err != nil {
		t.Errorf("with another attribute: %q, %v", v, err)
	}
	if n := count(t, s, "more/"); n != 1 {
		t.Errorf("%d records with another attribute, want 1", n)
	}
	for _, key := range []string{"odd/text", "bare/none"} {
		_, getErr := s.Get(ctx, key)
		var listErr error
		for _, err := range s.List(ctx, key) {
			listErr = err
		}
		for _, err := range []error{getErr, listErr, s.CAS(ctx, key, store.Absent(), nil), s.Delete(ctx, key, nil)} {
			if !errors.Is(err, store.ErrMalformed) || !strings.Contains(err.Error(), key) {
				t.Errorf("%s: %v, want ErrMalformed that names the key", key, err)
			}
		}
	}
}
