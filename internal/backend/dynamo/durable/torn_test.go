package durable_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/dynamo/durable"
)

// writes are two writes of several records of some hundred bytes.
var writes = [2]state{
	{strings.Repeat("a", 300), strings.Repeat("b", 700)},
	{strings.Repeat("c", 600), strings.Repeat("d", 90), strings.Repeat("e", 1500), strings.Repeat("f", 10)},
}

// logOfWrites returns the segment that the two writes make, as the end of the
// process leaves it, with room behind the records, and where each record's frame
// ends.
func logOfWrites(t testing.TB) (contents []byte, ends []int) {
	t.Helper()
	dir := t.TempDir()
	l, _, _ := open(t, dir)
	end := magic
	for _, w := range writes {
		appendAll(t, l, w)
		for _, r := range w {
			end += header + len(r)
			ends = append(ends, end)
		}
	}
	contents, err := os.ReadFile(filepath.Join(dir, firstLog))
	if err != nil {
		t.Fatal(err)
	}
	closeLog(t, l)
	if len(contents) <= end {
		t.Fatalf("the open log is of %d bytes, want room behind %d", len(contents), end)
	}
	return contents, ends
}

// zeroSectors makes zeros of the sectors of 512 bytes of contents[from:to] that
// lost names: what the disk had not got to when the machine stopped.
func zeroSectors(contents []byte, from, to int, lost func() bool) {
	for from < to {
		next := min(from+512-from%512, to)
		if lost() {
			clear(contents[from:next])
		}
		from = next
	}
}

// Of the last write, a machine that stops keeps any sectors. The log is opened all
// the same: with the writes before, and with those records of the last one before
// which nothing is missing.
func TestTornWrite(t *testing.T) {
	const seed = 3
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	contents, ends := logOfWrites(t)
	first, all := len(writes[0]), slices.Concat(writes[0], writes[1])
	for range 30 {
		torn := slices.Clone(contents)
		zeroSectors(torn, ends[first-1], ends[len(ends)-1], func() bool { return rng.IntN(3) == 0 })
		whole := first
		for whole < len(ends) && slices.Equal(torn[:ends[whole]], contents[:ends[whole]]) {
			whole++
		}
		dir := t.TempDir()
		write(t, filepath.Join(dir, firstLog), torn)
		l, s, found := open(t, dir)
		wantState(t, s, all[:whole])
		if torn := found.CutOff > 0; torn && whole == len(ends) {
			t.Errorf("%d bytes cut off behind the last record, want none: room is no torn write", found.CutOff)
		}
		appendAll(t, l, numbers(1, 3))
		closeLog(t, l)
		l, s, _ = open(t, dir)
		wantState(t, s, slices.Concat(all[:whole], numbers(1, 3)))
		closeLog(t, l)
	}
}

// A write that another one followed had ended. Sectors of it that are zeros are
// damage.
func TestLostSectorIsDamage(t *testing.T) {
	contents, ends := logOfWrites(t)
	for lost := 0; lost*512 < ends[1]; lost++ {
		bad := slices.Clone(contents)
		at := -1
		zeroSectors(bad, magic, ends[1], func() bool { at++; return at == lost })
		record := 1
		if slices.Equal(bad[:ends[0]], contents[:ends[0]]) {
			record = 2
		}
		dir := t.TempDir()
		write(t, filepath.Join(dir, firstLog), bad)
		var s state
		_, _, err := durable.Open(dir, s.restore)
		var damage *durable.DamageError
		if !errors.As(err, &damage) || damage.Record != uint64(record) {
			t.Errorf("sector %d lost: error %v, want that record %d is damaged", lost, err, record)
		}
	}
}
