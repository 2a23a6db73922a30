package keyspace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/store/keyspace"
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
		if got := keyspace.Family(c.key); got != c.family {
			t.Errorf("Family(%.40q) = %q, want %q", c.key, got, c.family)
		}
		if got := keyspace.Shard(c.key); got != c.shard {
			t.Errorf("Shard(%.40q) = %d, want %d", c.key, got, c.shard)
		}
		if got := keyspace.Bucket(c.key); got != c.bucket {
			t.Errorf("Bucket(%.40q) = %q, want %q", c.key, got, c.bucket)
		}
	}
}

// TestShards: the counts of docs/spec/metadata-store.md §3, and every shard of a family is in use.
func TestShards(t *testing.T) {
	for family, want := range map[string]int{"append-operation": 64, "lance-manifest": 32, "tbl": 8, "root": 8, "append": 8, "": 8} {
		if got := keyspace.Shards(family); got != want {
			t.Errorf("Shards(%q) = %d, want %d", family, got, want)
		}
		seen := make(map[int]bool)
		for i := range 2000 {
			shard := keyspace.Shard(fmt.Sprintf("%s/%d", family, i))
			if shard < 0 || shard >= want {
				t.Fatalf("shard %d of family %q, want 0 to %d", shard, family, want-1)
			}
			seen[shard] = true
		}
		if len(seen) != want {
			t.Errorf("family %q uses %d of %d shards", family, len(seen), want)
		}
	}
	if got := keyspace.BucketName("x", 100); got != "x#100" {
		t.Errorf("bucket of shard 100 is %q, want x#100", got)
	}
}

func TestShardCounts(t *testing.T) {
	spec := keyspace.DefaultShardCounts()
	spec.Families["append-operation"] = 1
	if keyspace.Shards("append-operation") != 64 {
		t.Error("changing the returned counts changes the default ones")
	}
	same := keyspace.ShardCounts{Families: map[string]int{"append-operation": 64, "lance-manifest": 32, "tbl": 8}, Default: 8}
	if !same.Equal(keyspace.DefaultShardCounts()) || !keyspace.DefaultShardCounts().Equal(same) {
		t.Error("naming a family with the default count makes other counts of it")
	}
	if same.Equal(spec) || spec.Equal(same) {
		t.Error("64 and 1 shards of append-operation are taken for the same")
	}
	for _, bad := range []keyspace.ShardCounts{{}, {Default: -1}, {Default: 8, Families: map[string]int{"tbl": 0}}} {
		if err := bad.Validate(); err == nil {
			t.Errorf("Validate(%v) = nil, want an error", bad)
		}
	}
	if got, want := keyspace.DefaultShardCounts().String(), "append-operation=64, lance-manifest=32, default=8"; got != want {
		t.Errorf("counts in words: %q, want %q", got, want)
	}
}

// Sizes by DynamoDB's rules: names and values of all attributes in UTF-8
// (docs/facts/dynamodb.md §3.1).
func TestSizes(t *testing.T) {
	if got, want := keyspace.ItemBytes(10, 100), len("pk")+10+len("value")+100; got != want {
		t.Errorf("a v1 item has %d bytes, want %d", got, want)
	}
	for _, key := range []string{"tbl/a", "append-operation/t/1", "日本/x", "no-slash"} {
		family := keyspace.Family(key)
		if got, want := keyspace.BucketBytes(family), len("bucket")+len(keyspace.Bucket(key)); got != want {
			t.Errorf("%q: the bucket adds %d bytes, want %d", key, got, want)
		}
	}
}
