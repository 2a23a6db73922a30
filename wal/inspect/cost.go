package inspect

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/wal"
)

// lookAtCost counts, for each policy, what opening the shard takes and what a scan
// of its generations takes then.
func (s *shard) lookAtCost(ctx context.Context) error {
	if !s.found {
		s.Unopened = "its manifest cannot be read"
		return nil
	}
	for _, kind := range manifest.Kinds() {
		cost, err := s.rehearse(ctx, kind)
		switch {
		case err == nil:
			s.Cost[kind.String()] = cost
		case ctx.Err() != nil:
			return context.Cause(ctx)
		default:
			s.Unopened = s.whyUnopened(err)
		}
	}
	return nil
}

// whyUnopened leaves out what a problem says already, and better.
func (s *shard) whyUnopened(err error) string {
	switch {
	case errors.Is(err, manifest.ErrSealed):
		return "it is sealed: its table is being dropped"
	case len(s.Problems) > 0:
		return "what is wrong with it has to be mended first"
	}
	return err.Error()
}

// rehearse opens the shard in a copy.
func (s *shard) rehearse(ctx context.Context, kind manifest.Kind) (Cost, error) {
	stage := newRehearsal(s.copy)
	cfg := wal.DefaultConfig()
	cfg.Client, cfg.Location, cfg.Policy.Kind = stage, s.at, kind
	cfg.Random = rand.NewPCG(1, 1) // nothing else writes to the copy
	w, err := wal.Open(ctx, cfg)
	if err != nil {
		return Cost{}, err
	}
	open := stage.count()
	m, err := w.Manifest(ctx)
	if err != nil {
		return Cost{}, err
	}
	return Cost{Open: open, Read: stage.count() - open + len(m.Generations)}, w.Close(ctx)
}
