package workloads

import (
	"context"
	"github.com/lakebench/lakebench/results"
	"time"

	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/run/load"
	"github.com/lakebench/lakebench/wal"
)

// walAppend measures what it costs to append rows to a WAL, alone and in groups.
func walAppend() *Workload {
	return &Workload{
		Name:     "wal-append",
		Summary:  "What an acknowledged append costs, alone and where appends share an entry of the log.",
		Version:  1,
		Variants: policyVariants(),
		Params: append([]Param{
			{Name: "entries", Kind: Integer, Min: 1, Max: 1_000_000, Default: "1,16,500", Swept: true, Doc: "appends that are measured, in each repeat"},
			{
				Name: "group_commit", Kind: Integer, Min: 1, Max: 1024, Default: "1,8", Swept: true,
				Doc: "appends that share an entry, by as many clients; the last ones wait for more for 100 ms",
			},
		}, policyParams()...),
		objects: true,
		headline: func(doc *results.Document) string {
			return largest(doc, "group_commit").sentences("requests/op", "append in an entry", "appends in an entry", "an append", "takes")
		},
		published:     appendFigures(),
		deterministic: func(p load.Point) bool { return p["group_commit"].(int64) == 1 },
		prepare: func(ctx context.Context, s *site) (subject, error) {
			shards, err := newShardSite(ctx, s)
			return &appendsSite{shards}, err
		},
	}
}

type appendsSite struct{ *shardSite }

// groupWait is the tick of the public system (docs/facts/memwal.md §2.5).
const groupWait = 100 * time.Millisecond

// measure implements subject.
func (s *appendsSite) measure(ctx context.Context, r *recorder) error {
	setup := s.setupContext(ctx)
	shard, err := s.newShard(setup, r)
	if err != nil {
		return err
	}
	entries, group := int(s.int("entries")), int(s.int("group_commit"))
	cfg := shard.config("node")
	if cfg.Group.Rows = group; group > 1 {
		cfg.Group.Wait = groupWait
	}
	w, err := wal.Open(setup, cfg)
	if err != nil {
		return err
	}
	rows := rowsOf(0, entries)
	err = r.loop(ctx, meter.PhaseSteady, load.Closed{Clients: group, Operations: entries}, func(i load.Start) operation {
		return operation{name: "append", do: func(ctx context.Context) error {
			_, err := w.Append(ctx, rows[i.Index])
			return err
		}}
	})
	if err != nil {
		return err
	}
	// A group is not full when the machine holds one of its clients up.
	full := int64((entries + group - 1) / group)
	s.compareFormula(r, r.spent(), formula{"appends", full, int64(entries)})
	return s.reread(setup, shard, r, entries)
}

// reread opens the shard anew and compares what the log has.
func (s *shardSite) reread(setup context.Context, shard *measuredShard, r *recorder, rows int) error {
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
func appendFigures() []figure {
	return []figure{
		{
			name: "requests per entry", variant: "scan", published: 1, metric: "requests/op", at: map[string]string{"group_commit": "1"},
			explained: "one conditional PUT",
		},
		{
			name: "requests per entry", variant: "serve", published: 1, metric: "requests/op", at: map[string]string{"group_commit": "1"},
			explained: "one conditional PUT",
		},
	}
}
