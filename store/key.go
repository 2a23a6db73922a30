package store

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/store/keyspace"
)

// FamilyOfPrefix returns the family that a prefix lies in. A prefix without a
// slash may be the beginning of several families' names: that is
// ErrPrefixSpansFamilies (docs/spec/metadata-store.md §3).
func FamilyOfPrefix(prefix string) (string, error) {
	family, _, ok := strings.Cut(prefix, "/")
	if !ok {
		return "", fmt.Errorf("%w: %q has no slash; add one to read a family, or use ListFamily(%q) for keys without a slash",
			ErrPrefixSpansFamilies, prefix, keyspace.Root)
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
	return CheckPrefix(family, keyspace.MaxKeyBytes)
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
