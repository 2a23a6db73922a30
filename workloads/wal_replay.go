package workloads

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/wal"
)

// reopenParams are those of the workloads that open a shard with a log.
func reopenParams(lags string) []run.Param {
	return append([]run.Param{
		{
			Name: "entries", Kind: run.Integer, Min: 1, Max: 100_000, Default: "1,8,30,64,500", Swept: true,
			Doc: "entries of the log that no generation holds, a row each",
		},
		{Name: "hint_lag", Kind: run.Integer, Min: 0, Max: 100_000, Default: lags, Swept: true, Doc: "versions that the hint lags behind the manifest"},
		{
			Name: "flushed_before", Kind: run.Switch, Default: "false",
			Doc: "whether the shard was flushed before, so that its manifest knows where the log was once",
		},
		{Name: "opens", Kind: run.Integer, Min: 1, Max: 10_000, Default: "1", Doc: "shards that are opened, in each repeat"},
	}, policyParams()...)
}

// walReplay measures what it costs to open a shard whose log has to be replayed.
func walReplay() *run.Workload {
	variants := policyVariants()
	return &run.Workload{
		Name:    "wal-replay",
		Summary: "What it costs to open a shard and replay its log, by the entries that no generation holds.",
		Version: 1,
		Variants: slices.Insert(variants, 1, run.Variant{
			Name: variantServeCursor, Doc: "the change at first: served, but replay still writes its place after every entry",
		}),
		Params:        reopenParams("0,1,10,100"),
		OnS3:          true,
		Focus:         results.Focus{X: "entries", Metrics: []string{"requests/op", "usd/op"}},
		Headline:      replayHeadline,
		Published:     replayFigures(),
		Deterministic: run.Always,
		Held:          replayHeld,
		Prepare: func(ctx context.Context, s *run.Site) (run.Subject, error) {
			shards, err := newShardSite(ctx, s)
			return &replaySite{shards}, err
		},
	}
}

// replayHeadline has probe beside the change: what probe saves depends on how far the
// hint lags.
func replayHeadline(doc *results.Document) string {
	most := run.Largest(doc, "hint_lag")
	return run.Claim{
		What: "opening a shard takes", Again: "it takes", Metric: "requests/op",
		On: "under", Variants: []string{scanBefore, serveAfter, policyProbe}, Named: []string{"entries", "hint_lag"},
	}.Say(
		run.Case{Given: "With " + toReplay(most) + " and " + hintLag(most), At: most},
		run.Case{Given: "With " + hintLag(most.Least("hint_lag")), At: most.Least("hint_lag")},
	)
}

func toReplay(r run.Reading) string {
	return r.Count("entries", "entry", "entries") + " to replay"
}

func hintLag(r run.Reading) string {
	return "a hint that lags by " + r.Count("hint_lag", "version", "versions")
}

type replaySite struct{ *shardSite }

// Measure implements run.Subject.
func (s *replaySite) Measure(ctx context.Context, r *run.Recorder) error {
	setup := s.Setup(ctx)
	for range s.Config.Params.Int("opens") {
		shard, _, rows, err := s.loggedShard(setup, r)
		if err != nil {
			return err
		}
		var next *wal.Writer
		before := spent(r)
		err = shard.once(ctx, "open", func(ctx context.Context) (err error) {
			next, err = wal.Open(ctx, shard.config("next"))
			return err
		})
		if err != nil {
			return err
		}
		if next == nil {
			continue // faults; counted as failed
		}
		s.compareFormula(r, spent(r)-before, exactly("an open", s.opening(shard)))
		got, err := next.Reader().Scan(setup)
		if err != nil {
			return err
		}
		s.compareRows(r, got, rows)
	}
	return nil
}

// loggedShard makes a shard whose log holds the point's entries, and returns who
// wrote them, and how many rows there are to read.
func (s *shardSite) loggedShard(setup context.Context, r *run.Recorder) (*measuredShard, *wal.Writer, int, error) {
	shard, err := s.newShard(setup, r)
	if err != nil {
		return nil, nil, 0, err
	}
	cfg := shard.config("first")
	w, err := wal.Open(setup, cfg)
	if err != nil {
		return nil, nil, 0, err
	}
	entries := int(s.Int("entries"))
	rows := rowsOf(0, entries+1)
	if s.flushedBefore() {
		if err := flushRows(setup, w, rows[entries:]); err != nil {
			return nil, nil, 0, err
		}
	} else {
		rows = rows[:entries]
	}
	for _, row := range rows[:entries] {
		if _, err := w.Append(setup, row); err != nil {
			return nil, nil, 0, err
		}
	}
	if err := shard.lagHint(setup, w.Epoch(), s.Int("hint_lag")); err != nil {
		return nil, nil, 0, err
	}
	return shard, w, len(rows), nil
}

func (s *shardSite) flushedBefore() bool { return s.Config.Params["flushed_before"][0].(bool) }

