package history

import (
	"strings"

	"github.com/lakebench/lakebench/internal/units"
)

// The families of a lake (docs/notes/metadata-layout.txt).
const (
	familyTable     = "tbl"
	familyAppend    = "append-operation"
	familyManifest  = "lance-manifest"
	familyLease     = "lease"
	familyTombstone = "tombstone"
	familyRoot      = "root"
)

// itemOverhead is what a v1 item {pk, value} has beside its key and its value:
// the names of its two attributes.
const itemOverhead = len("pk") + len("value")

// Family returns the family of a key: its first path segment, or root for a key
// without a slash (docs/spec/metadata-store.md §3). The rule is store's; it is
// restated here because nothing that generates imports a store, and a test
// holds the two together.
func Family(key string) string {
	if family, _, found := strings.Cut(key, "/"); found {
		return family
	}
	return familyRoot
}

// Shards returns the number of shards over which v2 spreads a family
// (docs/spec/metadata-store.md §3).
func Shards(family string) int {
	switch family {
	case familyAppend:
		return 64
	case familyManifest:
		return 32
	default:
		return 8
	}
}

// v2Overhead returns by how much the v2 form of a record is larger than its v1
// form: the attribute bucket, whose value is "<family>#<two digits>".
func v2Overhead(family string) int {
	return units.StringSize("bucket") + units.StringSize(family) + len("#00")
}
