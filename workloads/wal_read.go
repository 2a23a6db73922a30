package workloads

import (
	"context"
	"github.com/lakebench/lakebench/results"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/run/load"
	"github.com/lakebench/lakebench/wal"
)

// freshRead measures what a node of a WAL pays to read the rows that are not in
// the base table yet.
func freshRead() *run.Workload {
	return &run.Workload{
		Name:     "fresh-read",
		Summary:  "What a scan of the fresh tier costs the node that holds a shard, by its L0 generations.",
		Version:  1,
		Variants: policyVariants(),
		Params: append([]run.Param{
			{
				Name: "generations", Kind: run.Integer, Min: 0, Max: 1000, Default: "0..64", Swept: true,
				Doc: "L0 generations, all of them read; what describes them is known",
			},
			{Name: "rows", Kind: run.Integer, Min: 1, Max: 100_000, Default: "100", Doc: "rows of a generation, 100 bytes each"},
			{Name: "reads", Kind: run.Integer, Min: 1, Max: 1_000_000, Default: "10", Doc: "reads that are measured, in each repeat"},
		}, policyParams()...),
		OnS3:          true,
		Focus:         results.Focus{X: "generations", Metrics: []string{"requests/op", "usd/op"}},
		Headline:      readHeadline,
		Published:     freshReadFigures(),
		Deterministic: run.Always,
		Held:          generationsHeld,
		Prepare: func(ctx context.Context, s *run.Site) (run.Subject, error) {
			shards, err := newShardSite(ctx, s)
			return &readSite{shards}, err
		},
	}
}

func readHeadline(doc *results.Document) string {
	most := run.Largest(doc, "generations")
	generations := func(r run.Reading) string { return "With " + r.Count("generations", "L0 generation", "L0 generations") }
	return run.Claim{
		What: "a read takes", Again: "it takes", Metric: "requests/op",
		On: "under", Variants: []string{scanBefore, serveAfter}, Named: []string{"generations"},
	}.Say(run.Case{Given: generations(most), At: most}, run.Case{Given: generations(most.Least("generations")), At: most.Least("generations")})
}

type readSite struct{ *shardSite }

// Measure implements run.Subject.
func (s *readSite) Measure(ctx context.Context, r *run.Recorder) error {
	setup := s.Setup(ctx)
	shard, err := s.newShard(setup, r)
	if err != nil {
		return err
	}
	w, err := wal.Open(setup, shard.config("node"))
	if err != nil {
		return err
	}
	generations, rows := int(s.Int("generations")), int(s.Config.Params.Int("rows"))
	for g := range generations {
		if err := flushRows(setup, w, rowsOf(g*rows, rows)); err != nil {
			return err
		}
		s.Progress("flushing generations", int64(g+1), int64(generations))
	}
	reader := w.Reader()
	reads := s.Config.Params.Int("reads")
	err = r.Loop(ctx, meter.PhaseSteady, load.Closed{Clients: 1, Operations: int(reads)}, func(load.Start) run.Operation {
		var got []wal.Row
		return run.Operation{
			Name: "read",
			Do: func(ctx context.Context) (err error) {
				got, err = reader.Scan(ctx)
				return err
			},
			After: func(context.Context) error {
				s.compareRows(r, got, generations*rows)
				return nil
			},
		}
	})
	if err != nil {
		return err
	}
	each := cost.FreshRead(shard.policy.Kind, int64(generations), 0).Requests
	s.compareFormula(r, spent(r), exactly("reads", reads*int64(each)))
	return nil
}

// flushRows appends rows and flushes them to a generation.
func flushRows(ctx context.Context, w *wal.Writer, rows []wal.Row) error {
	if _, err := w.Append(ctx, rows...); err != nil {
		return err
	}
	_, err := w.Flush(ctx)
	return err
}

// freshReadFigures are the published figures that the workload measures.
func freshReadFigures() []run.Figure {
	return []run.Figure{
		{
			Name: "requests per read of 64 generations", Variant: "scan", Published: 5 + 64, Metric: "requests/op", At: map[string]string{"generations": "64"},
			Explained: "5 + N: a search of the manifest (hint, HEAD, two HEADs, body), and the data of each generation",
		},
		{
			Name: "requests per read of 64 generations", Variant: "serve", Published: 64, Metric: "requests/op", At: map[string]string{"generations": "64"},
			Explained: "N: the data of each generation",
		},
	}
}
