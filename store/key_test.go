package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/store"
)

// TestBuckets compares with values that another program computed:
//
//	python3 -c 'import hashlib,sys; k=sys.argv[1]; print(int.from_bytes(hashlib.sha256(k.encode()).digest()[:8],"big") % 8)' KEY
//
// with 64 for append-operation and 32 for lance-manifest in place of 8.
func TestBuckets(t *testing.T) {
	for _, c := range []struct {
		key, family string
		shard       int
		bucket      string
	}{
		{"tbl", "root", 1, "root#01"},
		{"tbl/a", "tbl", 6, "tbl#06"},
		{"tbl2/a", "tbl2", 1, "tbl2#01"},
		{"append-operation/2026-10-04/000001", "append-operation", 6, "append-operation#06"},
		{"lance-manifest/orders/17", "lance-manifest", 15, "lance-manifest#15"},
		{"root/x", "root", 7, "root#07"},
		{"root", "root", 1, "root#01"},
		{"a#b/c", "a#b", 0, "a#b#00"},
		{"/x", "", 4, "#04"},
		{"日本/語", "日本", 0, "日本#00"},
		{"ü", "root", 4, "root#04"},
		{"tbl/" + strings.Repeat("p", 1010) + "-1", "tbl", 1, "tbl#01"},
		{"tbl/" + strings.Repeat("p", 1010) + "-2", "tbl", 4, "tbl#04"},
		{"lease/compactor", "lease", 6, "lease#06"},
		{"control/layout", "control", 0, "control#00"},
	} {
		if got := store.Family(c.key); got != c.family {
			t.Errorf("Family(%.40q) = %q, want %q", c.key, got, c.family)
		}
		if got := store.Shard(c.key); got != c.shard {
			t.Errorf("Shard(%.40q) = %d, want %d", c.key, got, c.shard)
		}
		if got := store.Bucket(c.key); got != c.bucket {
			t.Errorf("Bucket(%.40q) = %q, want %q", c.key, got, c.bucket)
		}
	}
}

// TestShards: the counts of docs/spec/metadata-store.md §3, and every shard of a family
// is in use.
func TestShards(t *testing.T) {
	for family, want := range map[string]int{"append-operation": 64, "lance-manifest": 32, "tbl": 8, "root": 8, "append": 8, "": 8} {
		if got := store.Shards(family); got != want {
			t.Errorf("Shards(%q) = %d, want %d", family, got, want)
		}
		seen := make(map[int]bool)
		for i := range 2000 {
			shard := store.Shard(fmt.Sprintf("%s/%d", family, i))
			if shard < 0 || shard >= want {
				t.Fatalf("shard %d of family %q, want 0 to %d", shard, family, want-1)
			}
			seen[shard] = true
		}
		if len(seen) != want {
			t.Errorf("family %q uses %d of %d shards", family, len(seen), want)
		}
	}
	if got := store.BucketName("x", 100); got != "x#100" {
		t.Errorf("bucket of shard 100 is %q, want x#100", got)
	}
}

func TestShardCounts(t *testing.T) {
	spec := store.DefaultShardCounts()
	spec.Families["append-operation"] = 1
	if store.Shards("append-operation") != 64 {
		t.Error("changing the returned counts changes the default ones")
	}
	same := store.ShardCounts{Families: map[string]int{"append-operation": 64, "lance-manifest": 32, "tbl": 8}, Default: 8}
	if !same.Equal(store.DefaultShardCounts()) || !store.DefaultShardCounts().Equal(same) {
		t.Error("naming a family with the default count makes other counts of it")
	}
	if same.Equal(spec) || spec.Equal(same) {
		t.Error("64 and 1 shards of append-operation are taken for the same")
	}
	for _, bad := range []store.ShardCounts{{}, {Default: -1}, {Default: 8, Families: map[string]int{"tbl": 0}}} {
		if err := bad.Validate(); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("Validate(%v) = %v, want ErrInvalid", bad, err)
		}
	}
	if got, want := store.DefaultShardCounts().String(), "append-operation=64, lance-manifest=32, default=8"; got != want {
		t.Errorf("counts in words: %q, want %q", got, want)
	}
}

func TestFamilyOfPrefix(t *testing.T) {
	for prefix, want := range map[string]string{"tbl/": "tbl", "tbl/a/b": "tbl", "root/": "root", "/": "", "a#b/": "a#b"} {
		if got, err := store.FamilyOfPrefix(prefix); got != want || err != nil {
			t.Errorf("FamilyOfPrefix(%q) = %q, %v; want %q", prefix, got, err, want)
		}
	}
	for _, prefix := range []string{"", "tb", "tbl", "root"} {
		if _, err := store.FamilyOfPrefix(prefix); !errors.Is(err, store.ErrPrefixSpansFamilies) {
			t.Errorf("FamilyOfPrefix(%q): %v, want ErrPrefixSpansFamilies", prefix, err)
		}
	}
}

func TestExpectation(t *testing.T) {
	empty := []byte{}
	for _, c := range []struct {
		e      store.Expectation
		value  []byte
		exists bool
		want   bool
	}{
		{store.Absent(), nil, false, true},
		{store.Absent(), empty, true, false},
		{store.Exactly(nil), empty, true, true},
		{store.Exactly(empty), nil, true, true},
		{store.Exactly(empty), nil, false, false},
		{store.Exactly([]byte("a")), []byte("a"), true, true},
		{store.Exactly([]byte("a")), []byte("ab"), true, false},
		{store.Expectation{}, nil, false, true},
	} {
		if got := c.e.Met(c.value, c.exists); got != c.want {
			t.Errorf("%v met by %q, %v: %v, want %v", c.e, c.value, c.exists, got, c.want)
		}
	}
}

// TestMessages: one line that says what was expected and found, short whatever
// the values are.
func TestMessages(t *testing.T) {
	err := store.Failed("CAS", "lake", strings.Repeat("k", 2000), &store.ConflictError{
		Expected: store.Exactly([]byte(strings.Repeat("v", 300_000))),
		Found:    store.Found{Value: []byte{0xff, 0}, Exists: true},
	})
	if !errors.Is(err, store.ErrConflict) {
		t.Errorf("%v is no ErrConflict", err)
	}
	text := err.Error()
	for _, want := range []string{"CAS", "lake", "(300000 bytes)", "0xff00 (2 bytes)"} {
		if !strings.Contains(text, want) {
			t.Errorf("message %q lacks %q", text, want)
		}
	}
	if len(text) > 400 || strings.Contains(text, "\n") {
		t.Errorf("message has %d bytes: %q", len(text), text)
	}
}
