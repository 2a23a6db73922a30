package entry_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/wal/entry"
)

// keyMark is the metadata that marks the key's column.
const keyMark = "lance-schema:unenforced-primary-key:position"

// TestTheBytesAreArrows: what is written is, byte for byte, what Arrow's own
// library writes for the same rows.
func TestTheBytesAreArrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t, rapid.SampledFrom([]int{1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 511, 512, 513, 600}).Draw(t, "rows"))
		meta, values := []string{"writer_epoch"}, []string{"3"}
		e := entry.Entry{WriterEpoch: 3, Rows: rows}
		if e.Generation = rapid.Uint64().Draw(t, "generation"); e.Generation > 0 {
			meta, values = append(meta, "generation"), append(values, fmt.Sprint(e.Generation))
		}
		got, err := entry.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		want := arrowStream(t, arrow.NewMetadata(meta, values), rowSchema(true), [][]entry.Row{rows})
		if !bytes.Equal(got, want) {
			t.Fatalf("%d rows: %d bytes, Arrow's have %d:\n%x\n%x", len(rows), len(got), len(want), got, want)
		}
		data, err := entry.EncodeRows(rows)
		if err != nil || !bytes.Equal(data, arrowStream(t, arrow.Metadata{}, rowSchema(true), [][]entry.Row{rows})) {
			t.Fatalf("data of %d rows is not Arrow's (%v)", len(rows), err)
		}
	})
	sentinel, err := entry.Encode(entry.Entry{WriterEpoch: 9, Generation: 4, Sentinel: true})
	want := arrowStream(t, arrow.NewMetadata([]string{"writer_epoch", "generation", "fence_sentinel"}, []string{"9", "4", "true"}), nil, nil)
	if err != nil || !bytes.Equal(sentinel, want) {
		t.Errorf("a sentinel is not Arrow's (%v)", err)
	}
}

// TestReadsWhatArrowWrites: several batches, columns in another order, without
// tombstones, with values that are strings.
func TestReadsWhatArrowWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := rowSchema(rapid.Bool().Draw(t, "binary values"))
		if rapid.Bool().Draw(t, "no tombstones") {
			fields = fields[:2]
		}
		fields = rapid.Permutation(fields).Draw(t, "columns")
		var want []entry.Row
		batches := make([][]entry.Row, rapid.IntRange(1, 3).Draw(t, "batches"))
		for i := range batches {
			batches[i] = drawRows(t, rapid.IntRange(1, 70).Draw(t, "rows"))
			for _, r := range batches[i] {
				r.Tombstone = r.Tombstone && len(fields) == 3
				want = append(want, r)
			}
		}
		got, err := entry.DecodeRows(arrowStream(t, arrow.Metadata{}, fields, batches))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestRefusesWhatItDoesNotRead: what Arrow allows and this package does not read is
// refused by name, never misread.
func TestRefusesWhatItDoesNotRead(t *testing.T) {
	rows := [][]entry.Row{{{Key: "a", Value: bytes.Repeat([]byte("1"), 1000)}}}
	for want, data := range map[string][]byte{
		"compressed":      arrowStream(t, arrow.Metadata{}, rowSchema(true), rows, ipc.WithZstd()),
		"column \"more\"": arrowStream(t, arrow.Metadata{}, append(rowSchema(true), arrow.Field{Name: "more", Type: arrow.PrimitiveTypes.Int64}), nil),
		"dictionary": arrowStream(t, arrow.Metadata{}, []arrow.Field{{
			Name: "id", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
		}}, nil),
	} {
		if _, err := entry.DecodeRows(data); !errors.Is(err, entry.ErrDamaged) || !bytes.Contains([]byte(err.Error()), []byte(want)) {
			t.Errorf("%v, expected ErrDamaged that tells of %s", err, want)
		}
	}
}

