package dynamo

import (
	"testing"

	"github.com/lakebench/lakebench/internal/backend/dynamo/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/rows"
)

// FuzzRestore: whatever a record holds, it is restored or refused, and the engine
// can be looked at afterwards.
func FuzzRestore(f *testing.F) {
	t := &table{name: "tbl", number: 1}
	t.partition, t.sort = keyAttribute{"k", attr.S}, keyAttribute{"r", attr.N}
	row := rows.NewRow("a", "b", 10, attr.AppendItem(nil, attr.Item{}.With("v", attr.Int(1))))
	record := t.definition()
	f.Add(record)
	f.Add(appendRow(record, t, row))
	f.Add(appendDropped(appendRow(record, t, row), t))
	f.Add((&write{table: t, kind: writeDelete, row: row}).appendChange(appendRow(record, t, row)))
	f.Add((&completed{state: &tokenState{images: []int32{1, 2}}}).appendChange(appendCreated(record, 7)))
	f.Fuzz(func(t *testing.T, record []byte) {
		e, err := New(DefaultConfig())
		if err != nil {
			t.Fatal(err)
		}
		if err := e.restore(record); err != nil {
			return
		}
		for name, table := range e.tables {
			if table.name != name || table.rows.Len() > len(record) {
				t.Errorf("table %q is called %q and has %d items", name, table.name, table.rows.Len())
			}
			table.rows.Scan(0, 1, "", func(r rows.Row) bool {
				item := stored{&table.schema, r}
				item.appendJSON(nil)
				return true
			})
		}
	})
}
