package migrate

import (
	"context"
	"errors"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/item"
	v2 "github.com/lakebench/lakebench/store/v2"
)

// InitOptions are how to begin.
type InitOptions struct{ DryRun bool }

// An InitReport is what init did.
type InitReport struct {
	Table   string // of v2
	Created bool   // by this call
	Plan    *Plan  // of a dry run
}

// Init makes the v2 table and its layout record, or finishes what an interrupted
// init began. If there is a v2 table with other shard counts the error is a
// *control.LayoutError.
func (m *Migrator) Init(ctx context.Context, o InitOptions) (*InitReport, error) {
	ctx = cause.With(ctx, cause.Control)
	t, err := m.check(ctx)
	if err != nil {
		return nil, err
	}
	report := &InitReport{Table: m.v2Table()}
	if o.DryRun {
		report.Plan = planInit(t, report.Table)
		return report, nil
	}
	cfg := v2.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Shards, cfg.Random, cfg.Backoff = m.cfg.Client, report.Table, m.cfg.Shards, m.stream(), m.cfg.Backoff
	switch err := v2.Create(ctx, m.cfg.Client, cfg); {
	case err == nil:
		report.Created = true
		return report, nil
	case !errors.Is(err, item.ErrTableExists):
		return nil, err
	}
	// It may be being made right now, by another init.
	if err := item.WaitActive(ctx, m.cfg.Client, v2.Schema(report.Table)); err != nil {
		return nil, err
	}
	return report, control.PutLayout(ctx, m.cfg.Client, m.sender, report.Table, m.cfg.Shards)
}
