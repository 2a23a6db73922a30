package migrate

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
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
	// were by the time.
	Found  *Verification
	Healed int64
	// Left are the differences that were not healed, each by itself.
	Left     []Unhealed
	Problems Problems
	Plan     *Plan // of a dry run
}

// Err returns an error if something is left to do after a repair.
func (r *RepairReport) Err() error {
	if err := r.Problems.Err("repair"); err != nil || len(r.Left) == 0 {
		return err
	}
	return r.Found.Err()
}

// An Unhealed is a difference that a repair cannot end.
type Unhealed struct {
	Key  string
	What string // is the case
	Do   string // next
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
		left, err := m.heal(ctx, d)
		switch {
		case err != nil:
			return err
		case left != nil:
			report.Left = append(report.Left, *left)
		default:
			report.Healed++
		}
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

// heal makes one record of v2 what v1 holds. What one record alone cannot be healed
// for is returned, since the others still can; an error is of all of them.
func (m *Migrator) heal(ctx context.Context, d difference) (*Unhealed, error) {
	var err error
	for range settleTries {
		if d.kind == DiffUnmigratable {
			return m.unmigratable(d), nil
		}
		err = m.sender.Transact(ctx, m.fix(d))
		var refusal *item.RefusedError
		switch {
		case err == nil:
			return nil, nil
		case errors.As(err, &refusal) && refusal.Action == 0:
			return nil, errBarrier
		case invalid(err):
			return &Unhealed{Key: d.key, What: err.Error(), Do: m.byHand(d)}, nil
		case !errors.As(err, &refusal) && !divisible(err):
			return nil, store.Failed("repair", m.v2Table(), d.key, err)
		}
		now, differs, readErr := m.look(ctx, d)
		if readErr != nil || !differs {
			return nil, readErr // another process has ended it
		}
		d = now
	}
	return &Unhealed{
		Key: d.key, What: fmt.Sprintf("gave up after %d tries, the last: %v", settleTries, err),
		Do: "run repair again once fewer writers change it",
	}, nil
}

// look reads the records of a difference again and reports whether there is still one.
func (m *Migrator) look(ctx context.Context, d difference) (difference, bool, error) {
	if d.misplaced {
		return m.misplacedAt(ctx, d.at)
	}
	pairs, err := m.readBoth(ctx, []string{d.key})
	if err != nil {
		return d, false, err
	}
	now, differs := m.difference(pairs[0])
	return now, differs, nil
}

// invalid reports whether the service takes a request for one that nothing can make
// succeed.
func invalid(err error) bool {
	var named smithy.APIError
	return errors.As(err, &named) && named.ErrorCode() == "ValidationException"
}

func (m *Migrator) unmigratable(d difference) *Unhealed {
	var do string
	switch d.unmigratable {
	case control.KeyTooLong:
		do = "delete the item in v1, and write it under a shorter key if it is still needed"
	case control.ItemTooLarge:
		do = "write a shorter value in v1, or delete the item there"
	case control.NoBinaryValue:
		do = "write a binary value in v1, or delete the item there"
	default:
		do = "remove these attributes from the item in v1, or delete it there"
	}
	return &Unhealed{
		Key: d.key, What: fmt.Sprintf("v2 cannot hold it: %s: %s", d.unmigratable, d.detail),
		Do: fmt.Sprintf("%s (aws dynamodb put-item or delete-item --table-name %s: dual nodes refuse such items), then run backfill and repair again", do, m.cfg.Table),
	}
}

// byHand is the way out where no transaction heals a record: without it, a repair
// creates it anew.
func (m *Migrator) byHand(d difference) string {
	bucket, _ := d.at.Key[keyspace.AttrBucket].(*types.AttributeValueMemberS)
	return fmt.Sprintf("delete the record in bucket %q of %s (aws dynamodb delete-item), then run repair again", bucket.Value, m.v2Table())
}

// fix is the transaction that ends a difference. Whether a misplaced record goes
// does not depend on v1.
func (m *Migrator) fix(d difference) []types.TransactWriteItem {
	value, exists := d.v1.Value()
	change := d.at.PutIf(d.v2, value)
	if !exists {
		change = d.at.DeleteIf(d.v2)
	}
	actions := []types.TransactWriteItem{m.records.BarrierAbsent(), change}
	if !d.misplaced {
		actions = append(actions, m.v1Record(d.key).Check(d.v1))
	}
	return actions
}