// opening is how many requests an open of the point's shard makes.
func (s *shardSite) opening(shard *measuredShard) int64 {
	return int64(cost.Open(shard.policy.Kind, cost.Opening{
		Entries: s.Int("entries"), HintLag: s.Int("hint_lag"), HintEvery: int64(shard.policy.HintEvery),
		FlushedBefore: s.flushedBefore(), CursorPerEntry: shard.recorder.Variant == variantServeCursor,
	}).Requests)
}

// failover measures what it takes from the claim of a shard whose writer is still
// there to the first append of the next one.
func failover() *run.Workload {
	return &run.Workload{
		Name:     "failover",
		Summary:  "Requests and time from the claim of a shard, whose writer is alive, to the next one's first append.",
		Version:  1,
		Variants: policyVariants(),
		Params:   reopenParams("0"),
		Metrics: results.Metrics{
			{
				Name: metricFirstAppend, Doc: "requests from the claim to the first acknowledged append, that one included",
				Noun: "requests to the first append", Assume: results.Exact, Better: results.LowerIsBetter, Column: results.Column{Heading: [2]string{"requests to", "1st append"}, Priority: 6},
			},
		},
		OnS3:          true,
		Focus:         results.Focus{X: "entries", Metrics: []string{metricFirstAppend, "usd/op"}},
		Headline:      failoverHeadline,
		Deterministic: run.Always,
		Held:          replayHeld,
		Prepare: func(ctx context.Context, s *run.Site) (run.Subject, error) {
			shards, err := newShardSite(ctx, s)
			return &failoverSite{shards}, err
		},
	}
}

func failoverHeadline(doc *results.Document) string {
	most := run.Largest(doc, "entries")
	least := most.Least("entries")
	return run.Claim{
		What: "the next writer needs", Again: "it needs", Metric: metricFirstAppend,
		On: "under", Variants: []string{scanBefore, serveAfter, policyProbe}, Named: []string{"entries", "hint_lag"},
	}.Say(run.Case{Given: "With " + toReplay(most) + " and " + hintLag(most), At: most}, run.Case{Given: "With " + toReplay(least), At: least})
}

const metricFirstAppend = "requests-to-first-append"

type failoverSite struct{ *shardSite }

// Measure implements run.Subject.
func (s *failoverSite) Measure(ctx context.Context, r *run.Recorder) error {
	setup := s.Setup(ctx)
	opens := s.Config.Params.Int("opens")
	for range opens {
		shard, before, rows, err := s.loggedShard(setup, r)
		if err != nil {
			return err
		}
		var next *wal.Writer
		began := spent(r)
		last := rowsOf(1_000_000, 1)
		err = shard.once(ctx, "failover", func(ctx context.Context) (err error) {
			if next, err = wal.Open(ctx, shard.config("next")); err == nil {
				_, err = next.Append(ctx, last...)
			}
			return err
		})
		if err != nil {
			return err
		}
		s.compareFormula(r, spent(r)-began, exactly("a failover", s.opening(shard)+int64(cost.Append().Requests)))
		if err := s.keptOut(setup, r, before); err != nil {
			return err
		}
		if err := s.reread(setup, shard, r, rows+1); err != nil {
			return err
		}
	}
	r.Metrics[metricFirstAppend] = float64(spent(r)) / float64(opens)
	return nil
}

// checkFenced is about the writer that was there before.
const checkFenced = "who lost the shard appends no more"

// keptOut books whether an append of the writer before is refused.
func (s *failoverSite) keptOut(setup context.Context, r *run.Recorder, before *wal.Writer) error {
	c := results.Check{Name: checkFenced, Status: results.Passed, Detail: "its next append is refused as fenced"}
	_, err := before.Append(setup, rowsOf(2_000_000, 1)...)
	switch {
	case s.Faults != nil:
		c.Status, c.Detail = results.Skipped, "with faults, possibly no node has taken the shard over"
	case !errors.Is(err, wal.ErrFenced):
		c.Status = results.Failed
		c.Detail = fmt.Sprintf("%s at %s: its append ended with %v", r.Variant, run.PointText(s.Point), err)
	}
	s.found.Add(c)
	return nil
}

// replayFigures are the published figures that the workload measures.
func replayFigures() []run.Figure {
	profile := map[string]string{"entries": "30", "hint_lag": "0"} // docs/facts/memwal.md §3
	return []run.Figure{
		{
			Name: "requests per unflushed entry", Variant: "scan", Published: 8.81, Metric: "requests/op", At: profile, Per: "entries",
			Explained: "(24 + 8K)/K for K = 30 entries (assumption): an entry is read, and its place searched for (5) and written (2)",
		},
		{
			Name: "requests per unflushed entry", Variant: "serve-cursor", Published: 4.18, Metric: "requests/op", At: profile, Per: "entries",
			Explained: "(14 + 3K)/K for K = 30 entries: an entry is read, and its place written (2). The real tailer wrote beside the reading, so some writes lost their version and were made again; " +
				"here none does. On a shard that was flushed before (flushed_before=true) an entry takes 4, since the end of the log is looked for one by one",
		},
	}
}
