package workloads

import (
	"context"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/wal"
)

// nodeParams are the profile of a node that flushes and compacts: what is not
// known of the real one, and assumed (docs/facts/memwal.md §7).
func nodeParams(generations, polls string, least int64, what string) []run.Param {
	return append([]run.Param{
		{Name: "generations", Kind: run.Integer, Min: least, Max: 1000, Default: generations, Swept: true, Doc: what},
		{Name: "user_indexes", Kind: run.Integer, Min: 0, Max: 100, Default: "0", Swept: true, Doc: "indexes beside that of the keys (assumption)"},
		{Name: "duplicates", Kind: run.Switch, Default: "true", Swept: true, Doc: "whether a generation has rows that later ones replace (assumption)"},
		{Name: "manifest_polls", Kind: run.Integer, Min: 0, Max: 10_000, Default: polls, Swept: true, Doc: "times that the node reads its manifest for each operation (assumption)"},
		{Name: "rows", Kind: run.Integer, Min: 2, Max: 100_000, Default: "100", Doc: "rows of a generation, 100 bytes each"},
		{Name: "operations", Kind: run.Integer, Min: 1, Max: 100_000, Default: "5", Doc: "operations that are measured, in each repeat"},
	}, policyParams()...)
}

// ownRequests are those of an operation without the node's polling.
const ownRequests = "own-requests/op"

// flush measures what it costs to make an L0 generation of a memtable.
func flush() *run.Workload {
	params := nodeParams("0,16", "0,20", 0, "L0 generations that are there already")
	params = append(params, run.Param{
		Name: "force_seal", Kind: run.Switch, Default: "true", Doc: "whether the node forces the memtable's seal, which takes a fence check of its own (assumption)",
	})
	return &run.Workload{
		Name:     "flush",
		Summary:  "What a flush of a memtable to an L0 generation costs, and the node that polls its manifest meanwhile.",
		Version:  1,
		Variants: policyVariants(),
		Params:   params,
		Metrics: results.Metrics{
			ownRequestsMetric("requests of the flush itself, without those of the node that polls"),
		},
		OnS3:          true,
		Focus:         results.Focus{X: "manifest_polls", Metrics: []string{"requests/op", ownRequests, "usd/op"}},
		Headline:      flushHeadline,
		Published:     flushFigures(),
		Deterministic: run.Always,
		Held:          generationsHeld,
		Prepare: func(ctx context.Context, s *run.Site) (run.Subject, error) {
			shards, err := newShardSite(ctx, s)
			return &flushSite{shards}, err
		},
	}
}

func flushHeadline(doc *results.Document) string {
	most := run.Largest(doc, "manifest_polls")
	polls := func(r run.Reading) string {
		return "With " + r.Count("manifest_polls", "poll", "polls") + " of the manifest for each flush (an assumption)"
	}
	return run.Claim{
		What: "a flush takes", Again: "it takes", Metric: "requests/op",
		On: "under", Variants: []string{scanBefore, serveAfter}, Named: []string{"manifest_polls", "generations"},
	}.Say(
		run.Case{Given: polls(most), At: most},
		run.Case{Given: "With " + most.Least("manifest_polls").Count("manifest_polls", "poll", "polls"), At: most.Least("manifest_polls")},
	)
}

type flushSite struct{ *shardSite }

// Measure implements run.Subject.
func (s *flushSite) Measure(ctx context.Context, r *run.Recorder) error {
	setup := s.Setup(ctx)
	shard, w, err := s.node(setup, r)
	if err != nil {
		return err
	}
	for g := range int(s.Int("generations")) {
		if err := flushRows(setup, w, s.memtable(g)); err != nil {
			return err
		}
	}
	operations := int(s.Config.Params.Int("operations"))
	polls := polling{site: s.shardSite, writer: w, recorder: r}
	for i := range operations {
		if _, err := w.Append(setup, s.memtable(int(s.Int("generations"))+i)...); err != nil {
			return err
		}
		if err := shard.once(ctx, "flush", func(ctx context.Context) error { return s.flush(ctx, w, &polls) }); err != nil {
			return err
		}
	}
	own := spent(r) - polls.requests
	r.Metrics[ownRequests] = float64(own) / float64(operations)
	s.compareFormula(r, own, s.ownFlushes(shard.policy.Kind, operations))
	return nil
}

func (s *flushSite) forced() bool { return s.Config.Params["force_seal"][0].(bool) }

// node opens the shard for a node of the profile.
func (s *shardSite) node(setup context.Context, r *run.Recorder) (*measuredShard, *wal.Writer, error) {
	shard, err := s.newShard(setup, r)
	if err != nil {
		return nil, nil, err
	}
	cfg := shard.config("node")
	cfg.UserIndexes = int(s.Int("user_indexes"))
	w, err := wal.Open(setup, cfg)
	return shard, w, err
}

// memtable is what a generation is made of: half of its rows are replaced by the
// other half where there are duplicates.
func (s *shardSite) memtable(number int) []wal.Row {
	n := int(s.Config.Params.Int("rows"))
	rows := rowsOf(number*n, n)
	if s.Bool("duplicates") {
		for i := n / 2; i < n; i++ {
			rows[i].Key = rows[i-n/2].Key
		}
	}
	return rows
}

func (s *flushSite) flush(ctx context.Context, w *wal.Writer, polls *polling) error {
	if s.forced() {
		if err := w.ForceSeal(ctx); err != nil {
			return err
		}
	}
	if err := polls.run(ctx); err != nil {
		return err
	}
	_, err := w.Flush(ctx)
	return err
}

