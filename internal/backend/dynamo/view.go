package dynamo

import (
	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/rows"
)

// makeRow stores an item under its keys. A sort key that the table does not
// have is the zero Value.
func makeRow(partition, sort attr.Value, size int, attributes []byte) rows.Row {
	var p, s [64]byte // most keys fit
	return rows.NewRow(partition.AppendOrdered(p[:0]), sort.AppendOrdered(s[:0]), size, attributes)
}

// inRow reports whether a key attribute is stored in the row's key alone. A number's
// key form is made for sorting; the number itself is among the attributes.
func (k keyAttribute) inRow() bool { return k.kind != attr.N }

// value is the key attribute's value, if it is stored in the row's key alone.
func (k keyAttribute) value(stored string) attr.Value {
	if k.kind == attr.B {
		return attr.Binary(stored)
	}
	return attr.String(stored)
}

// appendAttributes appends what a row stores behind its keys.
func (s *schema) appendAttributes(dst []byte, item attr.Item) []byte {
	var few [16]attr.Field
	rest := attr.Item(few[:0])
	for _, f := range item {
		if !s.storedInKey(f.Name) {
			rest = append(rest, f)
		}
	}
	return attr.AppendItem(dst, rest)
}

func (s *schema) storedInKey(name string) bool {
	switch {
	case name == s.partition.name:
		return s.partition.inRow()
	case s.hasSort() && name == s.sort.name:
		return s.sort.inRow()
	default:
		return false
	}
}

// stored is an item as its table holds it, or, with an empty row, one that does
// not exist.
type stored struct {
	schema *schema
	row    rows.Row
}

func (i *stored) encoded() attr.Encoded { return attr.Encoded(i.row.Attributes()) }

// Attribute returns one attribute without decoding the others.
func (i *stored) Attribute(name string) (attr.Value, bool) {
	if i.row == "" {
		return attr.Value{}, false
	}
	if !i.schema.storedInKey(name) {
		return i.encoded().Attribute(name)
	}
	if name == i.schema.partition.name {
		return i.schema.partition.value(i.row.Partition()), true
	}
	return i.schema.sort.value(i.row.Sort()), true
}

// keyFields appends the key attributes that the row's key alone holds.
func (i *stored) keyFields(to []attr.Field) []attr.Field {
	s := i.schema
	if s.partition.inRow() {
		to = append(to, attr.Field{Name: s.partition.name, Value: s.partition.value(i.row.Partition())})
	}
	if s.hasSort() && s.sort.inRow() {
		to = append(to, attr.Field{Name: s.sort.name, Value: s.sort.value(i.row.Sort())})
	}
	return to
}

// key is the item's primary key.
func (i *stored) key() attr.Item {
	partition, _ := i.Attribute(i.schema.partition.name)
	key := attr.Item{}.With(i.schema.partition.name, partition)
	if i.schema.hasSort() {
		sort, _ := i.Attribute(i.schema.sort.name)
		key = key.With(i.schema.sort.name, sort)
	}
	return key
}

// item is the whole item, decoded.
func (i *stored) item() attr.Item {
	var buf [2]attr.Field
	it := i.encoded().Item()
	for _, k := range i.keyFields(buf[:0]) {
		it = it.With(k.Name, k.Value)
	}
	return it
}

// appendJSON appends the item in DynamoDB JSON, straight from the stored form.
func (i *stored) appendJSON(dst []byte) []byte {
	var buf [2]attr.Field
	keys := attr.Item(i.keyFields(buf[:0]))
	if len(keys) == 0 {
		return i.encoded().AppendJSON(dst)
	}
	dst = keys.AppendJSON(dst)
	// Both are objects: the second one's brace turns into the comma between them.
	seam := len(dst) - 1
	dst = i.encoded().AppendJSON(dst[:seam])
	if dst[seam+1] != '}' {
		dst[seam] = ','
		return dst
	}
	return append(dst[:seam], '}')
}

// itemView is an item of an answer: as stored, or what a projection left of it.
type itemView struct {
	stored
	projected attr.Item // if row is empty
}

func (v *itemView) appendJSON(dst []byte) []byte {
	if v.row == "" {
		return v.projected.AppendJSON(dst)
	}
	return v.stored.appendJSON(dst)
}

// size is the item's size by the sizing rules.
func (v *itemView) size() int {
	if v.row == "" {
		return v.projected.Size()
	}
	return v.row.Size()
}

// part is the view of a part of an item, nil if it is empty.
func part(s *schema, item attr.Item) *itemView {
	if len(item) == 0 {
		return nil
	}
	return &itemView{stored: stored{schema: s}, projected: item}
}
