package dynamo

import (
	"context"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/rows"
	"github.com/lakebench/lakebench/internal/units"
)

type queryInput struct {
	pageParams
	keyCondition *string
	forward      *bool // ScanIndexForward; absent: true
}

func (in *queryInput) member(r *attr.Reader, name string) error {
	switch name {
	case "KeyConditionExpression":
		return readText(r, &in.keyCondition)
	case "ScanIndexForward":
		in.forward = new(bool)
		return readBool(r, in.forward)
	default:
		return in.pageParams.member(r, name)
	}
}

func (in *queryInput) validate() *serviceError {
	if in.keyCondition == nil {
		return invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	return in.pageParams.validate()
}

func (in *queryInput) backward() bool { return in.forward != nil && !*in.forward }

func (e *Engine) query(_ context.Context, in *queryInput, b *bill) (*pageOutput, *serviceError) {
	where, filter, project, err := in.compile()
	if err != nil {
		return nil, err
	}
	t, err := e.table(in.table)
	if err != nil {
		return nil, err
	}
	within, err := t.keyRange(where)
	if err != nil {
		return nil, err
	}
	if err := t.checkQueryFilter(filter); err != nil {
		return nil, err
	}
	if err := t.checkScalar(project); err != nil {
		return nil, err
	}
	after, err := in.startRow(t, &within)
	if err != nil {
		return nil, err
	}
	p := t.queryPage(within, after, in.backward(), in.limitOr0(), e.cfg.LastKeyOnFullFinalPage)
	b.read(t.name, units.Read(p.bytes, consistency(in.consistent)))
	return p.answer(&t.schema, &in.pageParams, filter, project, b), nil
}

func (t *table) queryPage(within rows.Range, after rows.Row, backward bool, limit int, lastKeyOnFull bool) *page {
	t.mu.RLock()
	defer t.mu.RUnlock()
	p := &page{}
	p.collect(limit, lastKeyOnFull, func(yield func(rows.Row) bool) {
		if backward {
			t.rows.Backward(within, after, yield)
		} else {
			t.rows.Forward(within, after, yield)
		}
	})
	return p
}

// startRow is the ExclusiveStartKey as a row, empty without one. The item need
// not exist any more.
func (in *queryInput) startRow(t *table, within *rows.Range) (rows.Row, *serviceError) {
	if in.start == nil {
		return "", nil
	}
	after, err := t.keyRow(in.start)
	if err != nil {
		return "", invalid("The provided starting key is invalid: %s", err.message)
	}
	if !within.Contains(after) {
		return "", invalid("The provided starting key is outside query boundaries based on provided condition")
	}
	return after, nil
}
