package workloads

import (
	"context"
	"github.com/lakebench/lakebench/results"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/run/load"
	"github.com/lakebench/lakebench/wal"
)

// freshRead measures what a node of a WAL pays to read the rows that are not in
// the base table yet.
func freshRead() *Workload {
	return &Workload{
		Name:     "fresh-read",
		Summary:  "What a scan of the fresh tier costs the node that holds a shard, by its L0 generations.",
		Version:  1,
		Variants: policyVariants(),
		Params: append([]Param{
			{
				Name: "generations", Kind: Integer, Min: 0, Max: 1000, Default: "0..64", Swept: true,
				Doc: "L0 generations, all of them read; what describes them is known",
			},
			{Name: "rows", Kind: Integer, Min: 1, Max: 100_000, Default: "100", Doc: "rows of a generation, 100 bytes each"},
			{Name: "reads", Kind: Integer, Min: 1, Max: 1_000_000, Default: "10", Doc: "reads that are measured, in each repeat"},
		}, policyParams()...),
		objects: true,
		headline: func(doc *results.Document) string {
			return largest(doc, "generations").sentences("requests/op", "L0 generation", "L0 generations", "a read", "takes")
		},
		published:     freshReadFigures(),
		deterministic: always,
		prepare: func(ctx context.Context, s *site) (subject, error) {
			shards, err := newShardSite(ctx, s)
			return &readSite{shards}, err
		},
	}
}

type readSite struct{ *shardSite }

// measure implements subject.
func (s *readSite) measure(ctx context.Context, r *recorder) error {
	setup := s.setupContext(ctx)
	shard, err := s.newShard(setup, r)
	if err != nil {
		return err
	}
	w, err := wal.Open(setup, shard.config("node"))
	if err != nil {
		return err
	}
	generations, rows := int(s.int("generations")), int(s.run.cfg.Params.Int("rows"))
	for g := range generations {
		if err := flushRows(setup, w, rowsOf(g*rows, rows)); err != nil {
			return err
		}
		s.progress("flushing generations", int64(g+1), int64(generations))
	}
	reader := w.Reader()
	reads := s.run.cfg.Params.Int("reads")
	err = r.loop(ctx, meter.PhaseSteady, load.Closed{Clients: 1, Operations: int(reads)}, func(load.Start) operation {
		var got []wal.Row
		return operation{
			name: "read",
			do: func(ctx context.Context) (err error) {
				got, err = reader.Scan(ctx)
				return err
			},
			after: func(context.Context) error {
				s.compareRows(r, got, generations*rows)
				return nil
			},
		}
	})
	if err != nil {
		return err
	}
	each := cost.FreshRead(shard.policy.Kind, int64(generations), 0).Requests
	s.compareFormula(r, r.spent(), exactly("reads", reads*int64(each)))
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
func freshReadFigures() []figure {
	return []figure{
		{
			name: "requests per read of 64 generations", variant: "scan", published: 5 + 64, metric: "requests/op", at: map[string]string{"generations": "64"},
			explained: "5 + N: a search of the manifest (hint, HEAD, two HEADs, body), and the data of each generation",
		},
		{
			name: "requests per read of 64 generations", variant: "serve", published: 64, metric: "requests/op", at: map[string]string{"generations": "64"},
			explained: "N: the data of each generation",
		},
	}
}
