package manifest_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/manifest"
)

// TestNames: the names of docs/facts/memwal.md §1, there and back.
func TestNames(t *testing.T) {
	zeros := func(n int) string { return strings.Repeat("0", n) }
	for number, digits := range map[uint64]string{
		1: "1" + zeros(63), 2: "01" + zeros(62), 5: "101" + zeros(61), 6: "011" + zeros(61),
		1 << 63: zeros(63) + "1", 1<<64 - 1: strings.Repeat("1", 64),
	} {
		name := manifest.Name(number, manifest.ManifestExtension)
		if name != digits+".binpb" {
			t.Errorf("Name(%d) is %s, want %s.binpb", number, name, digits)
		}
		if got, ok := manifest.Number(name, manifest.ManifestExtension); got != number || !ok {
			t.Errorf("Number(%s) is %d, %t; want %d", name, got, ok, number)
		}
	}
	for _, name := range []string{
		"", ".binpb", zeros(64) + ".binpb", "1" + zeros(62) + ".binpb", "1" + zeros(64) + ".binpb", "2" + zeros(63) + ".binpb",
		"1" + zeros(63) + ".arrow", "1" + zeros(63), "1" + zeros(63) + ".binpb.tmp", "version_hint.json",
	} {
		if n, ok := manifest.Number(name, manifest.ManifestExtension); ok {
			t.Errorf("Number(%q) is %d, want none", name, n)
		}
	}
}

// TestRealNames: the files of the real system are where a Location says.
func TestRealNames(t *testing.T) {
	at := manifest.Location{Bucket: "b", Table: "testdata/orders", Shard: shard}
	for version := uint64(1); version <= 7; version++ {
		if _, err := os.Stat(at.ManifestKey(version)); err != nil {
			t.Error(err)
		}
	}
	if hint, err := os.ReadFile(at.HintKey()); err != nil || string(hint) != `{"version":7}` {
		t.Errorf("the hint is %q, %v", hint, err)
	}
}

func TestLocation(t *testing.T) {
	for _, table := range []string{"/a", "a/", "a//b", "../a", "..", ".", "a/../b"} {
		if err := (manifest.Location{Bucket: "b", Table: table}).Validate(); !errors.Is(err, manifest.ErrInvalid) {
			t.Errorf("table %q: %v, want ErrInvalid", table, err)
		}
	}
	for table, want := range map[string]string{"": "_mem_wal/", "orders": "orders/_mem_wal/", "lake/orders": "lake/orders/_mem_wal/"} {
		at := manifest.Location{Bucket: "b", Table: table, Shard: shard}
		if err := at.Validate(); err != nil {
			t.Error(err)
		}
		if got := at.Prefix(); got != want+"aa48498d-ac91-59e2-8452-69f46010ace2/" {
			t.Errorf("the prefix for table %q is %s", table, got)
		}
	}
}

func TestShardID(t *testing.T) {
	for _, text := range []string{shard.String(), strings.ToUpper(shard.String())} {
		if id, err := manifest.ParseShardID(text); err != nil || id != shard {
			t.Errorf("%s is %v, %v", text, id, err)
		}
	}
	for _, text := range []string{"", "aa48498d", strings.ReplaceAll(shard.String(), "-", ""), shard.String() + "0", "gg" + shard.String()[2:], "-" + shard.String()} {
		if id, err := manifest.ParseShardID(text); !errors.Is(err, manifest.ErrInvalid) {
			t.Errorf("%q is %v, %v; want ErrInvalid", text, id, err)
		}
	}
}
