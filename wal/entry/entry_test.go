package entry_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/wal/entry"
)

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := entry.Entry{
			WriterEpoch: rapid.Uint64Min(1).Draw(t, "epoch"),
			Generation:  rapid.Uint64().Draw(t, "generation"),
		}
		if e.Sentinel = rapid.Bool().Draw(t, "sentinel"); !e.Sentinel {
			e.Rows = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) entry.Row {
				r := entry.Row{Key: rapid.String().Draw(t, "key"), Tombstone: rapid.Bool().Draw(t, "tombstone")}
				if !r.Tombstone && rapid.Bool().Draw(t, "valued") {
					r.Value = append([]byte{}, rapid.SliceOf(rapid.Byte()).Draw(t, "value")...)
				}
				return r
			}), 1, 20).Draw(t, "rows")
		}
		data, err := entry.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		again, err := entry.Encode(e)
		if err != nil || !bytes.Equal(data, again) {
			t.Fatalf("the same entry has other bytes the second time (%v)", err)
		}
		got, err := entry.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Every strict prefix of an entry is damaged, wherever it was cut: also between
// two batches, where the stream itself would allow an end.
func TestACutEntryIsDamaged(t *testing.T) {
	data, err := entry.Encode(entry.Entry{WriterEpoch: 3, Rows: []entry.Row{{Key: "a", Value: []byte("1")}}})
	if err != nil {
		t.Fatal(err)
	}
	for n := range data {
		if _, err := entry.Decode(data[:n]); !errors.Is(err, entry.ErrDamaged) {
			t.Errorf("the first %d of %d bytes: %v, expected ErrDamaged", n, len(data), err)
		}
	}
	if _, err := entry.Decode(append(bytes.Clone(data), data...)); !errors.Is(err, entry.ErrDamaged) {
		t.Errorf("an entry twice in one object: %v, expected ErrDamaged", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, e := range []entry.Entry{{WriterEpoch: 1, Sentinel: true}, {WriterEpoch: 2, Generation: 7, Rows: []entry.Row{{Key: "k", Value: []byte{}}}}} {
		data, err := entry.Encode(e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := entry.Decode(data)
		if err != nil {
			if !errors.Is(err, entry.ErrDamaged) {
				t.Fatalf("%v is no ErrDamaged", err)
			}
			return
		}
		if e.WriterEpoch == 0 || e.Sentinel != (len(e.Rows) == 0) {
			t.Fatalf("accepted %+v", e)
		}
	})
}

// shardOfTheRealSystem is a shard that was not written by lakebench.
const shardOfTheRealSystem = "../testdata/real/_mem_wal/aa48498d-ac91-59e2-8452-69f46010ace2"

// The real system's entries (wal/testdata/real/README.md): what each holds is known
// from what was done to the shard.
func TestReadsWhatTheRealSystemWrote(t *testing.T) {
	value := func(key, v string) entry.Row { return entry.Row{Key: key, Value: []byte(v)} }
	want := map[string]entry.Entry{
		"1000": {WriterEpoch: 1, Rows: []entry.Row{value("a", "1"), value("b", "1")}}, // 1
		"0100": {WriterEpoch: 1, Rows: []entry.Row{value("b", "2")}},                  // 2
		"1100": {WriterEpoch: 2, Sentinel: true},                                      // 3
		"0010": {WriterEpoch: 2, Rows: []entry.Row{value("c", "1")}},                  // 4
		"1010": {WriterEpoch: 2, Rows: []entry.Row{value("a", "2")}},                  // 5
		"0110": {WriterEpoch: 3, Sentinel: true},                                      // 6
		"1110": {WriterEpoch: 3, Rows: []entry.Row{value("d", "1")}},                  // 7
		"0001": {WriterEpoch: 3, Rows: []entry.Row{value("e", "1"), value("a", "3")}}, // 8
		"1001": {WriterEpoch: 3, Rows: []entry.Row{value("f", "1")}},                  // 9
	}
	for digits, e := range want {
		data, err := os.ReadFile(filepath.Join(shardOfTheRealSystem, "wal", digits+strings.Repeat("0", 60)+".arrow"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := entry.Decode(data)
		if err != nil {
			t.Errorf("%s: %v", digits, err)
			continue
		}
		if diff := cmp.Diff(e, got); diff != "" {
			t.Errorf("%s: %s", digits, diff)
		}
	}
}
