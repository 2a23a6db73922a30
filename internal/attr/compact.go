package attr

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Encoded is an item in the compact form that tables keep: immutable, without
// pointers, a few bytes longer than the item's size by the sizing rules. Values
// read from it share its memory.
//
// The form, with every number a varint:
//
//	item   = size count field…    size by the sizing rules; names ascending
//	field  = length name value
//	value  = kind contents        kind is one byte
//	S N B  = length bytes         N in canonical text
//	BOOL   = 0 or 1 as one byte
//	NULL   =
//	L      = length count value…  length of what follows it, in bytes
//	M      = length count field…
//	SS NS BS = length count (length bytes)…
//
// An Encoded holds what AppendItem wrote. Bytes from elsewhere are to be checked
// with DecodeItem first: on others the methods do not panic, but what they
// return is undefined.
type Encoded string

// ErrCorrupt is returned for bytes that are no encoded item.
var ErrCorrupt = errors.New("corrupt encoded item")

// Encode returns the item in the compact form.
func (it Item) Encode() Encoded { return Encoded(AppendItem(nil, it)) }

// AppendItem appends the compact form of the item.
func AppendItem(dst []byte, it Item) []byte {
	dst = binary.AppendUvarint(dst, uint64(it.Size()))
	return appendFields(dst, it)
}

func appendFields(dst []byte, it Item) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(it)))
	for i := range it {
		dst = appendString(dst, it[i].Name)
		dst = appendValue(dst, it[i].Value)
	}
	return dst
}

func appendString(dst []byte, s string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

func appendValue(dst []byte, v Value) []byte {
	dst = append(dst, byte(v.kind))
	switch v.kind {
	case S, N, B:
		dst = appendString(dst, v.text)
	case BOOL:
		if v.truth {
			return append(dst, 1)
		}
		return append(dst, 0)
	case L:
		return appendSized(dst, func(dst []byte) []byte {
			dst = binary.AppendUvarint(dst, uint64(len(v.parts.list)))
			for _, e := range v.parts.list {
				dst = appendValue(dst, e)
			}
			return dst
		})
	case M:
		return appendSized(dst, func(dst []byte) []byte { return appendFields(dst, v.parts.fields) })
	case SS, NS, BS:
		return appendSized(dst, func(dst []byte) []byte {
			dst = binary.AppendUvarint(dst, uint64(len(v.parts.set)))
			for _, m := range v.parts.set {
				dst = appendString(dst, m)
			}
			return dst
		})
	case NULL, Invalid:
	}
	return dst
}

// appendSized appends what contents appends, preceded by its length.
func appendSized(dst []byte, contents func([]byte) []byte) []byte {
	start := len(dst)
	dst = contents(dst)
	var prefix [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(prefix[:], uint64(len(dst)-start))
	dst = append(dst, prefix[:n]...)
	copy(dst[start+n:], dst[start:])
	copy(dst[start:], prefix[:n])
	return dst
}

// Size returns the bytes of the item by DynamoDB's sizing rules. It looks at
// the first bytes only.
func (e Encoded) Size() int {
	c := cursor{rest: string(e)}
	return c.number()
}

// Attribute returns the value called name without looking into the others; ok
// is false if there is none.
func (e Encoded) Attribute(name string) (v Value, ok bool) {
	c := cursor{rest: string(e)}
	c.number()
	for n := c.number(); n > 0 && !c.bad; n-- {
		switch found := c.string(); {
		case found == name:
			v = c.value(1)
			return v, !c.bad
		case found > name:
			return Value{}, false
		default:
			c.skip()
		}
	}
	return Value{}, false
}

// Item returns the decoded item. Its strings share the memory of e.
func (e Encoded) Item() Item {
	c := cursor{rest: string(e)}
	c.number()
	return c.fields(1)
}

// AppendJSON appends the item as an object of values in DynamoDB JSON, without
// building the values in between.
func (e Encoded) AppendJSON(dst []byte) []byte {
	c := cursor{rest: string(e)}
	c.number()
	return c.appendFieldsJSON(dst, 1)
}

// DecodeItem decodes and checks the compact form: it accepts exactly what
// AppendItem can have written. The error wraps ErrCorrupt. The item's strings
// share the memory of encoded.
func DecodeItem(encoded string) (Item, error) {
	c := cursor{rest: encoded, strict: true}
	size := c.number()
	it := c.fields(1)
	switch {
	case c.bad:
		return nil, fmt.Errorf("%w: malformed at byte %d of %d", ErrCorrupt, len(encoded)-len(c.rest), len(encoded))
	case c.rest != "":
		return nil, fmt.Errorf("%w: %d bytes left over of %d", ErrCorrupt, len(c.rest), len(encoded))
	case size != it.Size():
		return nil, fmt.Errorf("%w: says %d bytes by the sizing rules, has %d", ErrCorrupt, size, it.Size())
	}
	return it, nil
}
