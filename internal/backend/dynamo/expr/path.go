package expr

import (
	"strconv"
	"strings"

	"github.com/lakebench/lakebench/internal/attr"
)

// step is one part of a document path below its attribute: a map key, or a list
// index if key is empty.
type step struct {
	key   string
	index int
}

// path is a document path: an attribute and the way down from it (page
// Expressions.Attributes, "Document paths").
type path struct {
	root  string
	steps []step
}

// find returns the value that p leads to; ok is false if there is none.
func (p *path) find(src Source) (v attr.Value, ok bool) {
	v, ok = src.Attribute(p.root)
	for i := 0; ok && i < len(p.steps); i++ {
		v, ok = p.steps[i].from(v)
	}
	return v, ok
}

// from takes one step down from v.
func (s step) from(v attr.Value) (attr.Value, bool) {
	if s.key != "" {
		return v.Fields().Attribute(s.key)
	}
	elements := v.Elements()
	if s.index >= len(elements) {
		return attr.Value{}, false
	}
	return elements[s.index], true
}

func (p *path) equal(q *path) bool {
	if p.root != q.root || len(p.steps) != len(q.steps) {
		return false
	}
	for i := range p.steps {
		if p.steps[i] != q.steps[i] {
			return false
		}
	}
	return true
}

// String spells a path as the service's messages do: [a, b, [0]].
func (p *path) String() string {
	var b strings.Builder
	b.WriteString("[" + p.root)
	for _, s := range p.steps {
		b.WriteString(", ")
		if s.key != "" {
			b.WriteString(s.key)
		} else {
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		}
	}
	b.WriteByte(']')
	return b.String()
}
