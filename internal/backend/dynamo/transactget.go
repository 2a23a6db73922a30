package dynamo

import (
	"context"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/rows"
	"github.com/lakebench/lakebench/internal/units"
)

// transactGetInput is a TransactGetItems request.
type transactGetInput struct {
	gets     []transactGet
	capacity capacityMode
}

type transactGet struct {
	placeholders
	present    bool
	table      string
	key        attr.Item
	projection *string
}

func (in *transactGetInput) member(r *attr.Reader, name string) error {
	switch name {
	case "TransactItems":
		return readList(r, &in.gets, (*transactGet).member)
	case "ReturnConsumedCapacity":
		return readCapacityMode(r, &in.capacity)
	default:
		return r.Skip()
	}
}

func (g *transactGet) member(r *attr.Reader, name string) error {
	if name != "Get" {
		return r.Skip()
	}
	g.present = true
	return object(r, g.parameter)
}

func (g *transactGet) parameter(r *attr.Reader, name string) error {
	switch name {
	case "TableName":
		return readString(r, &g.table)
	case "Key":
		return readItem(r, &g.key)
	case "ProjectionExpression":
		return readText(r, &g.projection)
	default:
		return g.placeholders.member(r, name)
	}
}

func (in *transactGetInput) validate() *serviceError {
	if err := checkActionCount(len(in.gets)); err != nil {
		return err
	}
	for i := range in.gets {
		if !in.gets[i].present {
			return null("transactItems.member.get")
		}
		if err := checkTableName(in.gets[i].table); err != nil {
			return err
		}
		if err := checkPresent("transactItems.member.get.key", in.gets[i].key); err != nil {
			return err
		}
	}
	return nil
}

// transactGetOutput is the answer to a TransactGetItems: one item per get, in
// order, without a row where there is none.
type transactGetOutput struct {
	items    []itemView
	capacity capacityMode
}

func (e *Engine) transactGetItems(_ context.Context, in *transactGetInput, b *bill) (*transactGetOutput, *serviceError) {
	reads, projections, err := e.planTransactGet(in)
	if err != nil {
		return nil, err
	}
	found, reasons, conflict := readTogether(reads, e.cfg.ChecksConflict)
	bytes := int64(0)
	for i, row := range found {
		bytes += rowSize(row)
		b.read(reads[i].table.name, units.Read(rowSize(row), units.Transactional))
	}
	if conflict {
		return nil, canceled(reasons)
	}
	if bytes > units.MaxTransactBytes {
		return nil, invalid("Transaction request size has exceeded the maximum of %d bytes", units.MaxTransactBytes)
	}
	out := &transactGetOutput{items: make([]itemView, len(reads)), capacity: in.capacity}
	for i, row := range found {
		if row == "" {
			continue
		}
		out.items[i] = projections[i].view(&stored{&reads[i].table.schema, row})
		b.Evaluated++
		b.returned(1, out.items[i].size())
	}
	return out, nil
}

func (e *Engine) planTransactGet(in *transactGetInput) ([]write, []projection, *serviceError) {
	reads := make([]write, len(in.gets))
	projections := make([]projection, len(in.gets))
	var faults actionFaults
	for i := range in.gets {
		g := &in.gets[i]
		var err *serviceError
		if projections[i], err = g.compileProjection(g.projection); err != nil {
			return nil, nil, err
		}
		t, err := e.table(g.table)
		if err != nil {
			return nil, nil, err
		}
		if err := t.checkScalar(projections[i]); err != nil {
			return nil, nil, err
		}
		key, err := t.keyRow(g.key)
		if err := faults.add(i, len(reads), err); err != nil {
			return nil, nil, err
		}
		reads[i] = write{table: t, kind: writeCheck, row: key}
	}
	if faults != nil {
		return nil, nil, canceled(faults)
	}
	if !distinct(reads) {
		return nil, nil, invalid(oneItemTwice)
	}
	return reads, projections, nil
}

// readTogether reads all items at one moment. Any write of one of them that is
// in flight refuses it.
func readTogether(reads []write, checksConflict bool) ([]rows.Row, []reason, bool) {
	tables := tablesOf(reads)
	for _, t := range tables {
		t.mu.RLock()
	}
	defer func() {
		for _, t := range tables {
			t.mu.RUnlock()
		}
	}()
	found := make([]rows.Row, len(reads))
	reasons := make([]reason, len(reads))
	conflict := false
	for i := range reads {
		r := &reads[i]
		found[i], _ = r.table.rows.Get(r.row)
		if r.conflicts(checksConflict) {
			conflict = true
			reasons[i] = reason{code: reasonConflict, message: conflictMessage}
		}
	}
	return found, reasons, conflict
}

func (out *transactGetOutput) appendJSON(o *jsonObject, b *bill) {
	o.capacities(b, out.capacity, true)
	o.objects("Responses", len(out.items), func(i int) {
		if out.items[i].schema != nil {
			o.item("Item", &out.items[i])
		}
	})
}
