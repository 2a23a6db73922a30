package disk

import (
	"errors"
	"strings"
	"testing"

	bbolterrors "go.etcd.io/bbolt/errors"
)

// After a write that did not fit nothing is acknowledged any more, although there may be
// room again: memory is ahead of the disk. What was acknowledged before is found again.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, "test 1")
	if err != nil {
		t.Fatal(err)
	}
	s.Append(Create("b"), Put("b", "first", ""))
	if err := s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.db.MaxSize = 1 << 20 // bytes
	full := bbolterrors.ErrMaxSizeReached
	s.Append(Put("b", "small", ""), Put("b", "second", strings.Repeat("x", 2<<20)))
	if err := s.Sync(t.Context()); !errors.Is(err, full) {
		t.Fatalf("error %v, want %v", err, full)
	}
	s.db.MaxSize = 0
	s.Append(Put("b", "third", ""))
	if err := s.Sync(t.Context()); !errors.Is(err, full) {
		t.Errorf("after a failed write: error %v, want %v", err, full)
	}
	if err := s.Err(); !errors.Is(err, full) || strings.Contains(err.Error(), "\n") {
		t.Errorf("Err returns %v, want one line about %v", err, full)
	}
	if err := s.Close(); !errors.Is(err, full) {
		t.Errorf("close: error %v, want %v", err, full)
	}
	s, err = Open(dir, "test 1")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	err = s.Each("b", func(key, _ []byte) error {
		found = append(found, string(key))
		return nil
	})
	if err != nil || len(found) != 1 || found[0] != "first" {
		t.Errorf("found %q (%v), want the first alone", found, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
