package dynamo

import (
	"context"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/rows"
	"github.com/lakebench/lakebench/internal/units"
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
	if err := t.checkScalar(project); err != nil {
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
	returnNone       = "NONE"
	returnAllOld     = "ALL_OLD"
	returnAllNew     = "ALL_NEW"
	returnUpdatedOld = "UPDATED_OLD"
	returnUpdatedNew = "UPDATED_NEW"
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
	if err := in.returnsOld(); err != nil {
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
	if err := in.returnsOld(); err != nil {
		return err
	}
	return checkPresent("key", in.key)
}

type updateItemInput struct {
	writeParams
	key    attr.Item
	update *string
}

func (in *updateItemInput) member(r *attr.Reader, name string) error {
	switch name {
	case "Key":
		return readItem(r, &in.key)
	case "UpdateExpression":
		return readText(r, &in.update)
	default:
		return in.writeParams.member(r, name)
	}
}

func (in *updateItemInput) validate() *serviceError {
	if err := in.writeParams.validate(); err != nil {
		return err
	}
	return checkPresent("key", in.key)
}
