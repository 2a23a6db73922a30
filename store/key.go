package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lakebench/lakebench/internal/units"
)

// Names of the attributes that the layouts use (docs/spec/metadata-store.md §2 and §3).
const (
	AttrKey    = "pk"     // the complete logical key, in both layouts
	AttrValue  = "value"  // the opaque value
	AttrBucket = "bucket" // v2 only: family and shard
)

// RootFamily is the family of keys without a slash. Keys under "root/" have it
// too: the full key tells them apart.
const RootFamily = "root"

// MaxKeyBytes is the longest key of every layout but v1: it is a sort key in v2.
const MaxKeyBytes = units.MaxSortKeyBytes

// Family returns the first path segment of key, or RootFamily if it has no slash.
// A key that begins with a slash has the empty family.
func Family(key string) string {
	if family, _, ok := strings.Cut(key, "/"); ok {
		return family
	}
	return RootFamily
}

// ShardCounts says into how many shards v2 spreads each family. The counts are
// part of the stored layout: a table holds the layout record of those it was
// made with (store/control).
type ShardCounts struct {
	Families map[string]int
	Default  int // of families not named
}

// specCounts are the counts of docs/spec/metadata-store.md §3: 64 shards for
// the family that every append writes, 32 for manifests, and few for
// registries, whose refresh costs one request a shard.
var specCounts = ShardCounts{
	Families: map[string]int{"append-operation": 64, "lance-manifest": 32},
	Default:  8,
}

// DefaultShardCounts returns the shard counts of docs/spec/metadata-store.md §3.
func DefaultShardCounts() ShardCounts {
	return ShardCounts{Families: maps.Clone(specCounts.Families), Default: specCounts.Default}
}

// Shards returns the number of shards of a family under the default counts.
func Shards(family string) int { return specCounts.Of(family) }

// Shard returns the shard of a key under the default counts.
func Shard(key string) int { return specCounts.Shard(key) }

// Bucket returns the bucket of a key under the default counts.
func Bucket(key string) string { return specCounts.Bucket(key) }

// Validate refuses counts below 1, which leave a family without a place.
func (c ShardCounts) Validate() error {
	if c.Default < 1 {
		return fmt.Errorf("%w: default shard count %d; it must be at least 1", ErrInvalid, c.Default)
	}
	for _, family := range slices.Sorted(maps.Keys(c.Families)) {
		if n := c.Families[family]; n < 1 {
			return fmt.Errorf("%w: shard count %d of family %q; it must be at least 1", ErrInvalid, n, family)
		}
	}
	return nil
}

// Equal says whether both sets of counts put every key into the same bucket.
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

// FamilyOfPrefix returns the family that a prefix lies in. A prefix without a
// slash may be the beginning of several families' names: that is
// ErrPrefixSpansFamilies (docs/spec/metadata-store.md §3).
func FamilyOfPrefix(prefix string) (string, error) {
	family, _, ok := strings.Cut(prefix, "/")
	if !ok {
		return "", fmt.Errorf("%w: %q has no slash; add one to read a family, or use ListFamily(%q) for keys without a slash",
			ErrPrefixSpansFamilies, prefix, RootFamily)
	}
	return family, nil
}

// CheckKey refuses a key that is empty or not UTF-8 (ErrInvalid), or longer than
// limit bytes (ErrTooLarge).
func CheckKey(key string, limit int) error {
	if key == "" {
		return fmt.Errorf("%w: the key is empty", ErrInvalid)
	}
	return CheckPrefix(key, limit)
}

// CheckPrefix is CheckKey for a prefix, which may be empty.
func CheckPrefix(prefix string, limit int) error {
	if !utf8.ValidString(prefix) {
		return fmt.Errorf("%w: key %q is not UTF-8", ErrInvalid, shorten(prefix))
	}
	if len(prefix) > limit {
		return fmt.Errorf("%w: key %q has %d bytes, at most %d are allowed", ErrTooLarge, shorten(prefix), len(prefix), limit)
	}
	return nil
}

// CheckFamily refuses what cannot be a family's name.
func CheckFamily(family string) error {
	if strings.Contains(family, "/") {
		return fmt.Errorf("%w: family %q contains a slash; it is the first path segment of a key", ErrInvalid, shorten(family))
	}
	return CheckPrefix(family, MaxKeyBytes)
}

// CheckItem refuses an item of more than 400 KB, attribute names included.
func CheckItem(key string, itemBytes int) error {
	if itemBytes > units.MaxItemBytes {
		return fmt.Errorf("%w: the item of key %q has %d bytes, at most %d are allowed",
			ErrTooLarge, shorten(key), itemBytes, units.MaxItemBytes)
	}
	return nil
}

// CheckPageLimit refuses what cannot be the limit of a page: 0 (none) or a number
// of items that the service's 32 bits hold.
func CheckPageLimit(limit int) error {
	if limit < 0 || limit > math.MaxInt32 {
		return fmt.Errorf("%w: page limit %d; it is a number of items, 0 for none", ErrInvalid, limit)
	}
	return nil
}

// shorten keeps over-long keys out of messages.
func shorten(key string) string {
	const most = 80
	if len(key) <= most {
		return key
	}
	return key[:most] + "…"
}
