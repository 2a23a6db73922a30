package workloads

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/run/load"
)

// concurrentCommits measures what tasks cost that commit to a shard's manifest
// through one handle at the same time: the third finding of the seed's review.
func concurrentCommits() *run.Workload {
	return &run.Workload{
		Name:     "concurrent-commits",
		Summary:  "What n commits at once cost on one warm handle: searches, lost attempts, requests.",
		Version:  1,
		Variants: policyVariants(),
		Params: append([]run.Param{
			{Name: "committers", Kind: run.Integer, Min: 1, Max: 1024, Default: "1..32", Swept: true, Doc: "commits of a round, all at once"},
			{Name: "rounds", Kind: run.Integer, Min: 1, Max: 100_000, Default: "10", Doc: "rounds that are measured, in each repeat"},
		}, policyParams()...),
		Metrics: results.Metrics{
			{
				Name: metricScans, Doc: "searches for the newest version, for each commit",
				Noun: "scans", Per: results.PerOperation, Assume: results.Exact, Better: results.LowerIsBetter, Column: results.Column{Heading: [2]string{"", "scans"}, Priority: 6},
			},
			{
				Name: metricLost, Doc: "attempts that lost their version to another commit, for each commit",
				Noun: "lost attempts", Per: results.PerOperation, Assume: results.Exact, Better: results.LowerIsBetter, Column: results.Column{Heading: [2]string{"lost", "attempts"}, Priority: 6},
			},
			{
				Name: metricGivenUp, Doc: "commits that were given up after ten attempts, for each commit",
				Noun: "given up", Per: results.PerOperation, Assume: results.Exact, Better: results.LowerIsBetter, Column: results.Column{Heading: [2]string{"given", "up"}, Priority: 8},
			},
			{
				Name: metricPerLanded, Doc: "requests of all commits, for each commit that succeeded",
				Noun: "requests", Per: "commit that succeeded", Assume: results.Exact, Better: results.LowerIsBetter, Column: results.Column{Heading: [2]string{"requests", "per success"}, Priority: 8},
			},
		},
		OnS3:          true,
		Focus:         results.Focus{X: "committers", Metrics: []string{metricPerLanded, metricScans, metricGivenUp}},
		Headline:      commitsHeadline,
		Published:     commitsFigures(),
		Deterministic: func(p load.Point) bool { return p["committers"].(int64) == 1 },
		Prepare: func(ctx context.Context, s *run.Site) (run.Subject, error) {
			shards, err := newShardSite(ctx, s)
			return &commitsSite{shards}, err
		},
	}
}

const (
	metricScans     = "scans/op"
	metricLost      = "lost-attempts/op"
	metricGivenUp   = "given-up/op"
	metricPerLanded = "requests/landed"
)

func commitsHeadline(doc *results.Document) string {
	most := run.Largest(doc, "committers")
	commits := func(r run.Reading) string { return "With " + r.Count("committers", "commit", "commits") + " at once" }
	what := "a commit on one handle takes"
	if slices.ContainsFunc(doc.Series, func(s results.Series) bool { return s.Operations[opCommit].Failed > 0 }) {
		what = "each commit that succeeds on one handle, with its share of those given up after ten attempts, takes"
	}
	return run.Claim{
		What: what, Again: "it takes", Metric: metricPerLanded,
		On: "under", Variants: []string{scanBefore, serveAfter, policySerialized}, Named: []string{"committers"},
	}.Say(run.Case{Given: commits(most), At: most}, run.Case{Given: commits(most.Least("committers")), At: most.Least("committers")})
}

const opCommit = "commit"

type commitsSite struct{ *shardSite }

