package durable

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// disk is a file that knows what of it would survive the machine's end, and that
// can fail.
type disk struct {
	file
	written int64
	forced  atomic.Int64
	full    bool
}

var errFull = errors.New("no space left")

func (d *disk) Write(b []byte) (int, error) {
	if d.full {
		n, _ := d.file.Write(b[:len(b)/2])
		return n, errFull
	}
	n, err := d.file.Write(b)
	d.written += int64(n)
	return n, err
}

func (d *disk) Sync() error {
	time.Sleep(50 * time.Microsecond) // in which others append
	d.forced.Store(d.written)
	return nil // the test does not need the real one
}

// onDisk opens a log in dir whose file is a disk.
func onDisk(t testing.TB, dir string) (*Log, *disk) {
	t.Helper()
	l, _, err := Open(dir, func([]byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	d := &disk{file: l.file, written: int64(len(logMagic))}
	d.forced.Store(d.written)
	l.file = d
	return l, d
}

// When the machine stops, a disk keeps what it was forced to keep and any part of
// what was written after that. No record is lost that a Sync has returned for, and
// what is found is what was appended first.
func TestMachineStops(t *testing.T) {
	const seed, writers, each = 7, 4, 25
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 20 {
		dir := t.TempDir()
		l, d := onDisk(t, dir)
		var (
			wg    sync.WaitGroup
			mu    sync.Mutex
			order []string
			size  = d.written
			acked = make([]int, writers)
		)
		for w := range writers {
			wg.Go(func() {
				for i := range each {
					mu.Lock()
					order = append(order, fmt.Sprintf("%d:%d", w, i))
					l.Append([]byte(order[len(order)-1]))
					size += frameHeader + int64(len(order[len(order)-1]))
					end := size
					mu.Unlock()
					if w == 0 && i%5 > 0 {
						continue // appended, and not waited for
					}
					if err := l.Sync(t.Context()); err != nil {
						t.Error(err)
					}
					if kept := d.forced.Load(); kept < end {
						t.Errorf("acknowledged at %d bytes of which the disk keeps %d", end, kept)
					}
					acked[w] = i + 1
				}
			})
		}
		wg.Wait()
		if err := errors.Join(l.file.Close(), l.lock.Close()); err != nil {
			t.Fatal(err)
		}
		kept := d.forced.Load() + rng.Int64N(d.written-d.forced.Load()+1)
		if err := os.Truncate(filepath.Join(dir, "log-0000000000000001"), kept); err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		l, _, err := Open(dir, func(record []byte) error {
			if want := order[len(found)]; string(record) != want {
				t.Fatalf("record %d is %q, want %q", len(found)+1, record, want)
			}
			found[string(record)] = true
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for w, n := range acked {
			for i := range n {
				if record := fmt.Sprintf("%d:%d", w, i); !found[record] {
					t.Fatalf("record %s was acknowledged and is lost", record)
				}
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Once a write has failed nothing is acknowledged any more, although the disk may
// have room again: what follows a torn record could not be read.
func TestFailedWriteIsFinal(t *testing.T) {
	dir := t.TempDir()
	l, d := onDisk(t, dir)
	l.Append([]byte("first"))
	if err := l.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.full = true
	l.Append([]byte("second"))
	if err := l.Sync(t.Context()); !errors.Is(err, errFull) {
		t.Fatalf("error %v, want %v", err, errFull)
	}
	d.full = false
	l.Append([]byte("third"))
	if err := l.Sync(t.Context()); !errors.Is(err, errFull) {
		t.Errorf("after a failed write: error %v, want %v", err, errFull)
	}
	if _, err := l.Cut(); !errors.Is(err, errFull) {
		t.Errorf("snapshot after a failed write: error %v, want %v", err, errFull)
	}
	if err := l.Close(); !errors.Is(err, errFull) {
		t.Errorf("close: error %v, want %v", err, errFull)
	}
	var found []string
	l, recovery, err := Open(dir, func(record []byte) error {
		found = append(found, string(record))
		return nil
	})
	if err != nil || len(found) != 1 || recovery.CutOff == 0 {
		t.Fatalf("found %q, %+v, %v; want the first record, and what is cut off", found, recovery, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
