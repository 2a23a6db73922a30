package dynamo

import (
	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/rows"
	"github.com/lakebench/lakebench/internal/units"
)

// A write is what a request or a transaction's action wants to do to one item.
type write struct {
	table *table
	kind  writeKind
	// row is the new item of a put, and of an update once it is made, otherwise
	// the item's key.
	row       rows.Row
	condition condition
	update    update
	key       attr.Item // of an update
}

type writeKind int

const (
	writePut writeKind = iota
	writeDelete
	writeCheck // ConditionCheck: changes nothing
	writeUpdate
)

func (t *table) put(item attr.Item) (write, *serviceError) {
	row, err := t.itemRow(item)
	return write{table: t, kind: writePut, row: row}, err
}

func (t *table) delete(key attr.Item) (write, *serviceError) {
	row, err := t.keyRow(key)
	return write{table: t, kind: writeDelete, row: row}, err
}

func (t *table) change(key attr.Item, u update) (write, *serviceError) {
	row, err := t.keyRow(key)
	if err == nil {
		err = t.checkUpdate(u)
	}
	return write{table: t, kind: writeUpdate, row: row, update: u, key: key}, err
}

// offered is the size of the item that the write would store; for an update that
// shows when it is made.
func (w *write) offered() int64 {
	if w.kind == writePut || w.kind == writeUpdate {
		return int64(w.row.Size())
	}
	return 0
}

// evaluate makes the new item of an update from the one before, empty if there is
// none. What cannot be made is the fault of the action, in a transaction.
func (w *write) evaluate(old rows.Row) *serviceError {
	if w.kind != writeUpdate {
		return nil
	}
	before := stored{&w.table.schema, old}
	item := w.key
	if old != "" {
		item = before.item()
	} else {
		before.row = w.row // an item that the update creates has its key already
	}
	if w.update.parsed != nil {
		var err error
		if item, err = w.update.parsed.Apply(item, &before); err != nil {
			return mismatch("%s", err.Error())
		}
	}
	if item.Size() > units.MaxItemBytes {
		return mismatch("Item size to update has exceeded the maximum allowed size")
	}
	row, err := w.table.itemRow(item)
	if err == nil {
		w.row = row
	}
	return err
}

// billed is how many bytes the write is charged for: the larger of the item
// before and after (CapacityUnitCalculations), also when the condition failed
// (WorkingWithItems, "Conditional writes"). old is empty if there was no item.
func (w *write) billed(old rows.Row, failed, absentBySize bool) int64 {
	if failed && old == "" && !absentBySize {
		return 0 // the minimum
	}
	return max(rowSize(old), w.offered())
}

// run carries the write out alone, against transactions in flight. It returns
// the item as it was before.
func (e *Engine) run(w *write) (old rows.Row, err *serviceError) {
	t := w.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, busy := t.held[w.row.Identity()]; busy {
		return "", &serviceError{code: transactionConflict, message: conflictMessage}
	}
	old, _ = t.rows.Get(w.row)
	if !w.condition.holds(&stored{&t.schema, old}) {
		return old, &serviceError{code: conditionalCheckFailed, message: conditionMessage}
	}
	if err := w.evaluate(old); err != nil {
		return old, err
	}
	w.apply()
	e.persistWrites([]write{*w}, completed{})
	return old, nil
}

// apply changes the table, whose lock the caller holds.
func (w *write) apply() {
	switch w.kind {
	case writePut, writeUpdate:
		w.table.rows.Set(w.row)
	case writeDelete:
		w.table.rows.Delete(w.row)
	case writeCheck:
	}
}

// distinct reports whether no two of writes are on one item. Requests have few
// writes, most of them two or three.
func distinct(writes []write) bool {
	for i := range writes {
		for j := range i {
			if writes[i].table == writes[j].table && writes[i].row.SameKey(writes[j].row) {
				return false
			}
		}
	}
	return true
}
