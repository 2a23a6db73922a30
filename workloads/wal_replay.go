package workloads

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/wal"
)

// reopenParams are those of the workloads that open a shard with a log.
func reopenParams(lags string) []Param {
	return append([]Param{
		{
			Name: "entries", Kind: Integer, Min: 1, Max: 100_000, Default: "1,8,30,64,500", Swept: true,
			Doc: "entries of the log that no generation holds, a row each",
		},
		{Name: "hint_lag", Kind: Integer, Min: 0, Max: 100_000, Default: lags, Swept: true, Doc: "versions that the hint lags behind the manifest"},
		{
			Name: "flushed_before", Kind: Switch, Default: "false",
			Doc: "whether the shard was flushed before, so that its manifest knows where the log was once",
		},
		{Name: "opens", Kind: Integer, Min: 1, Max: 10_000, Default: "1", Doc: "shards that are opened, in each repeat"},
	}, policyParams()...)
}

// walReplay measures what it costs to open a shard whose log has to be replayed.
func walReplay() *Workload {
	variants := policyVariants()
	return &Workload{
		Name:    "wal-replay",
		Summary: "What it costs to open a shard and replay its log, by the entries that no generation holds.",
		Version: 1,
		Variants: slices.Insert(variants, 1, Variant{
			variantServeCursor, "the change at first: served, but replay still writes its place after every entry",
		}),
		Params:        reopenParams("0,10,100"),
		objects:       true,
		deterministic: always,
		prepare: func(ctx context.Context, s *site) (subject, error) {
			shards, err := newShardSite(ctx, s)
			return &replaySite{shards}, err
		},
	}
}

type replaySite struct{ *shardSite }

// measure implements subject.
func (s *replaySite) measure(ctx context.Context, r *recorder) error {
	setup := s.setupContext(ctx)
	for range s.run.cfg.Params.Int("opens") {
		shard, _, rows, err := s.loggedShard(setup, r)
		if err != nil {
			return err
		}
		var next *wal.Writer
		before := r.spent()
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
		s.compareFormula(r, r.spent()-before, s.opening(r.variant))
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
func (s *shardSite) loggedShard(setup context.Context, r *recorder) (*measuredShard, *wal.Writer, int, error) {
	shard, err := s.newShard(setup, r)
	if err != nil {
		return nil, nil, 0, err
	}
	cfg := shard.config("first")
	w, err := wal.Open(setup, cfg)
	if err != nil {
		return nil, nil, 0, err
	}
	entries := int(s.int("entries"))
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
	if err := shard.lagHint(setup, w.Epoch(), s.int("hint_lag")); err != nil {
		return nil, nil, 0, err
	}
	return shard, w, len(rows), nil
}

func (s *shardSite) flushedBefore() bool { return s.run.cfg.Params["flushed_before"][0].(bool) }

// opening is what an open makes (docs/facts/memwal.md §2.1 and §2.7): the claim, whose
// search the hint's lag makes longer, and the end of the log, one by one where the
// manifest knows a part of it, else by HEAD and LIST; the sentinel; an entry each,
// the sentinel, and one that is not there; the last position. Before the change
// each entry's place was looked for and written, and before its second part
// written.
func (s *shardSite) opening(variant string) formula {
	entries, lag := s.int("entries"), s.int("hint_lag")
	if variant == manifest.Probe.String() {
		return s.probeOpening(entries, lag)
	}
	scan := 3 + 2*((lag+1)/2+1)
	findEnd := int64(2)
	if s.flushedBefore() {
		findEnd += entries
	}
	total := scan + 2 + findEnd + 1 + entries + 2
	switch variant {
	case manifest.Scan.String():
		// The claim has written the hint, so later searches find it exact.
		total += requestsOfScan + (entries+1)*(requestsOfScan+2)
	case variantServeCursor:
		total += (entries + 1) * 2
	default:
		total += 2
	}
	return exactly("an open", total)
}

// probeOpening bounds what an open makes under probe: K + 2⌈log2 K⌉ and a constant,
// and as much for the hint's lag; a hint that lags far enough behind is written.
func (s *shardSite) probeOpening(entries, lag int64) formula {
	const constant = 9
	log2 := func(n int64) int64 { return int64(bits.Len64(uint64(max(n, 1)) - 1)) }
	most := entries + 2*log2(entries) + constant
	if lag > 0 {
		most += 2*log2(lag+1) + 2
	}
	return formula{"an open", entries + constant - 2, most}
}

// failover measures what it takes from the claim of a shard whose writer is still
// there to the first append of the next one.
func failover() *Workload {
	return &Workload{
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
		objects:       true,
		deterministic: always,
		prepare: func(ctx context.Context, s *site) (subject, error) {
			shards, err := newShardSite(ctx, s)
			return &failoverSite{shards}, err
		},
	}
}

const metricFirstAppend = "requests-to-first-append"

type failoverSite struct{ *shardSite }

// measure implements subject.
func (s *failoverSite) measure(ctx context.Context, r *recorder) error {
	setup := s.setupContext(ctx)
	opens := s.run.cfg.Params.Int("opens")
	for range opens {
		shard, before, rows, err := s.loggedShard(setup, r)
		if err != nil {
			return err
		}
		var next *wal.Writer
		spent := r.spent()
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
		opening := s.opening(r.variant)
		s.compareFormula(r, r.spent()-spent, formula{"a failover", opening.least + 1, opening.most + 1})
		if err := s.keptOut(setup, r, before); err != nil {
			return err
		}
		if err := s.reread(setup, shard, r, rows+1); err != nil {
			return err
		}
	}
	r.metrics[metricFirstAppend] = float64(r.spent()) / float64(opens)
	return nil
}

// checkFenced is about the writer that was there before.
const checkFenced = "who lost the shard appends no more"

// keptOut books whether an append of the writer before is refused.
func (s *failoverSite) keptOut(setup context.Context, r *recorder, before *wal.Writer) error {
	c := results.Check{Name: checkFenced, Status: results.Passed, Detail: "its next append is refused as fenced"}
	_, err := before.Append(setup, rowsOf(2_000_000, 1)...)
	switch {
	case s.run.faults != nil:
		c.Status, c.Detail = results.Skipped, "with faults, nobody may have taken the shard over"
	case !errors.Is(err, wal.ErrFenced):
		c.Status = results.Failed
		c.Detail = fmt.Sprintf("%s at %s: its append ended with %v", r.variant, pointText(s.coordinates), err)
	}
	s.found.add(c)
	return nil
}
