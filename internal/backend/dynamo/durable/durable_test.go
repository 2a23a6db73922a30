package durable_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/dynamo/durable"
)

// state is what the records of these tests lead to: the records themselves.
type state []string

func (s *state) restore(record []byte) error {
	*s = append(*s, string(record))
	return nil
}

func (s state) write(add func(record []byte) error) error {
	for _, r := range s {
		if err := add([]byte(r)); err != nil {
			return err
		}
	}
	return nil
}

func open(t testing.TB, dir string) (*durable.Log, state, durable.Recovery) {
	t.Helper()
	var s state
	l, found, err := durable.Open(dir, s.restore)
	if err != nil {
		t.Fatal(err)
	}
	return l, s, found
}

func closeLog(t testing.TB, l *durable.Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// numbers are records that differ in text and length.
func numbers(from, to int) state {
	var s state
	for i := from; i <= to; i++ {
		s = append(s, fmt.Sprintf("r%d%s", i, strings.Repeat("!", i%3)))
	}
	return s
}

func appendAll(t testing.TB, l *durable.Log, records state) {
	t.Helper()
	for _, r := range records {
		l.Append([]byte(r))
	}
	if err := l.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// snapshot writes all of records.
func snapshot(t testing.TB, l *durable.Log, records state) {
	t.Helper()
	cut, err := l.Cut()
	if err != nil {
		t.Fatal(err)
	}
	if err := cut.Write(records.write); err != nil {
		t.Fatal(err)
	}
}

func wantState(t testing.TB, got, want state) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("restored %d records %.200q, want %d %.200q", len(got), got, len(want), want)
	}
}

func files(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestRecordsAreFoundAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	l, s, _ := open(t, dir)
	wantState(t, s, nil)
	for i := range 3 { // three lives
		appendAll(t, l, numbers(i*10+1, i*10+10))
		closeLog(t, l)
		var found durable.Recovery
		l, s, found = open(t, dir)
		wantState(t, s, numbers(1, i*10+10))
		if want := (durable.Recovery{Records: uint64(i*10 + 10)}); found != want {
			t.Errorf("recovery %+v, want %+v", found, want)
		}
	}
	closeLog(t, l)
}

func TestSnapshotsReplaceTheLog(t *testing.T) {
	dir := t.TempDir()
	l, _, _ := open(t, dir)
	for i := range 4 {
		appendAll(t, l, numbers(i*10+1, i*10+10))
		snapshot(t, l, numbers(1, i*10+10))
	}
	appendAll(t, l, numbers(41, 45))
	closeLog(t, l)
	want := []string{"LOCK", "log-000000000000001f", "log-0000000000000029", "snapshot-000000000000001e", "snapshot-0000000000000028"}
	if got := files(t, dir); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	l, s, found := open(t, dir)
	wantState(t, s, numbers(1, 45))
	if want := (durable.Recovery{Snapshot: 40, Records: 5}); found != want {
		t.Errorf("recovery %+v, want %+v", found, want)
	}
	closeLog(t, l)
}

