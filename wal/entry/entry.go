// Package entry is the content of one object of a write-ahead log: an Arrow IPC
// stream, as the public MemWAL format has it (docs/facts/memwal.md §1, "WAL entry").
//
// Its opinion: a log is read to the letter or not at all. A stream that ends
// early, a batch without rows, metadata that this version does not know: each is
// an error that says what was found, since what is skipped here is an
// acknowledged row that nobody will ever see again.
package entry

import (
	"bytes"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// A Row is a row of a keyed table. A later row of a key replaces an earlier one.
type Row struct {
	Key string
	// Value is nil where the column is null, as it is in a tombstone.
	Value []byte
	// Tombstone says that the key was deleted.
	Tombstone bool
}

// An Entry is what one object of the log holds.
type Entry struct {
	// WriterEpoch is the epoch of the writer, at least 1.
	WriterEpoch uint64
	// Generation is the one that the rows will be flushed to, 0 where the entry
	// does not say so, as older writers leave it.
	Generation uint64
	// Sentinel marks an entry that holds no rows and is there to occupy its
	// position: it keeps the writer before out.
	Sentinel bool
	// Rows are in the order in which they were written; none in a sentinel.
	Rows []Row
}

// Names of the format.
const (
	metaWriterEpoch = "writer_epoch"
	metaGeneration  = "generation"
	metaSentinel    = "fence_sentinel"

	// metaKeyPosition marks the columns of the primary key by their place in it.
	metaKeyPosition = "lance-schema:unenforced-primary-key:position"

	columnKey       = "id"
	columnValue     = "v"
	columnTombstone = "_tombstone"
)

// rowFields are the columns of what is written here.
func rowFields() []arrow.Field {
	return []arrow.Field{
		{Name: columnKey, Type: arrow.BinaryTypes.String, Metadata: arrow.NewMetadata([]string{metaKeyPosition}, []string{"1"})},
		{Name: columnValue, Type: arrow.BinaryTypes.Binary, Nullable: true},
		{Name: columnTombstone, Type: arrow.FixedWidthTypes.Boolean},
	}
}

// Encode returns the object that holds e. The same entry has the same bytes.
func Encode(e Entry) ([]byte, error) {
	switch {
	case e.WriterEpoch == 0:
		return nil, fmt.Errorf("entry: writer epoch is 0; a writer has claimed an epoch of at least 1")
	case e.Sentinel && len(e.Rows) > 0:
		return nil, fmt.Errorf("entry: a sentinel with %d rows", len(e.Rows))
	case !e.Sentinel && len(e.Rows) == 0:
		return nil, fmt.Errorf("entry: no rows, and no sentinel")
	}
	keys, values := []string{metaWriterEpoch}, []string{fmt.Sprint(e.WriterEpoch)}
	if e.Generation > 0 {
		keys, values = append(keys, metaGeneration), append(values, fmt.Sprint(e.Generation))
	}
	if e.Sentinel {
		keys, values = append(keys, metaSentinel), append(values, "true")
		return stream(nil, arrow.NewMetadata(keys, values), nil)
	}
	return stream(rowFields(), arrow.NewMetadata(keys, values), e.Rows)
}

// EncodeRows returns rows as a stream that is no log entry: the data of a
// generation or of a base table.
func EncodeRows(rows []Row) ([]byte, error) {
	return stream(rowFields(), arrow.Metadata{}, rows)
}

func stream(fields []arrow.Field, meta arrow.Metadata, rows []Row) ([]byte, error) {
	var out bytes.Buffer
	schema := arrow.NewSchema(fields, &meta)
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	if len(rows) > 0 {
		batch := batchOf(schema, rows)
		defer batch.Release()
		if err := w.Write(batch); err != nil {
			return nil, fmt.Errorf("entry: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("entry: %w", err)
	}
	return out.Bytes(), nil
}

func batchOf(schema *arrow.Schema, rows []Row) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Reserve(len(rows))
	keys, values, tombstones := b.Field(0).(*array.StringBuilder), b.Field(1).(*array.BinaryBuilder), b.Field(2).(*array.BooleanBuilder)
	for _, r := range rows {
		keys.Append(r.Key)
		if r.Value == nil {
			values.AppendNull()
		} else {
			values.Append(r.Value)
		}
		tombstones.Append(r.Tombstone)
	}
	return b.NewRecordBatch()
}
