package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/store"
)

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

// TestMessages: one line of what was expected and found, short whatever
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