// A snapshot that was not finished leaves no trace.
func TestUnfinishedSnapshot(t *testing.T) {
	dir := t.TempDir()
	l, _, _ := open(t, dir)
	appendAll(t, l, numbers(1, 10))
	cut, err := l.Cut()
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	if err := cut.Write(func(func([]byte) error) error { return full }); !errors.Is(err, full) {
		t.Fatalf("error %v, want %v", err, full)
	}
	appendAll(t, l, numbers(11, 20))
	closeLog(t, l)
	// Nor does one that the process did not live to finish.
	if err := os.WriteFile(filepath.Join(dir, "snapshot-000000000000000f.tmp"), []byte("lakeb"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, s, _ := open(t, dir)
	wantState(t, s, numbers(1, 20))
	closeLog(t, l)
	want := []string{"LOCK", "log-0000000000000001", "log-000000000000000b"}
	if got := files(t, dir); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

const firstLog = "log-0000000000000001"

// A record's frame has 28 bytes before it, and the first one stands behind the 16
// that say what the file is.
const magic, header = 16, 28

// logOf returns a directory's only segment with records 1 to n, each written by
// itself, and where each record's frame ends.
func logOf(t testing.TB, n int) (contents []byte, ends []int) {
	t.Helper()
	dir := t.TempDir()
	l, _, _ := open(t, dir)
	end := magic
	for _, r := range numbers(1, n) {
		appendAll(t, l, state{r})
		end += header + len(r)
		ends = append(ends, end)
	}
	closeLog(t, l)
	contents, err := os.ReadFile(filepath.Join(dir, firstLog))
	if err != nil {
		t.Fatal(err)
	}
	if len(contents) != end {
		t.Fatalf("the closed log is of %d bytes, want %d", len(contents), end)
	}
	return contents, ends
}

func write(t testing.TB, path string, contents []byte) {
	t.Helper()
	if err := os.WriteFile(path, contents, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A process can end at any byte of a write: what was whole before is there, and
// the log goes on behind it. The rest of the file may be zeros as well.
func TestLogCutOffAnywhere(t *testing.T) {
	contents, ends := logOf(t, 3)
	for cut := range len(contents) + 1 {
		for _, zeros := range []int{0, 5, 50, 5000} {
			dir := t.TempDir()
			write(t, filepath.Join(dir, firstLog), append(slices.Clone(contents[:cut]), make([]byte, zeros)...))
			whole := 0
			for whole < len(ends) && ends[whole] <= cut {
				whole++
			}
			if zeros > 0 && !slices.Contains(ends, cut) && cut != magic {
				continue // bytes of a record that zeros end are damage, or the rest of it
			}
			l, s, _ := open(t, dir)
			wantState(t, s, numbers(1, whole))
			appendAll(t, l, numbers(whole+1, whole+2))
			closeLog(t, l)
			l, s, _ = open(t, dir)
			wantState(t, s, numbers(1, whole+2))
			closeLog(t, l)
		}
	}
}

// Damage of any byte of a record that was written whole is reported with the
// record's number and place, and the advice leads to the state before it.
func TestDamageIsNamed(t *testing.T) {
	contents, ends := logOf(t, 3)
	for at := magic; at < len(contents); at++ {
		damaged, _ := slices.BinarySearch(ends, at+1)
		start := magic
		if damaged > 0 {
			start = ends[damaged-1]
		}
		for _, flip := range []byte{0x01, 0x80, contents[at]} { // the last makes it zero
			if flip == 0 {
				continue
			}
			dir := t.TempDir()
			path := filepath.Join(dir, firstLog)
			bad := slices.Clone(contents)
			bad[at] ^= flip
			write(t, path, bad)
			var s state
			_, _, err := durable.Open(dir, s.restore)
			var damage *durable.DamageError
			if !errors.As(err, &damage) {
				t.Fatalf("byte %d flipped: error %v, want a DamageError", at, err)
			}
			if damage.File != path || damage.Offset != int64(start) || damage.Record != uint64(damaged+1) {
				t.Fatalf("byte %d of record %d at %d flipped: %+v", at, damaged+1, start, damage)
			}
			if err := os.Truncate(path, damage.Offset); err != nil { // as it advises
				t.Fatal(err)
			}
			l, s, _ := open(t, dir)
			wantState(t, s, numbers(1, damaged))
			closeLog(t, l)
		}
	}
}

// The advice is a command line.
func TestAdviceWorks(t *testing.T) {
	dir := t.TempDir()
	l, _, _ := open(t, dir)
	appendAll(t, l, numbers(1, 10))
	if _, err := l.Cut(); err != nil {
		t.Fatal(err)
	}
	appendAll(t, l, numbers(11, 20))
	closeLog(t, l)
	path := filepath.Join(dir, firstLog)
	contents, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	contents[len(contents)-1] ^= 1
	write(t, path, contents)
	_, command := damageOf(t, dir)
	if out, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	l, s, _ := open(t, dir)
	wantState(t, s, numbers(1, 9))
	closeLog(t, l)
}

// damageOf returns why a directory cannot be opened, and the command that helps.
func damageOf(t testing.TB, dir string) (damage *durable.DamageError, command string) {
	t.Helper()
	var s state
	if _, _, err := durable.Open(dir, s.restore); !errors.As(err, &damage) {
		t.Fatalf("error %v, want a DamageError", err)
	}
	_, command, found := strings.Cut(damage.Advice, ": ")
	if !found {
		t.Fatalf("advice %q has no command", damage.Advice)
	}
	return damage, command
}

// A damaged snapshot, the first or a later one, can be done without.
func TestDamagedSnapshot(t *testing.T) {
	for snapshots := 1; snapshots <= 3; snapshots++ {
		for _, damaged := range []func(b []byte) []byte{
			func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
			func(b []byte) []byte { b[0] ^= 1; return b },
			func(b []byte) []byte { return b[:len(b)-1] },
			func(b []byte) []byte { return b[:len(b)-header] }, // the frame that ends it
			func([]byte) []byte { return nil },
		} {
			dir := t.TempDir()
			l, _, _ := open(t, dir)
			for i := range snapshots {
				appendAll(t, l, numbers(i*10+1, i*10+10))
				snapshot(t, l, numbers(1, i*10+10))
			}
			appendAll(t, l, numbers(snapshots*10+1, 50))
			closeLog(t, l)
			path := filepath.Join(dir, fmt.Sprintf("snapshot-%016x", snapshots*10))
			contents, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, damaged(contents))
			damage, command := damageOf(t, dir)
			if damage.File != path {
				t.Errorf("damaged file %s, want %s", damage.File, path)
			}
			if out, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", command, err, out)
			}
			l, s, _ := open(t, dir)
			wantState(t, s, numbers(1, 50))
			closeLog(t, l)
		}
	}
}

func TestMissingSegment(t *testing.T) {
	dir := t.TempDir()
	l, _, _ := open(t, dir)
	for i := range 3 {
		appendAll(t, l, numbers(i*10+1, i*10+10))
		if _, err := l.Cut(); err != nil {
			t.Fatal(err)
		}
	}
	closeLog(t, l)
	for _, name := range []string{firstLog, "log-000000000000000b"} {
		path := filepath.Join(dir, name)
		away := filepath.Join(t.TempDir(), name)
		if err := os.Rename(path, away); err != nil {
			t.Fatal(err)
		}
		var s state
		_, _, err := durable.Open(dir, s.restore)
		var damage *durable.DamageError
		if !errors.As(err, &damage) || damage.File != path {
			t.Errorf("without %s: error %v, want a DamageError that names it", name, err)
		}
		if err := os.Rename(away, path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSecondProcessIsRefused(t *testing.T) {
	dir := t.TempDir()
	l, _, _ := open(t, dir)
	_, _, err := durable.Open(dir, func([]byte) error { return nil })
	want := fmt.Sprintf("%s is in use by process %d: ", dir, os.Getpid())
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s…", err, want)
	}
	closeLog(t, l)
	l, _, _ = open(t, dir)
	closeLog(t, l)
}

// Many append at the same time, wait for what they appended, and snapshots are
// written meanwhile.
func TestTogether(t *testing.T) {
	const writers, each = 16, 50
	dir := t.TempDir()
	l, _, _ := open(t, dir)
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex // orders records, as a service's locks do
		done state
	)
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				record := fmt.Sprintf("%d of %d", i, w)
				mu.Lock()
				l.Append([]byte(record))
				done = append(done, record)
				mu.Unlock()
				if err := l.Sync(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Go(func() {
		for range 5 {
			mu.Lock()
			cut, err := l.Cut()
			contents := slices.Clone(done)
			mu.Unlock()
			if err == nil {
				err = cut.Write(contents.write)
			}
			if err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	closeLog(t, l)
	l, s, _ := open(t, dir)
	wantState(t, s, done)
	closeLog(t, l)
}
