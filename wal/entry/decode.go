package entry

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// ErrDamaged is why a stream cannot be read: it is cut off, or is not what the
// format says.
var ErrDamaged = errors.New("damaged")

// Decode reads an object of the log. Its errors are ErrDamaged.
func Decode(data []byte) (Entry, error) {
	meta, rows, err := read(data)
	if err != nil {
		return Entry{}, err
	}
	e, err := header(meta)
	if err != nil {
		return Entry{}, err
	}
	switch {
	case e.Sentinel && len(rows) > 0:
		return Entry{}, damaged("a fence sentinel with %d rows; it has none", len(rows))
	case !e.Sentinel && len(rows) == 0:
		return Entry{}, damaged("no rows; only a fence sentinel has none")
	}
	e.Rows = rows
	return e, nil
}

// DecodeRows reads what EncodeRows has written. Its errors are ErrDamaged.
func DecodeRows(data []byte) ([]Row, error) {
	meta, rows, err := read(data)
	if err == nil && meta.Len() > 0 {
		err = damaged("metadata %q, which data of lakebench does not have", meta.Keys()[0])
	}
	return rows, err
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// header reads the metadata of an entry.
func header(meta arrow.Metadata) (Entry, error) {
	var e Entry
	seen := map[string]bool{}
	for i, key := range meta.Keys() {
		if seen[key] {
			return Entry{}, damaged("metadata %q is there twice", key)
		}
		seen[key] = true
		var err error
		switch value := meta.Values()[i]; key {
		case metaWriterEpoch:
			e.WriterEpoch, err = positive(key, value)
		case metaGeneration:
			e.Generation, err = positive(key, value)
		case metaSentinel:
			if e.Sentinel = value == "true"; !e.Sentinel {
				err = damaged("metadata %s is %q, expected \"true\"", key, value)
			}
		default:
			err = damaged("metadata %q is unknown to this version, and may change what the rows mean", key)
		}
		if err != nil {
			return Entry{}, err
		}
	}
	if !seen[metaWriterEpoch] {
		return Entry{}, damaged("no metadata %s, which says who wrote the entry", metaWriterEpoch)
	}
	return e, nil
}

func positive(key, text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 || strconv.FormatUint(n, 10) != text {
		return 0, damaged("metadata %s is %q, expected a number from 1", key, text)
	}
	return n, nil
}

// endOfStream ends every stream (Arrow Columnar Format, "IPC Streaming Format").
// The library takes the end of the bytes for it as well, so a stream cut between
// two batches would pass.
var endOfStream = []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}

// read reads a stream of rows with its metadata.
func read(data []byte) (arrow.Metadata, []Row, error) {
	none := arrow.Metadata{}
	if !bytes.HasSuffix(data, endOfStream) {
		return none, nil, damaged("%d bytes that do not end as an Arrow stream ends; it is cut off, or something else", len(data))
	}
	src := bytes.NewReader(data)
	// No part of a stream is longer than all of it: a damaged length must not
	// allocate gigabytes.
	limit := int64(len(data))
	messages := ipc.NewMessageReader(src, ipc.WithMetadataSizeLimit(limit), ipc.WithBodySizeLimit(limit))
	defer messages.Release()
	r, err := ipc.NewReaderFromMessageReader(messages)
	if err != nil {
		return none, nil, damaged("%v", err)
	}
	defer r.Release()
	columns, err := columnsOf(r.Schema())
	if err != nil {
		return none, nil, err
	}
	var rows []Row
	for r.Next() {
		more, err := columns.rows(r.RecordBatch())
		if err != nil {
			return none, nil, err
		}
		rows = append(rows, more...)
	}
	if err := r.Err(); err != nil && !errors.Is(err, io.EOF) {
		return none, nil, damaged("%v", err)
	}
	if src.Len() > 0 {
		return none, nil, damaged("%d bytes after the end of the stream", src.Len())
	}
	return r.Schema().Metadata(), rows, nil
}

// columns are the places of what a row is made of; -1 where there is none.
type columns struct{ key, value, tombstone int }

// columnsOf finds the columns by what the schema says of them: the key by its
// mark, the tombstone by its name, and one more is the value.
func columnsOf(schema *arrow.Schema) (columns, error) {
	c := columns{-1, -1, -1}
	for i, f := range schema.Fields() {
		switch _, isKey := f.Metadata.GetValue(metaKeyPosition); {
		case isKey && c.key < 0 && f.Type.ID() == arrow.STRING:
			c.key = i
		case !isKey && f.Name == columnTombstone && c.tombstone < 0 && f.Type.ID() == arrow.BOOL:
			c.tombstone = i
		case !isKey && f.Name != columnTombstone && c.value < 0 && (f.Type.ID() == arrow.STRING || f.Type.ID() == arrow.BINARY):
			c.value = i
		default:
			return c, damaged("column %q of type %s; expected are one key of type utf8, one value of type utf8 or binary, and %s", f.Name, f.Type, columnTombstone)
		}
	}
	if c.key < 0 && schema.NumFields() > 0 {
		return c, damaged("no column is marked as the key (%s)", metaKeyPosition)
	}
	return c, nil
}

// rows copies a batch's rows.
func (c columns) rows(batch arrow.RecordBatch) ([]Row, error) {
	if c.key < 0 || batch.NumRows() == 0 {
		return nil, damaged("a batch without rows")
	}
	keys := batch.Column(c.key).(*array.String)
	rows := make([]Row, batch.NumRows())
	for i := range rows {
		if keys.IsNull(i) {
			return nil, damaged("row %d has no key", i)
		}
		rows[i].Key = string([]byte(keys.Value(i)))
	}
	if c.tombstone >= 0 {
		marks := batch.Column(c.tombstone).(*array.Boolean)
		for i := range rows {
			rows[i].Tombstone = marks.IsValid(i) && marks.Value(i)
		}
	}
	if c.value < 0 {
		return rows, nil
	}
	values := batch.Column(c.value)
	for i := range rows {
		if values.IsValid(i) {
			rows[i].Value = bytesAt(values, i)
		}
	}
	return rows, nil
}

func bytesAt(values arrow.Array, i int) []byte {
	if v, ok := values.(*array.Binary); ok {
		return append([]byte{}, v.Value(i)...)
	}
	return []byte(values.(*array.String).Value(i))
}
