package manifest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/manifesttest"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest"
)

// TestCounts: the requests of each operation are those of
// docs/spec/shard-manifest.md §5 and docs/facts/memwal.md §2 and §3, whatever
// the logs in testdata say.
func TestCounts(t *testing.T) {
	logs := make(map[manifest.Kind]*log)
	for _, kind := range manifest.Kinds() {
		l := newLog(t, kind)
		onVirtualTime(t, l.scenario)
		logs[kind] = l
	}
	wanted := map[string][4]int{ // scan, serve, serialized, probe
		"latest of a new shard":                      {4, 4, 4, 2},
		"initialize":                                 {2, 2, 2, 1},
		"initialize again, another store":            {6, 6, 6, 4},
		"claim":                                      {7, 7, 7, 2},
		"latest, position held":                      {5, 0, 0, 0},
		"commit, position held":                      {7, 2, 2, 1},
		"refresh, position held":                     {5, 5, 5, 1},
		"fence check, position held":                 {5, 5, 5, 1},
		"unseal, same store":                         {7, 2, 2, 1},
		"16 commits, position held":                  {16*7 + 5, 16 * 2, 16 * 2, 16 + 1},
		"fence check of the one that lost the shard": {5, 5, 5, 2},
		"latest of the holder after the seal":        {5, 0, 0, 0},
		"claim, hint exact":                          {7, 7, 7, 4},
		"versions":                                   {1, 1, 1, 1},
		"commit of the one that lost the shard":      {5, 0, 0, 0},
		"latest, reader":                             {5, 5, 5, 4}, // probe: there is no hint yet
		"close":                                      {0, 0, 0, 1},
		"seal, another store":                        {7, 7, 7, 7}, // likewise
		"commit of the holder after the seal":        {5, 6, 6, 3}, // a lost attempt is one request, the search the rest
		"latest, store that only reads":              {5, 5, 5, 4},
		"commit of the new holder":                   {7, 2, 2, 1},
		"claim while sealed":                         {5, 5, 5, 4},
		"seal again, same store":                     {5, 5, 5, 1},
		"a commit that skips a version":              {5, 0, 0, 0},
		"claim, another store":                       {7, 7, 7, 5},
		"latest, another version behind":             {5, 0, 0, 0},
		"commit of the holder after the unseal":      {7, 7, 7, 3},
	}
	for step, want := range wanted {
		for i, kind := range manifest.Kinds() {
			if got, ok := logs[kind].counts[step]; got != want[i] || !ok {
				t.Errorf("%v: %q takes %d requests, want %d", kind, step, got, want[i])
			}
		}
	}
	for step := range logs[manifest.Scan].counts {
		if _, ok := wanted[step]; !ok {
			t.Errorf("nobody says what %q takes", step)
		}
	}
}

// TestSearchCosts: S(k) = 3 + b(⌈k/b⌉ + 1) for a hint that is k versions behind,
// the adaptive counts of docs/facts/memwal.md §2.1, and under Probe a number that grows
// with the digits of k only.
func TestSearchCosts(t *testing.T) {
	const tip = 110
	l := newLog(t, manifest.Serialized)
	onVirtualTime(t, func(ctx context.Context) {
		s := l.store()
		if _, err := s.ClaimEpoch(ctx); err != nil {
			t.Fatal(err)
		}
		for range tip - 1 {
			if _, err := s.CommitUpdate(ctx, 1, func(m manifest.Manifest) (manifest.Manifest, error) { return m.Next(), nil }); err != nil {
				t.Fatal(err)
			}
		}
		search := func(p manifest.Policy, hint uint64) int {
			l.service.Put(t, l.at().HintKey(), fmt.Appendf(nil, `{"version":%d}`, hint))
			r, err := manifest.NewReader(manifest.ReaderConfig{Client: l.recorder, Location: l.at(), Policy: p})
			if err != nil {
				t.Fatal(err)
			}
			l.recorder.Take()
			if m, err := r.Latest(ctx); err != nil || m.Version != tip {
				t.Errorf("hint %d: version %d, %v; want %d", hint, m.Version, err, tip)
			}
			_, n := l.recorder.Take()
			return n
		}
		for _, b := range []int{1, 2, 3, 8} {
			for _, k := range []int{0, 1, 2, 3, 10, 100} {
				want := 3 + b*((k+b-1)/b+1)
				if got := search(manifest.Policy{Kind: manifest.Serve, ScanBatch: b, HintEvery: 1}, tip-uint64(k)); got != want {
					t.Errorf("batch %d, hint %d behind: %d requests, want %d", b, k, got, want)
				}
			}
		}
		for k, want := range map[int]int{0: 2, 1: 6, 2: 6, 3: 14, 6: 14, 10: 30, 100: 190} {
			if got := search(manifest.Policy{Kind: manifest.Serve, ScanBatch: manifest.Adaptive, HintEvery: 1}, tip-uint64(k)); got != 3+want {
				t.Errorf("adaptive, hint %d behind: %d requests, want %d", k, got, 3+want)
			}
		}
		if got, want := search(policy(manifest.Serve), 10_000), 1+search(policy(manifest.Serve), 1); got != want {
			t.Errorf("hint too high: %d requests, want one more than from version 1, %d", got, want)
		}
		for k, want := range map[int]int{0: 3, 1: 4, 2: 6, 3: 6, 4: 8, 7: 8, 8: 10, 15: 10, 100: 16} {
			if got := search(policy(manifest.Probe), tip-uint64(k)); got != want {
				t.Errorf("probe, hint %d behind: %d requests, want %d", k, got, want)
			}
		}
	})
}

