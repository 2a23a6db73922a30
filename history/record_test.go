package history

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The size of {pk: key, value: v} by the sizing rules, written out here: names
// and contents, nothing else (page CapacityUnitCalculations).
func sizeOf(key string, value []byte) int {
	return len("pk") + len(key) + len("value") + len(value)
}

func TestValueGivesTheItemItsSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringN(1, -1, 300).Draw(t, "key")
		r := Record{Key: key, Version: rapid.Uint64().Draw(t, "version"), ItemBytes: rapid.IntRange(1, 2000).Draw(t, "bytes")}
		seed := rapid.Uint64().Draw(t, "seed")
		v := Value(seed, r)
		if want := max(r.ItemBytes, sizeOf(key, nil)); sizeOf(key, v) != want || r.StoredBytes() != want {
			t.Fatalf("item of %d bytes (StoredBytes %d), expected %d", sizeOf(key, v), r.StoredBytes(), want)
		}
		if len(v) != r.ValueBytes() {
			t.Fatalf("value of %d bytes, ValueBytes %d", len(v), r.ValueBytes())
		}
		if !bytes.Equal(v, Value(seed, r)) {
			t.Fatal("the value changes from call to call")
		}
		if got := AppendValue([]byte("before"), seed, r); !bytes.Equal(got, append([]byte("before"), v...)) {
			t.Fatal("AppendValue differs from Value")
		}
	})
}

func TestGeneratedItemsHaveTheConfiguredSize(t *testing.T) {
	for _, size := range []int{79, 120, 300, 5000} {
		cfg := small()
		cfg.ItemBytes = size
		l := mustNew(t, cfg, 2)
		longest := 0
		for op := range l.Ops(0, time.Minute) {
			longest = max(longest, len(op.Record.Key))
			if got := sizeOf(op.Record.Key, Value(2, op.Record)); got != size {
				t.Fatalf("%q has an item of %d bytes, expected %d", op.Record.Key, got, size)
			}
		}
		if longest > longestKey() {
			t.Errorf("key of %d bytes, longestKey says %d", longest, longestKey())
		}
	}
}

func TestValuesDiffer(t *testing.T) {
	base := Record{Key: "tbl/orders_000000", Version: 3, ItemBytes: 7 + 17 + 8}
	seen := map[string]string{string(Value(1, base)): "base"}
	add := func(name string, v []byte) {
		if other, twice := seen[string(v)]; twice {
			t.Errorf("%s has the value of %s", name, other)
		}
		seen[string(v)] = name
	}
	add("seed 2", Value(2, base))
	add("other key", Value(1, Record{Key: "tbl/orders_000012", Version: 3, ItemBytes: base.ItemBytes}))
	for version := range uint64(1000) {
		if version != base.Version {
			add("a version", Value(1, Record{Key: base.Key, Version: version, ItemBytes: base.ItemBytes}))
		}
	}
}

func TestStorable(t *testing.T) {
	long := strings.Repeat("k", 1025)
	for _, tt := range []struct {
		name string
		r    Record
		want error
	}{
		{"usual", Record{Key: "tbl/a", ItemBytes: 300}, nil},
		{"empty key", Record{ItemBytes: 300}, ErrKeyLength},
		{"longest key", Record{Key: long[:1024], ItemBytes: 2000}, nil},
		{"longer key", Record{Key: long, ItemBytes: 2000}, ErrKeyLength},
		{"bad key", Record{Key: "tbl/\xff", ItemBytes: 300}, ErrKeyEncoding},
		// v2 adds bucket (6) and tbl#07 (6).
		{"largest item", Record{Key: "tbl/a", ItemBytes: 409_600 - 12}, nil},
		{"larger item", Record{Key: "tbl/a", ItemBytes: 409_600 - 11}, ErrItemTooLarge},
	} {
		if err := tt.r.Storable(); !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, expected %v", tt.name, err, tt.want)
		}
	}
}

// RFC 9562: version 7, variant 10, and text order is the order of time.
func TestIdsAreSortedUUIDs(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	cfg := DefaultConfig()
	cfg.CommitsPerSecond = MaxCommitsPerSecond
	l := mustNew(t, cfg, 6)
	last := ""
	s := l.source()
	for range 20_000 {
		id := string(appendID(nil, s.next()))
		if !form.MatchString(id) {
			t.Fatalf("%q is no UUIDv7", id)
		}
		if id <= last {
			t.Fatalf("%q after %q", id, last)
		}
		last = id
	}
	// 2026-01-01T00:00:00Z is 1,767,225,600,000 ms, 0x019b76daa800.
	if id := string(appendID(nil, commit{at: 999 * time.Microsecond})); !strings.HasPrefix(id, "019b76da-a800-7ffb-8000") {
		t.Errorf("id %s, expected 019b76da-a800-7ffb-8000…", id)
	}
}
