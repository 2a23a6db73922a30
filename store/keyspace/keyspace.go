// Package keyspace holds what both layouts of the metadata store, and everything
// that generates or prices records for them, agree on: the names of the
// attributes, the family of a key, and the shard and bucket of v2
// (docs/spec/metadata-store.md §2 and §3).
//
// It needs no store, so that a history and the rules of cost can use it.
package keyspace

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/units"
)

// Names of the attributes that the layouts use.
const (
	AttrKey    = "pk"     // the complete logical key, in both layouts
	AttrValue  = "value"  // the opaque value
	AttrBucket = "bucket" // v2 only: family and shard
)

// The families of a lake. Every first path segment of a key is a family.
const (
	Tables     = "tbl"              // one record a table
	Appends    = "append-operation" // one record a commit
	Manifests  = "lance-manifest"   // one record a commit
	Leases     = "lease"
	Tombstones = "tombstone"
	Root       = "root" // of keys without a slash; keys under "root/" have it too
)

// MaxKeyBytes is the longest key of every layout but v1: it is a sort key in v2.
const MaxKeyBytes = units.MaxSortKeyBytes

// Family returns the first path segment of key, or Root if it has no slash. A key
// that begins with a slash has the empty family.
func Family(key string) string {
	if family, _, ok := strings.Cut(key, "/"); ok {
		return family
	}
	return Root
}

// ShardCounts are the numbers of shards over which v2 spreads each family. They
// are part of the stored layout: a table holds the layout record of those it was
// made with (store/control).
type ShardCounts struct {
	Families map[string]int
	Default  int // of families not named
}

// defaultCounts are those of docs/spec/metadata-store.md §3: 64 shards for the
// family that every append writes, 32 for manifests, and few for registries,
// whose refresh costs one request a shard.
var defaultCounts = ShardCounts{
	Families: map[string]int{Appends: 64, Manifests: 32},
	Default:  8,
}

// DefaultShardCounts returns the shard counts of docs/spec/metadata-store.md §3.
func DefaultShardCounts() ShardCounts {
	return ShardCounts{Families: maps.Clone(defaultCounts.Families), Default: defaultCounts.Default}
}

// Shards returns the number of shards of a family under the default counts.
func Shards(family string) int { return defaultCounts.Of(family) }

// Shard returns the shard of a key under the default counts.
func Shard(key string) int { return defaultCounts.Shard(key) }

// Bucket returns the bucket of a key under the default counts.
func Bucket(key string) string { return defaultCounts.Bucket(key) }

// Validate refuses counts below 1, which leave a family without a shard.
func (c ShardCounts) Validate() error {
	if c.Default < 1 {
		return fmt.Errorf("default shard count %d; it must be at least 1", c.Default)
	}
	for _, family := range slices.Sorted(maps.Keys(c.Families)) {
		if n := c.Families[family]; n < 1 {
			return fmt.Errorf("shard count %d of family %q; it must be at least 1", n, family)
		}
	}
	return nil
}

// Equal reports whether both sets of counts put every key into the same bucket.
func (c ShardCounts) Equal(o ShardCounts) bool {
	for family := range c.Families {
		if c.Of(family) != o.Of(family) {
			return false
		}
	}
	for family := range o.Families {
		if c.Of(family) != o.Of(family) {
			return false
		}
	}
	return c.Default == o.Default
}

func (c ShardCounts) String() string {
	var b strings.Builder
	for _, family := range slices.Sorted(maps.Keys(c.Families)) {
		fmt.Fprintf(&b, "%s=%d, ", family, c.Families[family])
	}
	fmt.Fprintf(&b, "default=%d", c.Default)
	return b.String()
}

// Of returns the number of shards of a family.
func (c ShardCounts) Of(family string) int {
	if n, ok := c.Families[family]; ok {
		return n
	}
	return c.Default
}

// Shard returns the shard of a key in its family: the first 8 bytes of the
// SHA-256 of the complete key, big-endian, modulo the family's count
// (docs/spec/metadata-store.md §3).
func (c ShardCounts) Shard(key string) int {
	sum := sha256.Sum256([]byte(key))
	return int(binary.BigEndian.Uint64(sum[:8]) % uint64(c.Of(Family(key))))
}

// Bucket returns the v2 partition key of a logical key.
func (c ShardCounts) Bucket(key string) string {
	return BucketName(Family(key), c.Shard(key))
}

// BucketName returns the v2 partition key of one shard of a family. The last "#"
// separates them, so a family may contain "#" itself.
func BucketName(family string, shard int) string {
	return fmt.Sprintf("%s#%02d", family, shard)
}

// ItemBytes returns the size of a v1 item of a key and a value of n bytes,
// by DynamoDB's sizing rules (docs/facts/dynamodb.md §3.1).
func ItemBytes(keyBytes, valueBytes int) int {
	return units.StringSize(AttrKey) + units.StringSize(AttrValue) + keyBytes + valueBytes
}

// BucketBytes returns how much larger the v2 item of a record is than its v1
// item: the attribute bucket. It is exact for families of at most 100 shards,
// whose numbers have two digits.
func BucketBytes(family string) int {
	return units.StringSize(AttrBucket) + units.StringSize(BucketName(family, 0))
}
