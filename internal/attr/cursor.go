package attr

import (
	"encoding/base64"
	"unicode/utf8"
)

// cursor reads the compact form. It never reads beyond the end: the first
// thing that does not fit sets bad, and what is read after it means nothing.
type cursor struct {
	rest string
	bad  bool
	// strict also checks what only foreign bytes can get wrong: valid UTF-8,
	// ascending names and members. Numbers are always checked, since what works
	// on them relies on their form.
	strict bool
}

func (c *cursor) fail() {
	c.bad = true
}

// number reads a varint of at most 28 bits, the shortest form of it only.
func (c *cursor) number() int {
	n, shift := uint64(0), 0
	for i := 0; i < len(c.rest) && shift <= 21; i++ {
		b := c.rest[i]
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if b == 0 && i > 0 {
				break
			}
			c.rest = c.rest[i+1:]
			return int(n)
		}
		shift += 7
	}
	c.fail()
	return 0
}

// string reads a length and that many bytes.
func (c *cursor) string() string {
	return c.bytes(c.number())
}

func (c *cursor) bytes(n int) string {
	if c.bad || n > len(c.rest) {
		c.fail()
		return ""
	}
	s := c.rest[:n]
	c.rest = c.rest[n:]
	return s
}

func (c *cursor) byte() byte {
	if c.bad || c.rest == "" {
		c.fail()
		return 0
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return b
}

// part narrows the cursor to the contents of a list, map or set. The cursor
// returned stands behind them.
func (c *cursor) part() (contents, behind cursor) {
	n := c.number()
	body := c.bytes(n)
	return cursor{rest: body, bad: c.bad, strict: c.strict}, *c
}

// maxRoom bounds for how many parts room is made before they are seen, so that
// a false count cannot claim much memory.
const maxRoom = 1024

// skip passes over a value.
func (c *cursor) skip() {
	switch Kind(c.byte()) {
	case BOOL:
		c.byte()
	case NULL:
	default:
		c.string()
	}
}

// value decodes a value nested in level-1 lists and maps.
func (c *cursor) value(level int) Value {
	kind := Kind(c.byte())
	switch kind {
	case S, N, B:
		v := Value{kind: kind, text: c.string()}
		if (c.strict || kind == N) && !v.validText() {
			c.fail()
			return Value{}
		}
		return v
	case BOOL:
		b := c.byte()
		if b > 1 {
			c.fail()
		}
		return Bool(b == 1)
	case NULL:
		return Null()
	case L, M, SS, NS, BS:
		if level > MaxDepth && (kind == L || kind == M) {
			c.fail()
			return Value{}
		}
		contents, behind := c.part()
		v := contents.composite(kind, level)
		if contents.rest != "" {
			contents.fail()
		}
		*c = behind
		c.bad = c.bad || contents.bad
		return v
	default:
		c.fail()
		return Value{}
	}
}

func (c *cursor) composite(kind Kind, level int) Value {
	switch kind {
	case L:
		n := c.number()
		elements := make([]Value, 0, min(n, maxRoom))
		for ; n > 0 && !c.bad; n-- {
			elements = append(elements, c.value(level+1))
		}
		return List(elements...)
	case M:
		return Map(c.fields(level + 1))
	default:
		n := c.number()
		members := make([]string, 0, min(n, maxRoom))
		for ; n > 0 && !c.bad; n-- {
			members = append(members, c.string())
		}
		if c.bad || (c.strict || kind == NS) && !validMembers(kind, members) {
			c.fail()
			return Value{}
		}
		return Value{kind: kind, parts: &parts{set: members}}
	}
}

func (c *cursor) fields(level int) Item {
	n := c.number()
	it := make(Item, 0, min(n, maxRoom))
	for ; n > 0 && !c.bad; n-- {
		name := c.string()
		if c.strict && (!utf8.ValidString(name) || len(it) > 0 && it[len(it)-1].Name >= name) {
			c.fail()
		}
		it = append(it, Field{Name: name, Value: c.value(level)})
	}
	return it
}

// validText reports whether an S, N or B holds what it may.
func (v Value) validText() bool {
	switch v.kind {
	case S:
		return utf8.ValidString(v.text)
	case N:
		canonical, err := canonicalNumber(v.text)
		return err == nil && canonical == v.text
	default:
		return true
	}
}

// validMembers reports whether members are what a set of kind holds: valid,
// ascending, at least one.
func validMembers(kind Kind, members []string) bool {
	for _, m := range members {
		if !(Value{kind: kind.Member(), text: m}).validText() {
			return false
		}
	}
	order := memberOrder(kind)
	for i := 1; i < len(members); i++ {
		if order(members[i-1], members[i]) >= 0 {
			return false
		}
	}
	return len(members) > 0
}

func (c *cursor) appendFieldsJSON(dst []byte, level int) []byte {
	dst = append(dst, '{')
	n := c.number()
	for i := 0; i < n && !c.bad; i++ {
		dst = appendComma(dst, i)
		dst = AppendQuoted(dst, c.string())
		dst = append(dst, ':')
		dst = c.appendValueJSON(dst, level)
	}
	return append(dst, '}')
}

func (c *cursor) appendValueJSON(dst []byte, level int) []byte {
	kind := Kind(c.byte())
	switch kind {
	case S, N:
		dst = appendTag(dst, kind)
		dst = AppendQuoted(dst, c.string())
		return append(dst, '}')
	case B:
		dst = appendTag(dst, kind)
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, []byte(c.string()))
		return append(dst, '"', '}')
	case BOOL:
		return Bool(c.byte() == 1).AppendJSON(dst)
	case L, M:
		if level > MaxDepth {
			c.fail()
			return append(dst, "{}"...)
		}
		c.number()
		dst = appendTag(dst, kind)
		if kind == M {
			dst = c.appendFieldsJSON(dst, level+1)
		} else {
			dst = c.appendElementsJSON(dst, level+1)
		}
		return append(dst, '}')
	case SS, NS, BS:
		c.number()
		return c.composite(kind, level).AppendJSON(dst)
	default:
		return Null().AppendJSON(dst)
	}
}

func (c *cursor) appendElementsJSON(dst []byte, level int) []byte {
	dst = append(dst, '[')
	n := c.number()
	for i := 0; i < n && !c.bad; i++ {
		dst = appendComma(dst, i)
		dst = c.appendValueJSON(dst, level)
	}
	return append(dst, ']')
}
