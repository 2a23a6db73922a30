package dynamo

import (
	"context"

	"github.com/lakebench/lakebench/internal/backend/dynamo/rows"
	"github.com/lakebench/lakebench/internal/units"
)

// writeItemOutput is the answer to a PutItem, DeleteItem or UpdateItem.
type writeItemOutput struct {
	attributes *itemView // of ReturnValues; nil if there are none
	capacity   capacityMode
}

func (e *Engine) putItem(_ context.Context, in *putItemInput, b *bill) (*writeItemOutput, *serviceError) {
	return e.writeItem(&in.writeParams, nil, b, func(t *table, _ update) (write, *serviceError) { return t.put(in.item) })
}

func (e *Engine) deleteItem(_ context.Context, in *deleteItemInput, b *bill) (*writeItemOutput, *serviceError) {
	return e.writeItem(&in.writeParams, nil, b, func(t *table, _ update) (write, *serviceError) { return t.delete(in.key) })
}

func (e *Engine) updateItem(_ context.Context, in *updateItemInput, b *bill) (*writeItemOutput, *serviceError) {
	return e.writeItem(&in.writeParams, in.update, b, func(t *table, u update) (write, *serviceError) { return t.change(in.key, u) })
}

// writeItem carries out one write outside a transaction; prepare makes it. A
// write that a transaction in flight keeps out is not charged: no page says that
// it is, and unlike a failed condition it is turned away before the item is read.
// Nor is an update that cannot be made.
func (e *Engine) writeItem(in *writeParams, change *string, b *bill, prepare func(*table, update) (write, *serviceError)) (*writeItemOutput, *serviceError) {
	u, condition, err := in.compileUpdate(change, in.condition)
	if err != nil {
		return nil, err
	}
	t, err := e.table(in.table)
	if err != nil {
		return nil, err
	}
	w, err := prepare(t, u)
	if err != nil {
		return nil, err
	}
	if err := t.checkScalar(condition, u); err != nil {
		return nil, err
	}
	w.condition = condition

	old, err := e.run(&w)
	b.BytesSent += w.offered()
	if err == nil || err.code == conditionalCheckFailed {
		b.write(t.name, units.Write(w.billed(old, err != nil, e.cfg.AbsentFailureBySize)))
	}
	if err != nil {
		if err.code == conditionalCheckFailed && in.returnOnFailure == returnAllOld && old != "" {
			err.item = &itemView{stored: stored{&t.schema, old}}
		}
		return nil, err
	}
	out := &writeItemOutput{capacity: in.capacity, attributes: w.returned(in.returnValues, old)}
	if out.attributes != nil {
		b.returned(1, out.attributes.size())
	}
	return out, nil
}

// returned is what a write returns of the item before or after it, nil for
// nothing.
func (w *write) returned(values string, old rows.Row) *itemView {
	schema := &w.table.schema
	switch {
	case values == returnAllOld && old != "":
		return &itemView{stored: stored{schema, old}}
	case values == returnAllNew:
		return &itemView{stored: stored{schema, w.row}}
	case w.update.parsed == nil:
		return nil
	case values == returnUpdatedOld:
		return part(schema, w.update.parsed.Touched(&stored{schema, old}))
	case values == returnUpdatedNew:
		return part(schema, w.update.parsed.Set(&stored{schema, w.row}))
	default:
		return nil
	}
}
