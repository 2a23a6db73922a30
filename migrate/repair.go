package migrate

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
)

// RepairOptions are how to repair.
type RepairOptions struct {
	Examples int // as in VerifyOptions
	DryRun   bool
}

// DefaultRepairOptions name ten keys of each kind.
func DefaultRepairOptions() RepairOptions {
	return RepairOptions{Examples: DefaultVerifyOptions().Examples}
}

// A RepairReport is what a repair found and did.
type RepairReport struct {
	// Found is what differed, Healed how many of those were made equal to v1, or
	// were by the time. What is left cannot be in v2.
	Found    *Verification
	Healed   int64
	Problems Problems
	Plan     *Plan // of a dry run
}

// Repair makes v2 what v1 is, at any time before the barrier
// (docs/spec/metadata-store.md §5): each fix is one transaction that checks the v1
// value, the v2 value it replaces, and that the barrier is absent.
func (m *Migrator) Repair(ctx context.Context, o RepairOptions) (*RepairReport, error) {
	const verb = "repair"
	if err := (VerifyOptions{Examples: o.Examples}).Validate(); err != nil {
		return nil, err
	}
	ctx = cause.With(ctx, cause.Backfill)
	t, err := m.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := m.notFinalizing(ctx, verb); err != nil {
		return nil, err
	}
	if o.DryRun {
		found, err := m.compare(ctx, t, o.Examples, nil)
		return &RepairReport{Found: found, Plan: planRepair(found)}, err
	}
	report := &RepairReport{}
	report.Found, err = m.compare(ctx, t, o.Examples, func(ctx context.Context, d difference) error {
		if d.kind == DiffUnmigratable {
			return nil
		}
		if err := m.heal(ctx, d); err != nil {
			return err
		}
		report.Healed++
		return nil
	})
	if err != nil {
		return nil, m.explain(ctx, verb, err)
	}
	c := &converger{Migrator: m, size: newBatchSize(1), workers: 1, pace: newPacer(ctx, 0)}
	if err := c.solve(ctx); err != nil {
		return nil, m.explain(ctx, verb, err)
	}
	report.Problems, err = m.problems(ctx)
	return report, err
}

// heal makes one record of v2 what v1 holds.
func (m *Migrator) heal(ctx context.Context, d difference) error {
	var err error
	for range settleTries {
		err = m.sender.Transact(ctx, m.fix(d))
		var refusal *item.RefusedError
		switch {
		case err == nil:
			return nil
		case errors.As(err, &refusal) && refusal.Action == 0:
			return errBarrier
		case !errors.As(err, &refusal) && !divisible(err):
			return store.Failed("repair", m.v2Table(), d.key, err)
		}
		pairs, readErr := m.readBoth(ctx, []string{d.key})
		if readErr != nil {
			return readErr
		}
		now, differs := m.difference(pairs[0])
		if d.misplaced || !differs || now.kind == DiffUnmigratable {
			return nil // another process has ended it, or it is another one by now
		}
		d = now
	}
	return store.Failed("repair", m.v2Table(), d.key, fmt.Errorf("gave up after %d tries, the last: %w", settleTries, err))
}

// fix is the transaction that ends a difference. Whether a misplaced record goes
// does not depend on v1.
func (m *Migrator) fix(d difference) []types.TransactWriteItem {
	value, exists := d.v1.Value()
	change := d.at.Put(d.v2, value)
	if !exists {
		change = d.at.Delete(d.v2)
	}
	actions := []types.TransactWriteItem{m.records.BarrierAbsent(), change}
	if !d.misplaced {
		actions = append(actions, m.v1Record(d.key).Check(d.v1))
	}
	return actions
}
