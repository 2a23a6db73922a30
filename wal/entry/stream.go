package entry

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Numbers of the format (Arrow's Message.fbs and Schema.fbs). Where a table is
// written or read, its fields are numbered in the order of these files.
const (
	continuation = 0xffffffff // before the length of a message's metadata

	metadataV4, metadataV5 = 3, 4

	headerSchema, headerRecordBatch = 1, 3

	typeBinary, typeUtf8, typeBool = 4, 5, 6
)

// endOfStream ends every stream (Arrow Columnar Format, "IPC Streaming Format").
var endOfStream = []byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}

// A pair is an item of custom metadata.
type pair struct{ key, value string }

// A field is what a schema tells of a column.
type field struct {
	name     string
	kind     byte // of Arrow's union Type
	nullable bool
	meta     []pair
}

// rowFields are the columns that this package writes.
func rowFields() []field {
	return []field{
		{name: columnKey, kind: typeUtf8, meta: []pair{{metaKeyPosition, "1"}}},
		{name: columnValue, kind: typeBinary, nullable: true},
		{name: columnTombstone, kind: typeBool},
	}
}

// stream returns a schema and at most one batch: the bytes that Arrow's own Go
// library writes for them.
func stream(fields []field, meta []pair, rows []Row) ([]byte, error) {
	out := message(nil, headerSchema, nil, func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		return schema(b, fields, meta)
	})
	if len(rows) > 0 {
		batch := &batchWriter{}
		if err := batch.columns(rows); err != nil {
			return nil, err
		}
		out = message(out, headerRecordBatch, batch.body, func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
			return batch.header(b, len(rows))
		})
	}
	return append(out, endOfStream...), nil
}

// message appends a message: its metadata, padded to 8 bytes, and its body, which
// is.
func message(out []byte, kind byte, body []byte, header func(*flatbuffers.Builder) flatbuffers.UOffsetT) []byte {
	b := flatbuffers.NewBuilder(1024)
	h := header(b)
	b.StartObject(5)
	b.PrependInt16Slot(0, metadataV5, 0)
	b.PrependByteSlot(1, kind, 0)
	b.PrependUOffsetTSlot(2, h, 0)
	b.PrependInt64Slot(3, int64(len(body)), 0)
	b.Finish(b.EndObject())
	metadata := pad(b.FinishedBytes())
	out = binary.LittleEndian.AppendUint32(out, continuation)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(metadata)))
	return append(append(out, metadata...), body...)
}

func pad(b []byte) []byte { return append(b, make([]byte, -len(b)&7)...) }

func schema(b *flatbuffers.Builder, fields []field, meta []pair) flatbuffers.UOffsetT {
	columns := make([]flatbuffers.UOffsetT, len(fields))
	for i, f := range fields {
		columns[i] = f.write(b)
	}
	list, custom := vector(b, columns), metadata(b, meta)
	b.StartObject(4)
	b.PrependUOffsetTSlot(1, list, 0)
	b.PrependUOffsetTSlot(2, custom, 0)
	return b.EndObject()
}

func (f field) write(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	name := b.CreateString(f.name)
	b.StartObject(0) // the tables of these three types have no fields
	kind := b.EndObject()
	children, custom := vector(b, nil), metadata(b, f.meta)
	b.StartObject(7)
	b.PrependUOffsetTSlot(0, name, 0)
	b.PrependBoolSlot(1, f.nullable, false)
	b.PrependByteSlot(2, f.kind, 0)
	b.PrependUOffsetTSlot(3, kind, 0)
	b.PrependUOffsetTSlot(5, children, 0)
	b.PrependUOffsetTSlot(6, custom, 0)
	return b.EndObject()
}

// metadata writes custom metadata; there is no vector of none.
func metadata(b *flatbuffers.Builder, meta []pair) flatbuffers.UOffsetT {
	if len(meta) == 0 {
		return 0
	}
	pairs := make([]flatbuffers.UOffsetT, len(meta))
	for i, p := range meta {
		key, value := b.CreateString(p.key), b.CreateString(p.value)
		b.StartObject(2)
		b.PrependUOffsetTSlot(0, key, 0)
		b.PrependUOffsetTSlot(1, value, 0)
		pairs[i] = b.EndObject()
	}
	return vector(b, pairs)
}

func vector(b *flatbuffers.Builder, tables []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(4, len(tables), 4)
	for i := len(tables) - 1; i >= 0; i-- {
		b.PrependUOffsetT(tables[i])
	}
	return b.EndVector(len(tables))
}

// A batchWriter collects the columns of a batch, one after the other.
type batchWriter struct {
	body           []byte
	nodes, buffers [][2]int64 // rows and nulls of each column; offset and length of each buffer
}

// header writes the batch's table.
func (w *batchWriter) header(b *flatbuffers.Builder, rows int) flatbuffers.UOffsetT {
	nodes, buffers := structs(b, w.nodes), structs(b, w.buffers)
	b.StartObject(5)
	b.PrependInt64Slot(0, int64(rows), 0)
	b.PrependUOffsetTSlot(1, nodes, 0)
	b.PrependUOffsetTSlot(2, buffers, 0)
	return b.EndObject()
}

func structs(b *flatbuffers.Builder, list [][2]int64) flatbuffers.UOffsetT {
	b.StartVector(16, len(list), 8)
	for i := len(list) - 1; i >= 0; i-- {
		b.Prep(8, 16)
		b.PrependInt64(list[i][1])
		b.PrependInt64(list[i][0])
	}
	return b.EndVector(len(list))
}

// columns adds those of rowFields.
func (w *batchWriter) columns(rows []Row) error {
	n := len(rows)
	valid, tombstones := make([]byte, validityBytes(n)), make([]byte, (n+7)/8)
	offsets := [2][]byte{make([]byte, 4, 4*(n+1)), make([]byte, 4, 4*(n+1))}
	var keys, values []byte
	nulls := 0
	for i, r := range rows {
		keys, values = append(keys, r.Key...), append(values, r.Value...)
		offsets[0] = binary.LittleEndian.AppendUint32(offsets[0], uint32(len(keys)))
		offsets[1] = binary.LittleEndian.AppendUint32(offsets[1], uint32(len(values)))
		if r.Value == nil {
			nulls++
		} else {
			valid[i/8] |= 1 << (i % 8)
		}
		if r.Tombstone {
			tombstones[i/8] |= 1 << (i % 8)
		}
	}
	if max(len(keys), len(values)) > math.MaxInt32 {
		return fmt.Errorf("entry: %d bytes of keys and %d of values; a column holds at most %d", len(keys), len(values), math.MaxInt32)
	}
	switch nulls {
	case 0:
		valid = nil
	case n:
		valid = make([]byte, padded64(n))
	}
	w.column(n, 0, nil, offsets[0], keys)
	w.column(n, nulls, valid, offsets[1], values)
	w.column(n, 0, nil, tombstones)
	return nil
}

func (w *batchWriter) column(rows, nulls int, buffers ...[]byte) {
	w.nodes = append(w.nodes, [2]int64{int64(rows), int64(nulls)})
	for _, b := range buffers {
		w.buffers = append(w.buffers, [2]int64{int64(len(w.body)), int64(len(b))})
		w.body = pad(append(w.body, b...))
	}
}

// validityBytes is how long Arrow's Go library makes the bitmap of n values of
// which some are null: for as many as it has reserved room for, up to padded64.
func validityBytes(n int) int { return min(max(8, 1<<bits.Len(uint(n)))/8, padded64(n)) }

// padded64 is the length of n bits, padded to the 64 bytes that Arrow recommends.
func padded64(n int) int { return (n + 511) / 512 * 64 }
