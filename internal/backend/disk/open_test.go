package disk_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/lakebench/lakebench/internal/backend/disk"
)

const fileName = "lakebench.db"

func write(t testing.TB, path string, contents []byte) {
	t.Helper()
	if err := os.WriteFile(path, contents, 0o600); err != nil {
		t.Fatal(err)
	}
}

// twoWrites returns a file after two writes, and what is in its two buckets after each.
func twoWrites(t testing.TB) (file []byte, after [2]map[string]string) {
	t.Helper()
	dir := t.TempDir()
	s := open(t, dir)
	s.Append(disk.Create("b"), disk.Create("small"), disk.Put("small", "k", "v"))
	for i := range after {
		for k := range []int{400, 5}[i] {
			s.Append(disk.Put("b", fmt.Sprintf("key %d", k), strings.Repeat(fmt.Sprint(i), 100)))
		}
		s.Append(disk.Delete("b", fmt.Sprintf("key %d", i)))
		if err := s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		after[i] = contents(t, s)
	}
	closed(t, s)
	file, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	return file, after
}

func contents(t testing.TB, s *disk.Store) map[string]string {
	t.Helper()
	all := entries(t, s, "b")
	maps.Copy(all, entries(t, s, "small"))
	return all
}

// A byte that differs is reported in one line, or makes no difference: it is in no page
// in use, or in the last root, without which the file is as the write before left it,
// as after a write that was cut off.
func TestDamage(t *testing.T) {
	const seed, tries = 5, 300
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	file, after := twoWrites(t)
	dir := t.TempDir()
	reported := 0
	places := bookkeeping(file)
	for range tries {
		places = append(places, rng.IntN(len(file)))
	}
	for i, at := range places {
		bad := slices.Clone(file)
		flip := byte(1) << rng.IntN(8)
		bad[at] ^= flip
		write(t, filepath.Join(dir, fileName), bad)
		s, err := disk.Open(dir, format)
		if err != nil {
			reported++
			if damage := new(disk.DamageError); !errors.As(err, &damage) || strings.Contains(err.Error(), "\n") {
				t.Errorf("byte %d ^ %#x: error %q, want a DamageError of one line", at, flip, err)
			}
			continue
		}
		found := contents(t, s)
		if !maps.Equal(found, after[1]) && !maps.Equal(found, after[0]) {
			t.Errorf("byte %d ^ %#x: opened with %d entries, want those of a write", at, flip, len(found))
		}
		if i%4 > 0 { // a write waits for the disk
			closed(t, s)
			continue
		}
		for _, key := range []string{"key 7", "key 399"} {
			s.Append(disk.Put("b", key, "new"))
			found[key] = "new"
		}
		closed(t, s)
		s = open(t, dir)
		if now := contents(t, s); !maps.Equal(now, found) {
			t.Errorf("byte %d ^ %#x: %d entries after another write, want %d", at, flip, len(now), len(found))
		}
		closed(t, s)
	}
	t.Logf("%d of %d reported", reported, len(places))
	if reported < len(places)/10 { // most of the file is in no page in use
		t.Errorf("%d of %d damaged files were reported, want more", reported, len(places))
	}
}

// bookkeeping returns places in pages that hold no entries: those of the tree above the
// entries, which begin with references to keys, and lists of free pages.
func bookkeeping(file []byte) (places []int) {
	const pageSize, flags, count, branch, free, header = 4096, 8, 10, 0x01, 0x10, 16
	for page := 0; page < len(file); page += pageSize {
		if kind := file[page+flags]; kind != branch && kind != free {
			continue
		}
		keys := header * int(file[page+count])
		for at := range 2 * header {
			places = append(places, page+header+at, page+header+keys+at)
		}
	}
	return places
}

// A file that ends too early is reported, wherever it ends.
func TestCutOff(t *testing.T) {
	file, after := twoWrites(t)
	dir := t.TempDir()
	for end := 0; end < len(file); end += 1000 {
		write(t, filepath.Join(dir, fileName), file[:end])
		s, err := disk.Open(dir, format)
		if err != nil {
			if damage := new(disk.DamageError); !errors.As(err, &damage) || strings.Contains(err.Error(), "\n") {
				t.Errorf("cut off at %d: error %q, want a DamageError of one line", end, err)
			}
			continue
		}
		if found := contents(t, s); !maps.Equal(found, after[1]) { // the rest was not in use
			t.Errorf("cut off at %d: opened with %d entries", end, len(found))
		}
		closed(t, s)
	}
}

// What is not a directory of this service's is refused in one line that says what to do.
func TestRefusedDirectories(t *testing.T) {
	foreign := filepath.Join(t.TempDir(), "foreign.db")
	db, err := bbolt.Open(foreign, 0o600, nil)
	if err == nil {
		err = db.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket([]byte("b")); return err })
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(foreign)
	if err != nil {
		t.Fatal(err)
	}
	file, _ := twoWrites(t)
	for _, c := range []struct {
		name, file string
		contents   []byte
		format     string
		want       string
	}{
		{"an earlier format", "LOCK", []byte("17"), format, "DIR holds data in the format of an earlier lakebench, which this one cannot read: choose another directory"},
		{"another service", fileName, file, "other 1", `DIR/lakebench.db has format "test 1", expected "other 1": choose another directory`},
		{"another program", fileName, other, format, `DIR/lakebench.db has format "", expected "test 1": choose another directory`},
		{"text", fileName, []byte(strings.Repeat("text\n", 10_000)), format, "DIR/lakebench.db: it is damaged, or not a file of lakebench (invalid database); put it back from a copy, or choose another directory"},
		{"zeros", fileName, make([]byte, 1<<16), format, "DIR/lakebench.db: it is damaged, or not a file of lakebench (invalid database); put it back from a copy, or choose another directory"},
		{"empty", fileName, nil, format, "DIR/lakebench.db: it is empty; put it back from a copy, or choose another directory"},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, c.file), c.contents)
		_, err := disk.Open(dir, c.format)
		if want := strings.ReplaceAll(c.want, "DIR", dir); err == nil || err.Error() != want {
			t.Errorf("%s: error %v\nwant %s", c.name, err, want)
		}
		if now, err := os.ReadFile(filepath.Join(dir, c.file)); err != nil || !slices.Equal(now, c.contents) {
			t.Errorf("%s: the file has changed (%v)", c.name, err)
		}
	}
}

// A directory that is in use is refused, also while its first process creates it; it is
// free once that one has closed it. What an unfinished creation has left does no harm.
func TestOneProcessAtATime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	s := open(t, dir)
	_, err := disk.Open(dir, format)
	if want := dir + " is in use by another process: stop that one first, or choose another directory"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	closed(t, s)
	write(t, filepath.Join(dir, fileName+".17.new"), []byte("unfinished"))
	closed(t, open(t, dir))
}
