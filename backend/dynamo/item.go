package dynamo

import (
	"context"

	"github.com/lakebench/lakebench/backend/dynamo/attr"
	"github.com/lakebench/lakebench/backend/dynamo/rows"
	"github.com/lakebench/lakebench/units"
)

type getItemInput struct {
	itemParams
	key        attr.Item
	consistent bool
	projection *string
}

type getItemOutput struct {
	item     itemView
	found    bool
	capacity capacityMode
}

func (in *getItemInput) member(r *attr.Reader, name string) error {
	switch name {
	case "Key":
		return readItem(r, &in.key)
	case "ConsistentRead":
		return readBool(r, &in.consistent)
	case "ProjectionExpression":
		return readText(r, &in.projection)
	default:
		return in.itemParams.member(r, name)
	}
}

func (in *getItemInput) validate() *serviceError {
	if err := in.itemParams.validate(); err != nil {
		return err
	}
	return checkPresent("key", in.key)
}

func (e *Engine) getItem(_ context.Context, in *getItemInput, b *bill) (*getItemOutput, *serviceError) {
	project, err := in.compileProjection(in.projection)
	if err != nil {
		return nil, err
	}
	t, err := e.table(in.table)
	if err != nil {
		return nil, err
	}
	key, err := t.keyRow(in.key)
	if err != nil {
		return nil, err
	}
	row, found := t.get(key)
	b.read(t.name, units.Read(rowSize(row), consistency(in.consistent)))
	out := &getItemOutput{found: found, capacity: in.capacity}
	if !found {
		b.Outcome = OutcomeAbsent
		return out, nil
	}
	out.item = project.view(&stored{&t.schema, row})
	b.Evaluated = 1
	b.returned(1, out.item.size())
	return out, nil
}

// rowSize is an item's size, 0 for the empty row of an absent one.
func rowSize(row rows.Row) int64 {
	if row == "" {
		return 0
	}
	return int64(row.Size())
}

func consistency(strong bool) units.Consistency {
	if strong {
		return units.Strong
	}
	return units.Eventual
}

// ReturnValues that a request can ask for.
const (
	returnNone   = "NONE"
	returnAllOld = "ALL_OLD"
)

type putItemInput struct {
	writeParams
	item attr.Item
}

func (in *putItemInput) member(r *attr.Reader, name string) error {
	if name == "Item" {
		return readItem(r, &in.item)
	}
	return in.writeParams.member(r, name)
}

func (in *putItemInput) validate() *serviceError {
	if err := in.writeParams.validate(); err != nil {
		return err
	}
	return checkPresent("item", in.item)
}

type deleteItemInput struct {
	writeParams
	key attr.Item
}

func (in *deleteItemInput) member(r *attr.Reader, name string) error {
	if name == "Key" {
		return readItem(r, &in.key)
	}
	return in.writeParams.member(r, name)
}

func (in *deleteItemInput) validate() *serviceError {
	if err := in.writeParams.validate(); err != nil {
		return err
	}
	return checkPresent("key", in.key)
}

// writeItemOutput is the answer to a PutItem or DeleteItem.
type writeItemOutput struct {
	old      itemView
	hasOld   bool // the request asked for the old item, and there was one
	capacity capacityMode
}

func (e *Engine) putItem(_ context.Context, in *putItemInput, b *bill) (*writeItemOutput, *serviceError) {
	return e.writeItem(&in.writeParams, b, func(t *table) (write, *serviceError) { return t.put(in.item) })
}

func (e *Engine) deleteItem(_ context.Context, in *deleteItemInput, b *bill) (*writeItemOutput, *serviceError) {
	return e.writeItem(&in.writeParams, b, func(t *table) (write, *serviceError) { return t.delete(in.key) })
}

// writeItem carries out one write outside a transaction; prepare makes it. A
// write that a transaction in flight keeps out is not charged: no page says that
// it is, and unlike a failed condition it is turned away before the item is read.
func (e *Engine) writeItem(in *writeParams, b *bill, prepare func(*table) (write, *serviceError)) (*writeItemOutput, *serviceError) {
	condition, err := in.compileCondition(in.condition)
	if err != nil {
		return nil, err
	}
	t, err := e.table(in.table)
	if err != nil {
		return nil, err
	}
	w, err := prepare(t)
	if err != nil {
		return nil, err
	}
	w.condition = condition
	b.WrittenBytes += w.offered()

	old, err := e.run(&w)
	if err == nil || err.code == conditionalCheckFailed {
		b.write(t.name, units.Write(w.billed(old, err != nil, e.cfg.AbsentFailureBySize)))
	}
	if err != nil {
		if err.code == conditionalCheckFailed && in.returnOnFailure == returnAllOld && old != "" {
			err.item = &itemView{stored: stored{&t.schema, old}}
		}
		return nil, err
	}
	out := &writeItemOutput{capacity: in.capacity}
	if in.returnValues == returnAllOld && old != "" {
		out.hasOld = true
		out.old = itemView{stored: stored{&t.schema, old}}
		b.returned(1, old.Size())
	}
	return out, nil
}
