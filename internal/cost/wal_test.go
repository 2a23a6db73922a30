package cost_test

import (
	"testing"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/manifest"
)

// The figures of docs/facts/memwal.md §2.1 to §2.8 and docs/spec/shard-manifest.md §5.
func TestWAL(t *testing.T) {
	for lag, want := range map[int64]float64{0: 5, 1: 7, 2: 7, 10: 15} {
		if got := cost.TipScan(lag); got.Requests != want || got.ClassB != want {
			t.Errorf("a scan with a hint %d behind: %v requests, want %v", lag, got.Requests, want)
		}
	}
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"read of 4 generations, scan", cost.FreshRead(manifest.Scan, 4, 0).Requests, 9},
		{"read of 4 generations, serve", cost.FreshRead(manifest.Serve, 4, 0).Requests, 4},
		{"warm commit, scan", cost.Commit(manifest.Scan, 1.0/16).Requests, 7},
		{"warm commit, serve", cost.Commit(manifest.Serve, 1.0/16).Requests, 2},
		{"warm commit, probe", cost.Commit(manifest.Probe, 1.0/16).Requests, 1 + 1.0/16},
		{"fence check, probe", cost.FenceCheck(manifest.Probe).Requests, 1},
		{"flush, scan", cost.Flush(manifest.Scan, cost.Profile{}, 1.0/16).Requests, 21},
		{"flush, serve", cost.Flush(manifest.Serve, cost.Profile{}, 1.0/16).Requests, 16},
		{"append", cost.Append().Requests, 1},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v requests, want %v", c.what, c.got, c.want)
		}
	}
	if f := cost.Flush(manifest.Probe, cost.Profile{}, 1.0/16); f.Requests > 12 {
		t.Errorf("a flush under probe: %v requests, want 12 at most", f.Requests)
	}
}

// What a profile adds to the 16 requests of a flush (docs/facts/memwal.md §2.8,
// "Add-ons").
func TestFlushOfAProfile(t *testing.T) {
	for _, c := range []struct {
		of    cost.Profile
		kind  manifest.Kind
		adds  float64
		hints float64
	}{
		{cost.Profile{Duplicates: true}, manifest.Serve, 3, 0},                 // a list, deletions, a new description
		{cost.Profile{UserIndexes: 1}, manifest.Serve, 4, 0},                   // a list, two objects, a new description
		{cost.Profile{Duplicates: true, UserIndexes: 1}, manifest.Serve, 5, 0}, // deletions alone on top
		{cost.Profile{ForceSeal: true}, manifest.Scan, 5, 0},
		{cost.Profile{ForceSeal: true}, manifest.Probe, 1, 0},
		{cost.Profile{Duplicates: true}, manifest.Probe, 2, 0}, // it lists nothing
		{cost.Profile{}, manifest.Probe, 1, 1},                 // the hint
		{cost.Profile{}, manifest.Serve, 0, 1},                 // has it anyway
	} {
		base, got := cost.Flush(c.kind, cost.Profile{}, 0), cost.Flush(c.kind, c.of, c.hints)
		if got.Requests-base.Requests != c.adds {
			t.Errorf("%v under %v: %v requests more, want %v", c.of, c.kind, got.Requests-base.Requests, c.adds)
		}
	}
}

// A pass over three generations: 8 requests of the base that updates rows but for
// its three reads of data, which are the generations', and a commit of 2; before
// the change 5 scans more (docs/facts/memwal.md §3, "Compaction").
func TestCompact(t *testing.T) {
	for kind, want := range map[manifest.Kind]float64{manifest.Scan: 35, manifest.Serve: 10, manifest.Serialized: 10, manifest.Probe: 9} {
		if got := cost.Compact(kind, 3, 0).Requests; got != want {
			t.Errorf("%v: %v requests, want %v", kind, got, want)
		}
	}
}

// Opens step by step (docs/facts/memwal.md §2.7, docs/spec/shard-manifest.md §2).
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		what string
		kind manifest.Kind
		of   cost.Opening
		want float64
	}{
		{"claim 7, HEAD and LIST, sentinel, 30 entries, sentinel, end, commit", manifest.Serve, cost.Opening{Entries: 30}, 7 + 2 + 1 + 30 + 2 + 2},
		{"a commit for every entry and the sentinel", manifest.Serve, cost.Opening{Entries: 30, CursorPerEntry: true}, 7 + 2 + 1 + 30 + 2 + 31*2},
		{"each of them with a scan, and one before the sentinel", manifest.Scan, cost.Opening{Entries: 30}, 7 + 5 + 2 + 1 + 30 + 2 + 31*7},
		{"a HEAD for every entry", manifest.Serve, cost.Opening{Entries: 30, FlushedBefore: true}, 7 + 30 + 2 + 1 + 30 + 2 + 2},
		{"2,001 entries are 3 lists", manifest.Serve, cost.Opening{Entries: 2001}, 7 + 1 + 3 + 1 + 2001 + 2 + 2},
		{"a hint 10 behind", manifest.Serve, cost.Opening{Entries: 1, HintLag: 10}, 17 + 2 + 1 + 1 + 2 + 2},
		{"hint, version, no next one, claim; entries, end, sentinel, end, commit", manifest.Probe, cost.Opening{Entries: 10, HintEvery: 16}, 4 + 10 + 4},
		// 14 behind: versions 1, 2, 4 and 8 are there, 16 is not; 12 and 14 are, 15 is
		// not. 20 behind: versions 1, 2, 4, 8 and 16 are there, 32 is not; 24 is not, 20
		// is, 22 and 21 are not; and the hint.
		{"a hint 20 behind", manifest.Probe, cost.Opening{Entries: 10, HintLag: 20, HintEvery: 16}, 2 + 6 + 4 + 2 + 10 + 4},
		// The claim is 15 ahead of the hint, the last commit 16.
		{"a hint 14 behind", manifest.Probe, cost.Opening{Entries: 10, HintLag: 14, HintEvery: 16}, 2 + 5 + 3 + 1 + 10 + 3 + 2},
		{"a hint with every commit", manifest.Probe, cost.Opening{Entries: 10, HintEvery: 1}, 5 + 10 + 5},
		{"a long log: a list in place of the search", manifest.Probe, cost.Opening{Entries: 100, HintEvery: 16}, 4 + 100 + 1 + 3},
		// Names are bit-reversed, so the first 1,000 of 2,501 have all 625 multiples of 4, the
		// last of which is 2,500. 1 beyond it is there, 3 is not, 2 is not.
		{"a log of several lists", manifest.Probe, cost.Opening{Entries: 2501, HintEvery: 16}, 4 + 2501 + 1 + 3 + 3},
	} {
		if got := cost.Open(c.kind, c.of).Requests; got != c.want {
			t.Errorf("%v, %s: %v requests, want %v", c.kind, c.what, got, c.want)
		}
	}
}

// Probe never needs more requests to open a shard than serve does (docs/spec/shard-manifest.md §5).
func TestProbeOpensForNoMoreThanServe(t *testing.T) {
	for _, flushed := range []bool{false, true} {
		for _, lag := range []int64{0, 1, 2, 5, 10, 100} {
			for entries := int64(1); entries < 100_000; entries += 1 + entries/50 {
				o := cost.Opening{Entries: entries, HintLag: lag, HintEvery: 16, FlushedBefore: flushed}
				probe, serve := cost.Open(manifest.Probe, o).Requests, cost.Open(manifest.Serve, o).Requests
				if probe > serve {
					t.Errorf("%+v: %v requests, serve takes %v", o, probe, serve)
				}
			}
		}
	}
}
