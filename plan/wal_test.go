package plan

import "testing"

// The figures of docs/facts/memwal.md §2.1 to §2.8 and docs/spec/shard-manifest.md §5.
func TestWAL(t *testing.T) {
	for lag, want := range map[int64]float64{0: 5, 1: 7, 2: 7, 10: 15} {
		if got := TipScan(lag); got.Requests != want || got.ClassB != want {
			t.Errorf("a scan with a hint %d behind: %v requests, want %v", lag, got.Requests, want)
		}
	}
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"read of 4 generations, scan", FreshRead(Scan, 4, 0).Requests, 9},
		{"read of 4 generations, serve", FreshRead(Serve, 4, 0).Requests, 4},
		{"warm commit, scan", commit(Scan, 16).Requests, 7},
		{"warm commit, serve", commit(Serve, 16).Requests, 2},
		{"warm commit, probe", commit(Probe, 16).Requests, 1 + 1.0/16},
		{"fence check, probe", fenceCheck(Probe).Requests, 1},
		{"flush, scan", Flush(Scan, 16).Requests, 21},
		{"flush, serve", Flush(Serve, 16).Requests, 16},
		{"append", Append().Requests, 1},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v requests, want %v", c.what, c.got, c.want)
		}
	}
	if f := Flush(Probe, 16); f.Requests > 12 {
		t.Errorf("a flush under probe: %v requests, want 12 at most", f.Requests)
	}
}
