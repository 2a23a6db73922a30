package entry

import flatbuffers "github.com/google/flatbuffers/go"

// A table is a table of a FlatBuffer. Its methods take the number of a field and
// panic where it points out of the buffer, as the library does.
type table struct{ flatbuffers.Table }

// slot is where the library looks for a field by its number.
func slot(field int) flatbuffers.VOffsetT { return flatbuffers.VOffsetT(4 + 2*field) }

// offset is where a field is in the table, 0 if it is not there.
func (t table) offset(field int) flatbuffers.UOffsetT {
	return flatbuffers.UOffsetT(t.Offset(slot(field)))
}

// at is the table that the offset at pos leads to.
func (t table) at(pos flatbuffers.UOffsetT) table {
	return table{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(pos)}}
}

// text is the string of a field, "" if there is none.
func (t table) text(field int) string {
	if o := t.offset(field); o > 0 {
		return string(t.ByteVector(t.Pos + o))
	}
	return ""
}

// elements are the positions of the elements of a field's vector.
func (t table) elements(field int, size flatbuffers.UOffsetT) []flatbuffers.UOffsetT {
	o := t.offset(field)
	if o == 0 {
		return nil
	}
	first, n := t.Vector(o), t.VectorLen(o)
	_ = t.Bytes[first : int(first)+n*int(size)] // a damaged length must not allocate gigabytes
	positions := make([]flatbuffers.UOffsetT, n)
	for i := range positions {
		positions[i] = first + flatbuffers.UOffsetT(i)*size
	}
	return positions
}

// structs are the elements of a field's vector, of two numbers each.
func (t table) structs(field int) (list [][2]int64) {
	for _, at := range t.elements(field, 16) {
		list = append(list, [2]int64{t.GetInt64(at), t.GetInt64(at + 8)})
	}
	return list
}

// pairs are the custom metadata of a field.
func (t table) pairs(field int) (list []pair) {
	for _, at := range t.elements(field, flatbuffers.SizeUOffsetT) {
		list = append(list, pair{t.at(at).text(0), t.at(at).text(1)})
	}
	return list
}
