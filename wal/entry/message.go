package entry

import (
	"encoding/binary"
	"math"

	flatbuffers "github.com/google/flatbuffers/go"
)

// A part is a message of a stream as it was read: a schema or a batch.
type part struct {
	kind   byte // headerSchema or headerRecordBatch
	length int64
	fields []field
	meta   []pair
	batch  batch
}

// A batch is the columns of some rows.
type batch struct {
	rows    int64
	nodes   [][2]int64 // rows and nulls of each column
	spans   [][2]int64 // offset and length in the body of each buffer
	buffers [][]byte   // of the columns, one after the other
}

// next cuts the first message off a stream. It returns nil and what follows at the
// stream's end.
func next(data []byte) (*part, []byte, error) {
	if len(data) < 8 || binary.LittleEndian.Uint32(data) != continuation {
		return nil, nil, damaged("no message where one begins, %d bytes before the end", len(data))
	}
	size, data := int(binary.LittleEndian.Uint32(data[4:])), data[8:]
	if size == 0 {
		return nil, data, nil
	}
	if size > len(data) {
		return nil, nil, damaged("metadata of %d bytes, %d are left", size, len(data))
	}
	p, err := parse(data[:size])
	if err != nil {
		return nil, nil, err
	}
	data = data[size:]
	if p.length < 0 || p.length > int64(len(data)) {
		return nil, nil, damaged("a body of %d bytes, %d are left", p.length, len(data))
	}
	for _, s := range p.batch.spans {
		offset, size := s[0], s[1]
		if offset < 0 || size < 0 || offset > p.length || size > p.length-offset {
			return nil, nil, damaged("a buffer of %d bytes from %d on in a body of %d", size, offset, p.length)
		}
		p.batch.buffers = append(p.batch.buffers, data[offset:offset+size])
	}
	return p, data[p.length:], nil
}

// parse reads a message's metadata.
func parse(metadata []byte) (p *part, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = damaged("a message's metadata points out of it: %v", r)
		}
	}()
	m := table{flatbuffers.Table{Bytes: metadata, Pos: flatbuffers.GetUOffsetT(metadata)}}
	if v := m.GetInt16Slot(slot(0), 0); v != metadataV4 && v != metadataV5 {
		return nil, damaged("metadata version %d; this version reads %d and %d", v+1, metadataV4+1, metadataV5+1)
	}
	p = &part{kind: m.GetByteSlot(slot(1), 0), length: m.GetInt64Slot(slot(3), 0)}
	o := m.offset(2)
	switch {
	case o == 0:
		return nil, damaged("a message without a header")
	case p.kind == headerSchema:
		return p, p.schema(m.at(m.Pos + o))
	case p.kind == headerRecordBatch:
		return p, p.batch.read(m.at(m.Pos + o))
	}
	return nil, damaged("a message of type %d, which this version does not read", p.kind)
}

func (p *part) schema(s table) error {
	if s.GetInt16Slot(slot(0), 0) != 0 {
		return damaged("numbers are big-endian, which this version does not read")
	}
	p.meta = s.pairs(2)
	for _, at := range s.elements(1, flatbuffers.SizeUOffsetT) {
		f := s.at(at)
		if f.offset(4) > 0 {
			return damaged("column %q is dictionary-encoded, which this version does not read", f.text(0))
		}
		// Nothing in these two is of interest, but in a sound schema both can be read.
		if kind := f.at(f.Pos + f.offset(3)); f.offset(3) == 0 || kind.offset(0) > 0 || len(f.elements(5, flatbuffers.SizeUOffsetT)) > 0 {
			return damaged("column %q is not of a simple type", f.text(0))
		}
		p.fields = append(p.fields, field{name: f.text(0), kind: f.GetByteSlot(slot(2), 0), meta: f.pairs(6)})
	}
	return nil
}

func (b *batch) read(t table) error {
	if t.offset(3) > 0 {
		return damaged("a batch is compressed, which this version does not read")
	}
	b.rows, b.nodes, b.spans = t.GetInt64Slot(slot(0), 0), t.structs(1), t.structs(2)
	for _, n := range b.nodes {
		if n[0] != b.rows {
			return damaged("a column of %d rows in a batch of %d", n[0], b.rows)
		}
	}
	return nil
}

// A column reads the values of one column of a batch.
type column struct {
	valid         []byte // nil: no value is null
	offsets, data []byte
}

// take cuts the next column off the batch. It refuses one that does not hold as
// many values as the batch has rows. The values of bools are bits without offsets.
func (b *batch) take(bools bool) (column, error) {
	want := 3
	if bools {
		want = 2
	}
	if len(b.nodes) == 0 || len(b.buffers) < want {
		return column{}, damaged("a batch with fewer columns than its schema")
	}
	c := column{valid: b.buffers[0], offsets: b.buffers[1], data: b.buffers[want-1]}
	if b.nodes[0][1] == 0 {
		c.valid = nil
	}
	b.nodes, b.buffers = b.nodes[1:], b.buffers[want:]
	most := min(room(c.valid), room(c.data))
	if !bools {
		most = min(room(c.valid), int64(len(c.offsets)/4)-1)
	}
	if most < b.rows {
		return column{}, damaged("a column with room for %d values in a batch of %d rows", max(most, 0), b.rows)
	}
	if bools {
		return c, nil
	}
	return c, c.check(int(b.rows))
}

// room is how many bits a bitmap has; one that is left out has any number.
func room(bitmap []byte) int64 {
	if bitmap == nil {
		return math.MaxInt64
	}
	return 8 * int64(len(bitmap))
}

// check refuses offsets that fall or lead out of the values.
func (c column) check(rows int) error {
	last := int32(0)
	for i := range rows + 1 {
		o := c.offset(i)
		if o < last || int(o) > len(c.data) {
			return damaged("offset %d after %d, in %d bytes of values", o, last, len(c.data))
		}
		last = o
	}
	return nil
}

func (c column) offset(i int) int32 { return int32(binary.LittleEndian.Uint32(c.offsets[4*i:])) }

func (c column) null(i int) bool    { return c.valid != nil && !bit(c.valid, i) }
func (c column) bit(i int) bool     { return bit(c.data, i) }
func (c column) bytes(i int) []byte { return c.data[c.offset(i):c.offset(i+1)] }

func bit(bitmap []byte, i int) bool { return bitmap[i/8]>>(i%8)&1 == 1 }
