package manifest

import (
	"encoding/hex"
	"fmt"
	"io/fs"
	"math/bits"
	"path"
	"strings"

	"github.com/lakebench/lakebench/manifest/object"
)

// A ShardID names a shard: a UUID, most significant byte first.
type ShardID [16]byte

// ParseShardID reads the form that String writes, in either case.
func ParseShardID(s string) (ShardID, error) {
	var id ShardID
	digits := strings.ReplaceAll(s, "-", "")
	if _, err := hex.Decode(id[:], []byte(digits)); err != nil || len(digits) != 2*len(id) || !strings.EqualFold(s, id.String()) {
		return ShardID{}, fmt.Errorf("%w: shard %q: want a UUID such as %v", ErrInvalid, s, ShardID{})
	}
	return id, nil
}

// String is the UUID with hyphens, in lower case, as in the shard's path.
func (id ShardID) String() string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// A Location is where a shard is (docs/facts/memwal.md §1).
type Location struct {
	Bucket string
	Table  string // the key of the table's directory, without slashes at its ends; "" is the bucket's root
	Shard  ShardID
}

// shards is the directory of a table's shards.
const shards = "_mem_wal"

// ShardsPrefix is below what the shards of a table are.
func ShardsPrefix(table string) string { return path.Join(table, shards) + "/" }

// Validate refuses a location without a bucket, and a table that is no directory's
// key.
func (l Location) Validate() error {
	if l.Bucket == "" {
		return fmt.Errorf("%w: no bucket", ErrInvalid)
	}
	if l.Table != "" && (!fs.ValidPath(l.Table) || l.Table == ".") {
		return fmt.Errorf("%w: table %q: want a directory of the bucket, as a/b", ErrInvalid, l.Table)
	}
	return nil
}

// Prefix is below what all of the shard is.
func (l Location) Prefix() string { return ShardsPrefix(l.Table) + l.Shard.String() + "/" }

// ManifestPrefix is below what the manifest's versions are.
func (l Location) ManifestPrefix() string { return l.Prefix() + "manifest/" }

// ManifestKey is the object of a version.
func (l Location) ManifestKey(version uint64) string {
	return l.ManifestPrefix() + Name(version, ManifestExtension)
}

// HintKey is the object of the version hint.
func (l Location) HintKey() string { return l.ManifestPrefix() + hintName }

// WALPrefix is below what the WAL's entries are.
func (l Location) WALPrefix() string { return l.Prefix() + "wal/" }

// WALKey is the object of the entry at a position.
func (l Location) WALKey(position uint64) string { return l.WALPrefix() + Name(position, WALExtension) }

// GenerationPrefix is below what the objects of a generation are, given its path
// in the manifest.
func (l Location) GenerationPrefix(path string) string { return l.Prefix() + path + "/" }

// URL is how messages name an object of the location's bucket.
func (l Location) URL(key string) string { return object.URL(l.Bucket, key) }

// The extensions of objects that are named by a number.
const (
	ManifestExtension = ".binpb"
	WALExtension      = ".arrow"
)

const hintName = "version_hint.json"

// Name is the name of a numbered object: the 64 bits of the number with the least
// significant first, so that successive numbers lie apart in the key space. The
// order of the keys is therefore not that of the numbers.
func Name(number uint64, extension string) string {
	return fmt.Sprintf("%064b%s", bits.Reverse64(number), extension)
}

// Number returns the number of a name, or false if it is none that Name gives for
// this extension; no object has the number 0.
func Number(name, extension string) (uint64, bool) {
	digits, ok := strings.CutSuffix(name, extension)
	if !ok || len(digits) != 64 {
		return 0, false
	}
	var number uint64
	for i := range len(digits) {
		switch digits[i] {
		case '1':
			number |= 1 << i
		case '0':
		default:
			return 0, false
		}
	}
	return number, number != 0
}