// commitAtOnce has n tasks commit at once on one store that holds a position, and
// returns what that took.
func commitAtOnce(t *testing.T, l *log, n int, seed uint64) (requests, failed int, stats manifest.Stats) {
	t.Helper()
	kind := l.kind
	before := manifest.Stats{}
	var s *manifest.Store
	_, err := task.Run(t.Context(), task.VirtualConfig{Policy: task.Random{}, Seed: seed}, func(ctx context.Context) error {
		s = l.store()
		if _, err := s.ClaimEpoch(ctx); err != nil {
			return err
		}
		l.recorder.Take()
		before = s.Stats()
		g := task.NewGroup(ctx, 0)
		for range n {
			g.Go("commit", func(ctx context.Context) error {
				_, err := s.CommitUpdate(ctx, 1, flushed)
				if errors.Is(err, manifest.ErrExhausted) {
					failed++ // one task at a time runs here
					return nil
				}
				return err
			})
		}
		return g.Wait()
	})
	if err != nil {
		t.Fatalf("%v, %d commits, seed %d: %v", kind, n, seed, err)
	}
	_, requests = l.recorder.Take()
	onVirtualTime(t, func(ctx context.Context) {
		m, err := s.RefreshLatest(ctx)
		if err != nil || len(m.Generations) != n-failed || m.Version != uint64(1+n-failed) {
			t.Errorf("%v, %d commits of which %d failed, seed %d: version %d with %d generations, %v", kind, n, failed, seed, m.Version, len(m.Generations), err)
		}
	})
	after := s.Stats()
	after.Scans -= before.Scans + 1
	if kind == manifest.Probe {
		after.Scans++ // the refresh was none
	}
	after.Lost -= before.Lost
	return requests, failed, after
}

// TestCommitsAtOnce: n commits at once on one store that holds a position take 2n
// requests and no scan when they are serialized, and none fails. When they are
// not, they all land up to ten, and take up to n(n−1)/2 scans; beyond that some may
// be given up, which is counted.
func TestCommitsAtOnce(t *testing.T) {
	for _, n := range []int{1, 2, 8, 11, 32} {
		seeds := uint64(1)
		if n == 8 { // for which every seed has to contend, below
			seeds = 3
		}
		for seed := range seeds {
			requests, failed, stats := commitAtOnce(t, newLog(t, manifest.Serialized), n, seed)
			if requests != 2*n || failed != 0 || stats.Scans != 0 || stats.Lost != 0 {
				t.Errorf("serialized: %d commits take %d requests and %d scans, %d fail; want %d, 0, 0", n, requests, stats.Scans, failed, 2*n)
			}
			requests, failed, stats = commitAtOnce(t, newLog(t, manifest.Probe), n, seed)
			if want := n + (n+1)/16; requests != want || failed != 0 || stats.Scans != 0 || stats.Lost != 0 {
				t.Errorf("probe: %d commits take %d requests and %d scans, %d fail; want %d, 0, 0", n, requests, stats.Scans, failed, want)
			}
			_, failed, stats = commitAtOnce(t, newLog(t, manifest.Serve), n, seed)
			if most := int64(n * (n - 1) / 2); stats.Scans > most || stats.Exhausted != int64(failed) || n <= 10 && failed > 0 {
				t.Errorf("serve, seed %d: %d commits take %d scans, %d fail, %d are counted as given up; want at most %d scans, and failures beyond ten only",
					seed, n, stats.Scans, failed, stats.Exhausted, most)
			}
			if n == 8 && stats.Scans == 0 {
				t.Errorf("serve, seed %d: the commits do not contend, so this says nothing", seed)
			}
			t.Logf("serve, seed %d: %d commits, %d scans, %d lost attempts, %d given up", seed, n, stats.Scans, stats.Lost, failed)
		}
	}
}

