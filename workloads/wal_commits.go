package workloads

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run/load"
)

// concurrentCommits measures what tasks cost that commit to a shard's manifest
// through one handle at the same time: the third finding of the seed's review.
func concurrentCommits() *Workload {
	return &Workload{
		Name:     "concurrent-commits",
		Summary:  "What n commits at once cost on one warm handle: searches, lost attempts, requests.",
		Version:  1,
		Variants: policyVariants(),
		Params: append([]Param{
			{Name: "committers", Kind: Integer, Min: 1, Max: 1024, Default: "1..32", Swept: true, Doc: "commits of a round, all at once"},
			{Name: "rounds", Kind: Integer, Min: 1, Max: 100_000, Default: "10", Doc: "rounds that are measured, in each repeat"},
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
		},
		objects: true,
		headline: func(doc *results.Document) string {
			return largest(doc, "committers").sentences("requests/op", "commit at once", "commits at once", "a commit", "takes")
		},
		published:     commitsFigures(),
		deterministic: func(p load.Point) bool { return p["committers"].(int64) == 1 },
		prepare: func(ctx context.Context, s *site) (subject, error) {
			shards, err := newShardSite(ctx, s)
			return &commitsSite{shards}, err
		},
	}
}

const (
	metricScans = "scans/op"
	metricLost  = "lost-attempts/op"
)

type commitsSite struct{ *shardSite }

// measure implements subject.
func (s *commitsSite) measure(ctx context.Context, r *recorder) error {
	setup := s.setupContext(ctx)
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
	committers, rounds := int(s.int("committers")), int(s.run.cfg.Params.Int("rounds"))
	before := store.Stats()
	var landed atomic.Int64
	for range rounds {
		err := r.loop(ctx, meter.PhaseSteady, load.Closed{Clients: committers, Operations: committers}, func(load.Start) operation {
			return operation{
				name: "commit",
				do: func(ctx context.Context) error {
					_, err := store.CommitUpdate(ctx, claimed.WriterEpoch, nextGeneration)
					if err == nil {
						landed.Add(1)
					}
					return err
				},
				tolerates: tolerableCommit,
			}
		})
		if err != nil {
			return err
		}
	}
	after := store.Stats()
	commits := float64(committers * rounds)
	scans := after.Scans - before.Scans
	r.metrics[metricScans] = float64(scans) / commits
	r.metrics[metricLost] = float64(after.Lost-before.Lost) / commits
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
	n, rounds := s.int("committers"), s.run.cfg.Params.Int("rounds")
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
func (s *commitsSite) compareTip(setup context.Context, r *recorder, store *manifest.Store, from uint64, landed int64) error {
	tip, err := store.RefreshLatest(setup)
	if err != nil {
		return err
	}
	c := results.Check{Name: checkLanded, Status: results.Passed, Detail: "version and generation are as many higher as commits were acknowledged"}
	versions, generations := int64(tip.Version-from), int64(tip.CurrentGeneration)-1
	switch {
	case s.run.faults != nil:
		c.Status, c.Detail = results.Skipped, "with faults, the outcome of some commits is not known"
	case versions != landed || generations != landed:
		c.Status = results.Failed
		c.Detail = fmt.Sprintf("%s at %s: %d versions and %d generations more, expected %d", r.variant, pointText(s.coordinates), versions, generations, landed)
	}
	s.found.add(c)
	return nil
}

// commitsFigures are the published figures that the workload measures.
func commitsFigures() []figure {
	return []figure{
		{
			name: "searches for 8 commits at once", variant: "serve", published: 24, metric: metricScans, at: map[string]string{"committers": "8"}, times: "committers",
			explained: "at most n(n−1)/2 = 28; how many of them depends on how the commits overlap, so on the time that each request takes",
		},
		{
			name: "searches for 8 commits at once", variant: "serialized", published: 0, metric: metricScans, at: map[string]string{"committers": "8"}, times: "committers",
			explained: "each commit hands its version to the next one",
		},
	}
}
