package dynamo

import (
	"context"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/units"
)

// batchWriteInput is a BatchWriteItem request.
type batchWriteInput struct {
	writes   []batchWrite
	capacity capacityMode
}

// batchWrite is one put or delete of a batch.
type batchWrite struct {
	table       string
	put, remove bool
	item        attr.Item // of a put
	key         attr.Item // of a delete
}

func (in *batchWriteInput) member(r *attr.Reader, name string) error {
	switch name {
	case "RequestItems":
		return readTables(r, func(r *attr.Reader, table string) error {
			return r.Array(func(int) error {
				w := batchWrite{table: table}
				err := object(r, w.member)
				in.writes = append(in.writes, w)
				return err
			})
		})
	case "ReturnConsumedCapacity":
		return readCapacityMode(r, &in.capacity)
	default:
		return r.Skip()
	}
}

func (w *batchWrite) member(r *attr.Reader, name string) error {
	switch name {
	case "PutRequest":
		w.put = true
		return readMember(r, "Item", &w.item)
	case "DeleteRequest":
		w.remove = true
		return readMember(r, "Key", &w.key)
	default:
		return r.Skip()
	}
}

// readMember reads an object with one member of interest, an item.
func readMember(r *attr.Reader, want string, to *attr.Item) error {
	return object(r, func(r *attr.Reader, name string) error {
		if name == want {
			return readItem(r, to)
		}
		return r.Skip()
	})
}

func (in *batchWriteInput) validate() *serviceError {
	switch n := len(in.writes); {
	case n == 0:
		return invalid("1 validation error detected: Value at 'requestItems' failed to satisfy constraint: Member must have length greater than or equal to 1")
	case n > units.MaxBatchWriteItems:
		return invalid("Too many items requested for the BatchWriteItem call")
	}
	for i := range in.writes {
		w := &in.writes[i]
		if err := checkTableName(w.table); err != nil {
			return err
		}
		if w.put == w.remove || w.item == nil && w.key == nil {
			return invalid("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes: a write request is either a PutRequest or a DeleteRequest")
		}
	}
	return nil
}

// batchWriteOutput is the answer to a BatchWriteItem.
type batchWriteOutput struct {
	unprocessed []*batchWrite
	capacity    capacityMode
}

// planBatchWrite checks the whole batch before any of it is written. 25 items
// cannot reach the 16 MB that a batch may have (page ServiceQuotas).
func (e *Engine) planBatchWrite(in *batchWriteInput) ([]write, *serviceError) {
	writes := make([]write, 0, len(in.writes))
	for i := range in.writes {
		t, err := e.table(in.writes[i].table)
		if err != nil {
			return nil, err
		}
		w, err := in.writes[i].prepare(t)
		if err != nil {
			return nil, err
		}
		writes = append(writes, w)
	}
	if !distinct(writes) {
		return nil, invalid("Provided list of item keys contains duplicates")
	}
	return writes, nil
}

// prepare makes the write. Whatever is wrong with an item's keys, a batch has one
// message for it (captured on AWS: paritysuite/dynamodb-conformance#60).
func (w *batchWrite) prepare(t *table) (write, *serviceError) {
	if !w.put {
		return t.delete(w.key)
	}
	put, err := t.put(w.item)
	if err != nil && err.perAction {
		err = invalid(keyMismatch)
	}
	return put, err
}

// batchWriteItem makes each write by itself. A write that meets a transaction in
// flight is left unprocessed: the API reference gives BatchWriteItem no
// TransactionConflictException, and no other answer is about a part of a batch.
func (e *Engine) batchWriteItem(_ context.Context, in *batchWriteInput, b *bill) (*batchWriteOutput, *serviceError) {
	writes, err := e.planBatchWrite(in)
	if err != nil {
		return nil, err
	}
	out := &batchWriteOutput{capacity: in.capacity}
	for i := range writes {
		w := &writes[i]
		b.BytesSent += w.offered()
		old, err := e.run(w)
		if err != nil {
			out.unprocessed = append(out.unprocessed, &in.writes[i])
			continue
		}
		b.write(w.table.name, units.Write(w.billed(old, false, false)))
	}
	return out, nil
}

func (out *batchWriteOutput) appendJSON(o *jsonObject, b *bill) {
	o.object("UnprocessedItems", func() {
		for rest := out.unprocessed; len(rest) > 0; {
			n := 1
			for n < len(rest) && rest[n].table == rest[0].table {
				n++
			}
			o.key(rest[0].table)
			o.elements(n, func(i int) { rest[i].appendJSON(o) })
			rest = rest[n:]
		}
	})
	o.capacities(b, out.capacity, false)
}

// appendJSON writes the request again, for the next batch.
func (w *batchWrite) appendJSON(o *jsonObject) {
	o.begin()
	if w.put {
		o.object("PutRequest", func() { o.attributes("Item", w.item) })
	} else {
		o.object("DeleteRequest", func() { o.attributes("Key", w.key) })
	}
	o.end()
}
