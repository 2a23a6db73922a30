package dynamo

import (
	"strings"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/disk"
	"github.com/lakebench/lakebench/internal/backend/dynamo/rows"
)

// FuzzRestore: whatever the entries of a directory hold, they are restored or the
// directory is refused with one line, and the engine can be looked at afterwards.
func FuzzRestore(f *testing.F) {
	t := &table{name: "tbl", number: 1}
	t.partition, t.sort = keyAttribute{"k", attr.S}, keyAttribute{"r", attr.N}
	row := rows.NewRow("a", "b", 10, attr.AppendItem(nil, attr.Item{}.With("v", attr.Int(1))))
	key, contents := row.Split()
	token := completed{completion{at: time.Unix(1, 2)}, &tokenState{images: []int32{1, 2}}}
	const definition = `{"name":"tbl","keys":[{"name":"k","kind":"S"},{"name":"r","kind":"N"}]}`
	f.Add("1", definition, key, contents, token.key(), token.record())
	f.Add("2", definition, key, contents, "t", "")
	f.Add("1", `{}`, "a", "b", token.key(), "r")
	f.Fuzz(func(t *testing.T, number, definition, key, contents, token, record string) {
		dir := t.TempDir()
		store, err := disk.Open(dir, diskFormat)
		if err != nil {
			t.Fatal(err)
		}
		put := func(bucket, key, value string) {
			if key != "" && len(key) <= 1<<15 {
				store.Append(disk.Create(bucket), disk.Put(bucket, key, value))
			}
		}
		put(tablesBucket, number, definition)
		put("items/1", key, contents)
		put(tokensBucket, token, record)
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		e, _, err := Open(DefaultConfig(), dir)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q, want one line", err)
			}
			return
		}
		for name, table := range e.tables {
			if table.name != name || table.rows.Len() > 1 {
				t.Errorf("table %q is called %q and has %d items", name, table.name, table.rows.Len())
			}
			table.rows.Scan(0, 1, "", func(r rows.Row) bool {
				item := stored{&table.schema, r}
				item.appendJSON(nil)
				return true
			})
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
}