// FuzzBesideArrow: whatever is read is what Arrow's own library reads.
func FuzzBesideArrow(f *testing.F) {
	for _, n := range []int{1, 9} {
		var rows []entry.Row
		for i := range n {
			rows = append(rows, entry.Row{Key: fmt.Sprint("key", i), Value: []byte{byte(i)}, Tombstone: i%3 == 1})
		}
		if n > 1 {
			rows[1].Value = nil
		}
		data, err := entry.EncodeRows(rows)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(arrowStream(f, arrow.Metadata{}, rowSchema(false), [][]entry.Row{rows, rows}))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := entry.DecodeRows(data)
		if err != nil {
			if !errors.Is(err, entry.ErrDamaged) {
				t.Fatalf("%v is no ErrDamaged", err)
			}
			return
		}
		want, err := arrowRows(data)
		if err != nil {
			t.Fatalf("read %d rows; Arrow: %v", len(got), err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func drawRows(t *rapid.T, n int) []entry.Row {
	nulls := rapid.SampledFrom([]int{0, 2, 100}).Draw(t, "percent of nulls")
	rows := make([]entry.Row, n)
	for i := range rows {
		rows[i] = entry.Row{Key: rapid.StringN(0, 3, 12).Draw(t, "key"), Tombstone: rapid.Bool().Draw(t, "tombstone")}
		if rapid.IntRange(1, 100).Draw(t, "percent") > nulls {
			rows[i].Value = append([]byte{}, rapid.StringN(0, 3, 12).Draw(t, "value")...)
		}
	}
	return rows
}

// rowSchema is that of entries.
func rowSchema(binary bool) []arrow.Field {
	value := arrow.DataType(arrow.BinaryTypes.String)
	if binary {
		value = arrow.BinaryTypes.Binary
	}
	return []arrow.Field{
		{Name: "id", Type: arrow.BinaryTypes.String, Metadata: arrow.NewMetadata([]string{keyMark}, []string{"1"})},
		{Name: "v", Type: value, Nullable: true},
		{Name: "_tombstone", Type: arrow.FixedWidthTypes.Boolean},
	}
}

// arrowStream is what Arrow's library writes.
func arrowStream(t rapid.TB, meta arrow.Metadata, fields []arrow.Field, batches [][]entry.Row, options ...ipc.Option) []byte {
	var out bytes.Buffer
	schema := arrow.NewSchema(fields, &meta)
	w := ipc.NewWriter(&out, append(options, ipc.WithSchema(schema))...)
	for _, rows := range batches {
		batch := arrowBatch(schema, rows)
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
		batch.Release()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func arrowBatch(schema *arrow.Schema, rows []entry.Row) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Reserve(len(rows))
	for _, r := range rows {
		for i, f := range schema.Fields() {
			switch column := b.Field(i).(type) {
			case *array.BooleanBuilder:
				column.Append(r.Tombstone)
			case *array.BinaryBuilder:
				if r.Value == nil {
					column.AppendNull()
				} else {
					column.Append(r.Value)
				}
			case *array.StringBuilder:
				switch {
				case f.Name == "id":
					column.Append(r.Key)
				case r.Value == nil:
					column.AppendNull()
				default:
					column.Append(string(r.Value))
				}
			}
		}
	}
	return b.NewRecordBatch()
}

// arrowRows reads a stream with Arrow's library; its columns are in the order of
// their types or names.
func arrowRows(data []byte) (rows []entry.Row, err error) {
	limit := int64(len(data))
	messages := ipc.NewMessageReader(bytes.NewReader(data), ipc.WithMetadataSizeLimit(limit), ipc.WithBodySizeLimit(limit))
	defer messages.Release()
	r, err := ipc.NewReaderFromMessageReader(messages)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	for r.Next() {
		batch := r.RecordBatch()
		from := len(rows)
		rows = append(rows, make([]entry.Row, batch.NumRows())...)
		for c, f := range batch.Schema().Fields() {
			_, key := f.Metadata.GetValue(keyMark)
			for i := range int(batch.NumRows()) {
				set(&rows[from+i], batch.Column(c), i, key)
			}
		}
	}
	if err := r.Err(); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return rows, nil
}

func set(row *entry.Row, column arrow.Array, i int, key bool) {
	if column.IsNull(i) {
		return
	}
	switch column := column.(type) {
	case *array.Boolean:
		row.Tombstone = column.Value(i)
	case *array.Binary:
		row.Value = append([]byte{}, column.Value(i)...)
	case *array.String:
		if key {
			row.Key = column.Value(i)
		} else {
			row.Value = []byte(column.Value(i))
		}
	}
}
