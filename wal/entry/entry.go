// Package entry is the content of one object of a write-ahead log: an Arrow IPC
// stream, as the public MemWAL format has it (docs/facts/memwal.md §1, "WAL entry").
//
// A log is read to the letter or not at all. A stream that ends
// early, a batch without rows, metadata that this version does not know: each is
// an error that names what was found, since what is skipped here is an
// acknowledged row that no reader will ever see again.
package entry

import "fmt"

// A Row is a row of a keyed table. A later row of a key replaces an earlier one.
type Row struct {
	Key string
	// Value is nil where the column is null, as it is in a tombstone.
	Value []byte
	// Tombstone reports that the key was deleted.
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
	meta := []pair{{metaWriterEpoch, fmt.Sprint(e.WriterEpoch)}}
	if e.Generation > 0 {
		meta = append(meta, pair{metaGeneration, fmt.Sprint(e.Generation)})
	}
	if e.Sentinel {
		return stream(nil, append(meta, pair{metaSentinel, "true"}), nil)
	}
	return stream(rowFields(), meta, e.Rows)
}

// EncodeRows returns rows as a stream that is no log entry: the data of a
// generation or of a base table.
func EncodeRows(rows []Row) ([]byte, error) {
	return stream(rowFields(), nil, rows)
}