// Measure implements run.Subject.
func (s *commitsSite) Measure(ctx context.Context, r *run.Recorder) error {
	setup := s.Setup(ctx)
	shard, err := s.newShard(setup, r)
	if err != nil {
		return err
	}
	store, err := shard.store("node")
	if err != nil {
		return err
	}
	claimed, err := store.ClaimEpoch(setup)
	if err != nil {
		return err
	}
	committers, rounds := int(s.Int("committers")), int(s.Config.Params.Int("rounds"))
	before := store.Stats()
	var landed atomic.Int64
	for range rounds {
		err := r.Loop(ctx, meter.PhaseSteady, load.Closed{Clients: committers, Operations: committers}, func(load.Start) run.Operation {
			return run.Operation{
				Name: opCommit,
				Do: func(ctx context.Context) error {
					_, err := store.CommitUpdate(ctx, claimed.WriterEpoch, nextGeneration)
					if err == nil {
						landed.Add(1)
					}
					return err
				},
				Tolerates: tolerableCommit,
			}
		})
		if err != nil {
			return err
		}
	}
	after := store.Stats()
	commits := float64(committers * rounds)
	scans := after.Scans - before.Scans
	r.Metrics[metricScans] = float64(scans) / commits
	r.Metrics[metricLost] = float64(after.Lost-before.Lost) / commits
	r.Metrics[metricGivenUp] = (commits - float64(landed.Load())) / commits
	if n := landed.Load(); n > 0 {
		r.Metrics[metricPerLanded] = float64(spent(r)) / float64(n)
	}
	s.compareFormula(r, scans, s.scans(shard.policy.Kind))
	return s.compareTip(setup, r, store, claimed.Version, landed.Load())
}

// nextGeneration is an update that shows how often it was made.
func nextGeneration(m manifest.Manifest) (manifest.Manifest, error) {
	next := m.Next()
	next.CurrentGeneration++
	return next, nil
}

// scans bounds the searches of all rounds (docs/facts/memwal.md §3): before the change
// one an attempt, of which a commit has ten; then one for each attempt lost, of
// which others can cause as many as they are; none where commits take turns.
func (s *commitsSite) scans(kind manifest.Kind) formula {
	n, rounds := s.Int("committers"), s.Config.Params.Int("rounds")
	const attempts = 10
	switch kind {
	case manifest.Scan:
		return formula{"searches", n * rounds, n * attempts * rounds}
	case manifest.Serve:
		return formula{"searches", 0, n * (n - 1) / 2 * rounds}
	case manifest.Serialized, manifest.Probe:
	}
	return exactly("searches", 0)
}

// checkLanded is about commits that were acknowledged.
const checkLanded = "every acknowledged commit landed once"

// compareTip books whether the manifest has as many commits more as were
// acknowledged.
func (s *commitsSite) compareTip(setup context.Context, r *run.Recorder, store *manifest.Store, from uint64, landed int64) error {
	tip, err := store.RefreshLatest(setup)
	if err != nil {
		return err
	}
	c := results.Check{Name: checkLanded, Status: results.Passed, Detail: "version and generation are as many higher as commits were acknowledged"}
	versions, generations := int64(tip.Version-from), int64(tip.CurrentGeneration)-1
	switch {
	case s.Faults != nil:
		c.Status, c.Detail = results.Skipped, "with faults, the outcome of some commits is not known"
	case versions != landed || generations != landed:
		c.Status = results.Failed
		c.Detail = fmt.Sprintf("%s at %s: %d versions and %d generations more, expected %d", r.Variant, run.PointText(s.Point), versions, generations, landed)
	}
	s.found.Add(c)
	return nil
}

// commitsFigures are the published figures that the workload measures.
func commitsFigures() []run.Figure {
	return []run.Figure{
		{
			Name: "searches for 8 commits at once", Variant: "serve", Published: 24, Metric: metricScans, At: map[string]string{"committers": "8"}, Times: "committers",
			Explained: "at most n(n−1)/2 = 28; how many of them depends on how the commits overlap, so on the time that each request takes",
		},
		{
			Name: "searches for 8 commits at once", Variant: "serialized", Published: 0, Metric: metricScans, At: map[string]string{"committers": "8"}, Times: "committers",
			Explained: "each commit hands its version to the next one",
		},
	}
}
