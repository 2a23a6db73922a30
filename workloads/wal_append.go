package workloads

import (
	"context"
	"github.com/lakebench/lakebench/results"
	"time"

	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/run/load"
	"github.com/lakebench/lakebench/wal"
)

// walAppend measures what it costs to append rows to a WAL, alone and in groups.
func walAppend() *run.Workload {
	return &run.Workload{
		Name:     "wal-append",
		Summary:  "What an acknowledged append costs, alone and where appends share an entry of the log.",
		Version:  1,
		Variants: policyVariants(),
		Params: append([]run.Param{
			{Name: "entries", Kind: run.Integer, Min: 1, Max: 1_000_000, Default: "1,16,500", Swept: true, Doc: "appends that are measured, in each repeat"},
			{
				Name: "group_commit", Kind: run.Integer, Min: 1, Max: 1024, Default: "1,8", Swept: true,
				Doc: "appends that share an entry, by as many clients; the last ones wait for more for 100 ms",
			},
		}, policyParams()...),
		OnS3:          true,
		Focus:         results.Focus{X: "group_commit", Metrics: []string{"requests/op", "usd/op"}},
		Headline:      appendsHeadline,
		Published:     appendFigures(),
		Deterministic: func(p load.Point) bool { return p["group_commit"].(int64) == 1 },
		Held:          groupsHeld,
		Prepare: func(ctx context.Context, s *run.Site) (run.Subject, error) {
			shards, err := newShardSite(ctx, s)
			return &appendsSite{shards}, err
		},
	}
}

// appendsHeadline names all policies: the change leaves appends as they were.
func appendsHeadline(doc *results.Document) string {
	most := run.Largest(doc, "group_commit")
	group := func(r run.Reading) string {
		return "With " + r.Count("group_commit", "append", "appends") + " to an entry of the log"
	}
	return run.Claim{
		What: "each of " + most.Count("entries", "append", "appends") + " takes", Again: "each takes", Metric: "requests/op",
		On: "under", Variants: []string{scanBefore, serveAfter, policySerialized, policyProbe}, Named: []string{"group_commit", "entries"},
	}.Say(run.Case{Given: group(most.Least("group_commit")), At: most.Least("group_commit")}, run.Case{Given: group(most), At: most})
}

type appendsSite struct{ *shardSite }

// groupWait is the tick of the public system (docs/facts/memwal.md §2.5).
const groupWait = 100 * time.Millisecond

// Measure implements run.Subject.
func (s *appendsSite) Measure(ctx context.Context, r *run.Recorder) error {
	setup := s.Setup(ctx)
	shard, err := s.newShard(setup, r)
	if err != nil {
		return err
	}
	entries, group := int(s.Int("entries")), int(s.Int("group_commit"))
	cfg := shard.config("node")
	if cfg.Group.Rows = group; group > 1 {
		cfg.Group.Wait = groupWait
	}
	w, err := wal.Open(setup, cfg)
	if err != nil {
		return err
	}
	rows := rowsOf(0, entries)
	err = r.Loop(ctx, meter.PhaseSteady, load.Closed{Clients: group, Operations: entries}, func(i load.Start) run.Operation {
		return run.Operation{Name: "append", Do: func(ctx context.Context) error {
			_, err := w.Append(ctx, rows[i.Index])
			return err
		}}
	})
	if err != nil {
		return err
	}
	// A group is not full when the machine holds one of its clients up.
	full := int64((entries + group - 1) / group)
	s.compareFormula(r, spent(r), formula{"appends", full, int64(entries)})
	return s.reread(setup, shard, r, entries)
}

// reread opens the shard anew and compares what the log has.
func (s *shardSite) reread(setup context.Context, shard *measuredShard, r *run.Recorder, rows int) error {
	w, err := wal.Open(setup, shard.config("reader"))
	if err != nil {
		return err
	}
	got, err := w.Reader().Scan(setup)
	if err != nil {
		return err
	}
	s.compareRows(r, got, rows)
	return nil
}

// appendFigures are the published figures that the workload measures.
func appendFigures() []run.Figure {
	return []run.Figure{
		{
			Name: "requests per entry", Variant: "scan", Published: 1, Metric: "requests/op", At: map[string]string{"group_commit": "1"},
			Explained: "one conditional PUT",
		},
		{
			Name: "requests per entry", Variant: "serve", Published: 1, Metric: "requests/op", At: map[string]string{"group_commit": "1"},
			Explained: "one conditional PUT",
		},
	}
}