// TestCommitsInStep: commits that ask at the same moments every time are the worst
// case. One of them lands in each round, so n take n(n−1)/2 scans, and of more than
// ten the others have used up their ten attempts by then (docs/facts/memwal.md §5).
func TestCommitsInStep(t *testing.T) {
	for n, want := range map[int]struct {
		scans  int64
		failed int
	}{2: {1, 0}, 8: {28, 0}, 10: {45, 0}, 16: {10*16 - 55 - 6, 6}} {
		l := newLog(t, manifest.Serve)
		slow := newInjector(t.Context(), t, "on s3 PutObject : delay 40ms\non s3 GetObject : delay 20ms\non s3 HeadObject : delay 20ms", 1)
		l.recorder = manifesttest.NewRecorder(l.service.Backend.S3Under(l.service.Meter, slow), l.at())
		_, failed, stats := commitAtOnce(t, l, n, 1)
		if stats.Scans != want.scans || failed != want.failed || stats.Exhausted != int64(want.failed) {
			t.Errorf("%d commits in step: %d scans, %d lost attempts, %d given up, %d counted as such; want %d scans and %d given up",
				n, stats.Scans, stats.Lost, failed, stats.Exhausted, want.scans, want.failed)
		}
	}
}

// TestStats: what a store counts is what happened.
func TestStats(t *testing.T) {
	l := newLog(t, manifest.Serve)
	onVirtualTime(t, func(ctx context.Context) {
		a, b := l.store(), l.store()
		for _, do := range []func() error{
			func() error { _, err := a.ClaimEpoch(ctx); return err },               // a scan, a commit
			func() error { return b.Seal(ctx) },                                    // likewise, b's
			func() error { return b.Unseal(ctx) },                                  // b's
			func() error { _, err := a.CommitUpdate(ctx, 1, flushed); return err }, // lost, a scan, a commit
		} {
			if err := do(); err != nil {
				t.Fatal(err)
			}
		}
		if got := a.Stats(); got.Scans != 2 || got.Commits != 2 || got.Lost != 1 || got.LostUnsent != 0 || got.Exhausted != 0 || got.Objects.Exists != 1 {
			t.Errorf("counted %+v", got)
		}
	})
}

func (l *log) at() manifest.Location { return l.service.at("lake/orders", shard) }

// TestConfig: what cannot work is refused before anything is asked for.
func TestConfig(t *testing.T) {
	s := openService(t, backend.DefaultConfig())
	good := manifest.DefaultConfig()
	good.Client, good.Location, good.Random = manifesttest.NewRecorder(s.SDK(), s.at("orders", shard)), s.at("orders", shard), rand.NewPCG(1, 1)
	for what, spoil := range map[string]func(*manifest.Config){
		"no client":    func(c *manifest.Config) { c.Client = nil },
		"no bucket":    func(c *manifest.Config) { c.Location.Bucket = "" },
		"no random":    func(c *manifest.Config) { c.Random = nil },
		"no tries":     func(c *manifest.Config) { c.Backoff.Tries = 0 },
		"waits shrink": func(c *manifest.Config) { c.Backoff.Max = 1 },
		"policy":       func(c *manifest.Config) { c.Policy.Kind = 4 },
		"batch":        func(c *manifest.Config) { c.Policy.ScanBatch = -1 },
		"large batch":  func(c *manifest.Config) { c.Policy.ScanBatch = 1_000_000 },
		"hint":         func(c *manifest.Config) { c.Policy.HintEvery = 0 },
	} {
		cfg := good
		spoil(&cfg)
		if _, err := manifest.NewStore(cfg); !errors.Is(err, manifest.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", what, err)
		}
	}
	if _, err := manifest.NewStore(good); err != nil {
		t.Error(err)
	}
	for _, kind := range manifest.Kinds() {
		if k, err := manifest.ParseKind(kind.String()); k != kind || err != nil {
			t.Errorf("%v is read as %v, %v", kind, k, err)
		}
	}
	if _, err := manifest.ParseKind("Scan"); !errors.Is(err, manifest.ErrInvalid) {
		t.Errorf("Scan is read, %v", err)
	}
}
