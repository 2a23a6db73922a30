package dynamo

import (
	"context"
	"slices"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/rows"
	"github.com/lakebench/lakebench/internal/units"
)

// batchGetInput is a BatchGetItem request.
type batchGetInput struct {
	tables   []batchGetTable
	capacity capacityMode
}

// batchGetTable is what the request wants of one table.
type batchGetTable struct {
	placeholders
	name       string
	keys       []attr.Item
	consistent bool
	projection *string
}

func (in *batchGetInput) member(r *attr.Reader, name string) error {
	switch name {
	case "RequestItems":
		return readTables(r, func(r *attr.Reader, table string) error {
			t := batchGetTable{name: table}
			err := object(r, t.member)
			in.tables = append(in.tables, t)
			return err
		})
	case "ReturnConsumedCapacity":
		return readCapacityMode(r, &in.capacity)
	default:
		return r.Skip()
	}
}

func (t *batchGetTable) member(r *attr.Reader, name string) error {
	switch name {
	case "Keys":
		return r.Array(func(int) error {
			key, err := r.Item()
			t.keys = append(t.keys, key)
			return err
		})
	case "ConsistentRead":
		return readBool(r, &t.consistent)
	case "ProjectionExpression":
		return readText(r, &t.projection)
	default:
		return t.placeholders.member(r, name)
	}
}

func (in *batchGetInput) validate() *serviceError {
	if len(in.tables) == 0 {
		return invalid("1 validation error detected: Value at 'requestItems' failed to satisfy constraint: Member must have length greater than or equal to 1")
	}
	keys := 0
	for i := range in.tables {
		t := &in.tables[i]
		if err := checkTableName(t.name); err != nil {
			return err
		}
		if len(t.keys) == 0 {
			return invalid("1 validation error detected: Value at 'requestItems.%s.member.keys' failed to satisfy constraint: Member must have length greater than or equal to 1", t.name)
		}
		keys += len(t.keys)
	}
	if keys > units.MaxBatchGetItems {
		return invalid("Too many items requested for the BatchGetItem call")
	}
	return nil
}

// batchGetOutput is the answer to a BatchGetItem.
type batchGetOutput struct {
	tables      []batchGetAnswer
	unprocessed []*batchGetTable
	capacity    capacityMode
}

type batchGetAnswer struct {
	name  string
	items []itemView
}

// batchGetPlan is a table's part of the request, checked.
type batchGetPlan struct {
	in      *batchGetTable
	table   *table
	project projection
	keys    []rows.Row
}

func (e *Engine) planBatchGet(in *batchGetTable) (*batchGetPlan, *serviceError) {
	project, err := in.compileProjection(in.projection)
	if err != nil {
		return nil, err
	}
	t, err := e.table(in.name)
	if err != nil {
		return nil, err
	}
	if err := t.checkScalar(project); err != nil {
		return nil, err
	}
	plan := &batchGetPlan{in: in, table: t, project: project}
	for _, k := range in.keys {
		key, err := t.keyRow(k)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(plan.keys, key.SameKey) {
			return nil, invalid("Provided list of item keys contains duplicates")
		}
		plan.keys = append(plan.keys, key)
	}
	return plan, nil
}

func (e *Engine) batchGetItem(_ context.Context, in *batchGetInput, b *bill) (*batchGetOutput, *serviceError) {
	plans := make([]*batchGetPlan, len(in.tables))
	for i := range in.tables {
		plan, err := e.planBatchGet(&in.tables[i])
		if err != nil {
			return nil, err
		}
		plans[i] = plan
	}
	out := &batchGetOutput{capacity: in.capacity}
	left := int64(units.MaxBatchGetBytes)
	for _, plan := range plans {
		out.add(plan.run(&left, b))
	}
	return out, nil
}

// run reads the table's items, each of them charged by itself, until the answer
// has left bytes no more; the keys not reached are left for another request.
func (p *batchGetPlan) run(left *int64, b *bill) (answer batchGetAnswer, rest *batchGetTable) {
	answer.name = p.table.name
	c := consistency(p.in.consistent)
	for i, key := range p.keys {
		row, found := p.table.get(key)
		size := rowSize(row)
		if size > *left {
			unread := *p.in
			unread.keys = p.in.keys[i:]
			*left = 0
			return answer, &unread
		}
		*left -= size
		b.read(p.table.name, units.Read(size, c))
		if !found {
			continue
		}
		view := p.project.view(&stored{&p.table.schema, row})
		b.Evaluated++
		b.returned(1, view.size())
		answer.items = append(answer.items, view)
	}
	return answer, nil
}

func (out *batchGetOutput) add(answer batchGetAnswer, rest *batchGetTable) {
	out.tables = append(out.tables, answer)
	if rest != nil {
		out.unprocessed = append(out.unprocessed, rest)
	}
}

func (out *batchGetOutput) appendJSON(o *jsonObject, b *bill) {
	o.object("Responses", func() {
		for i := range out.tables {
			o.key(out.tables[i].name)
			o.elements(len(out.tables[i].items), func(j int) { o.dst = out.tables[i].items[j].appendJSON(o.dst) })
		}
	})
	o.object("UnprocessedKeys", func() {
		for _, t := range out.unprocessed {
			o.key(t.name)
			o.begin()
			t.appendJSON(o)
			o.end()
		}
	})
	o.capacities(b, out.capacity, false)
}

// appendJSON writes the table's part of a request again, for the next one.
func (t *batchGetTable) appendJSON(o *jsonObject) {
	o.array("Keys", len(t.keys), func(i int) { o.dst = t.keys[i].AppendJSON(o.dst) })
	if t.consistent {
		o.bool("ConsistentRead", true)
	}
	if t.projection != nil {
		o.string("ProjectionExpression", *t.projection)
	}
	if t.names != nil {
		o.object("ExpressionAttributeNames", func() {
			for _, n := range t.names {
				o.key(n.Placeholder)
				o.dst = attr.AppendQuoted(o.dst, n.Attribute)
			}
		})
	}
}