// polling is a node that reads its manifest again and again.
type polling struct {
	site     *shardSite
	writer   *wal.Writer
	recorder *run.Recorder
	requests int64 // made for it so far
}

func (p *polling) run(ctx context.Context) error {
	before := spent(p.recorder)
	for range p.site.Int("manifest_polls") {
		if _, err := p.writer.Manifest(ctx); err != nil {
			return err
		}
	}
	p.requests += spent(p.recorder) - before
	return nil
}

// ownFlushes are the requests of flushes of the point's profile, without the
// node's polling.
func (s *flushSite) ownFlushes(kind manifest.Kind, operations int) formula {
	of := cost.Profile{Duplicates: s.Bool("duplicates"), UserIndexes: s.Int("user_indexes"), ForceSeal: s.forced()}
	return committing("flushes", operations, func(hints float64) cost.Cost { return cost.Flush(kind, of, hints) })
}

// committing is the formula of operations that commit to the manifest, of which
// any number may write the hint.
func committing(what string, operations int, one func(hints float64) cost.Cost) formula {
	n := float64(operations)
	return formula{what, int64(n * one(0).Requests), int64(n * one(1).Requests)}
}

// compaction measures what it costs to merge a shard's generations into the base
// table.
func compaction() *run.Workload {
	return &run.Workload{
		Name:     "compaction",
		Summary:  "What a pass costs that merges all L0 generations into the base table.",
		Version:  1,
		Variants: policyVariants(),
		Params:   nodeParams("1,3,16,64", "0", 1, "L0 generations that a pass merges"),
		Metrics: results.Metrics{
			ownRequestsMetric("requests of the pass, its five reads of the manifest included, without other polling"),
		},
		OnS3:          true,
		Focus:         results.Focus{X: "generations", Metrics: []string{"requests/op", ownRequests, "usd/op"}},
		Headline:      compactionHeadline,
		Published:     compactionFigures(),
		Deterministic: run.Always,
		Held:          generationsHeld,
		Prepare: func(ctx context.Context, s *run.Site) (run.Subject, error) {
			shards, err := newShardSite(ctx, s)
			return &compactionSite{shards}, err
		},
	}
}

func compactionHeadline(doc *results.Document) string {
	most := run.Largest(doc, "generations")
	generations := func(r run.Reading) string { return "With " + r.Count("generations", "L0 generation", "L0 generations") }
	return run.Claim{
		What: "a pass that reads the manifest 5 times (an assumption) takes", Again: "it takes", Metric: "requests/op",
		On: "under", Variants: []string{scanBefore, serveAfter}, Named: []string{"generations"},
	}.Say(run.Case{Given: generations(most), At: most}, run.Case{Given: generations(most.Least("generations")), At: most.Least("generations")})
}

type compactionSite struct{ *shardSite }

// Measure implements run.Subject.
func (s *compactionSite) Measure(ctx context.Context, r *run.Recorder) error {
	setup := s.Setup(ctx)
	shard, w, err := s.node(setup, r)
	if err != nil {
		return err
	}
	generations, operations := int(s.Int("generations")), int(s.Config.Params.Int("operations"))
	polls := polling{site: s.shardSite, writer: w, recorder: r}
	for i := range operations {
		for g := range generations {
			if err := flushRows(setup, w, s.memtable(i*generations+g)); err != nil {
				return err
			}
		}
		if err := shard.once(ctx, "compaction", func(ctx context.Context) error {
			if err := polls.run(ctx); err != nil {
				return err
			}
			_, err := w.Compact(ctx)
			return err
		}); err != nil {
			return err
		}
	}
	own := spent(r) - polls.requests
	r.Metrics[ownRequests] = float64(own) / float64(operations)
	s.compareFormula(r, own, committing("passes", operations, func(hints float64) cost.Cost {
		return cost.Compact(shard.policy.Kind, s.Int("generations"), hints)
	}))
	return nil
}

// flushFigures are the published figures that the workload measures.
func flushFigures() []run.Figure {
	profile := map[string]string{"duplicates": "true", "user_indexes": "0", "manifest_polls": "20"} // docs/facts/memwal.md §3
	return []run.Figure{
		{
			Name: "requests per flush", Variant: "scan", Published: 132, Metric: "requests/op", At: profile,
			Explained: "29 of its own (21, 3 for duplicates, 5 for a forced seal), and 20 polls of 5 by the node (all assumptions). " +
				"132 − 29 is no multiple of 5: some of the real polls met a hint that lagged, which takes 7; here none does",
		},
		{
			Name: "requests per flush", Variant: "serve", Published: 24, Metric: "requests/op", At: profile,
			Explained: "16 of its own, 3 for duplicates, 5 for a forced seal (assumptions); the polls cost nothing",
		},
	}
}

// compactionFigures are the published figures that the workload measures.
func compactionFigures() []run.Figure {
	profile := map[string]string{"generations": "3", "duplicates": "true", "user_indexes": "0", "manifest_polls": "0"} // docs/facts/memwal.md §3
	return []run.Figure{
		{
			Name: "requests per pass", Variant: "scan", Published: 35, Metric: "requests/op", At: profile,
			Explained: "5 to commit to the base table, 3 generations, 2 to commit to the shard, and 5 reads of the manifest of 5 each (assumption)",
		},
		{
			Name: "requests per pass", Variant: "serve", Published: 10, Metric: "requests/op", At: profile,
			Explained: "the same, and the reads of the manifest cost nothing",
		},
	}
}
