package expr

import (
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/attr"
)

// Projection is a parsed ProjectionExpression. It is immutable; several
// goroutines may apply it at the same time.
type Projection struct {
	tree branch
}

// ParseProjection parses a ProjectionExpression: document paths, none of which
// leads to or into another (page Expressions.ProjectionExpressions). The error
// is an *Error.
func ParseProjection(text string, subs *Substitutions) (*Projection, error) {
	var p parser
	projection, err := p.projection(text, subs)
	if err != nil {
		return nil, err
	}
	return projection, nil
}

func (p *parser) projection(text string, subs *Substitutions) (*Projection, *Error) {
	if err := p.start(ProjectionExpression, text, subs); err != nil {
		return nil, err
	}
	var paths []projected
	for {
		path, err := p.path()
		if err != nil {
			return nil, err
		}
		paths = append(paths, projected{path, p.leaf[leafUndefined]})
		p.leaf[leafUndefined] = nil
		if !p.accept(",") {
			break
		}
	}
	out := &Projection{}
	// The service goes through the paths from the last to the first, as the first
	// fault that it reports shows.
	for i := len(paths) - 1; i >= 0; i-- {
		p.leaf[leafUndefined] = paths[i].undefined
		p.graft(&out.tree, &paths[i].path)
		p.endLeaf()
	}
	return out, p.end()
}

// projected is a path, and the fault that a placeholder in it is undefined.
type projected struct {
	path      path
	undefined *Error
}

// Paths calls visit for each path of the projection with the attribute it
// starts at; nested reports whether it leads inside that attribute.
func (p *Projection) Paths(visit func(attribute string, nested bool)) {
	for i := range p.tree.children {
		c := &p.tree.children[i]
		visit(c.step.key, len(c.children) > 0)
	}
}

// Apply returns the part of an item that the projection names. What the item
// lacks is left out; of lists the elements named are returned, closed up and in
// the list's order.
func (p *Projection) Apply(src Source) attr.Item {
	out := make(attr.Item, 0, len(p.tree.children))
	for i := range p.tree.children {
		c := &p.tree.children[i]
		v, ok := src.Attribute(c.step.key)
		if !ok {
			continue
		}
		if v, ok = c.pick(v); ok {
			out = append(out, attr.Field{Name: c.step.key, Value: v})
		}
	}
	return out
}

// branch is a set of document paths that begin alike. Either a path ends here
// or there are children, sorted, all of them keys or all of them indexes.
type branch struct {
	step     step
	children []branch
	path     *path
	action   *action // of an update, what to do where the path leads
}

// graft adds a path to the tree, or notes why it cannot go in.
func (p *parser) graft(tree *branch, add *path) {
	at := tree
	for i := -1; i < len(add.steps); i++ {
		s := step{key: add.root}
		if i >= 0 {
			s = add.steps[i]
		}
		if at.path != nil {
			p.overlap("overlap", add, at)
			return
		}
		if len(at.children) > 0 && (at.children[0].step.key == "") != (s.key == "") {
			p.overlap("conflict", add, at)
			return
		}
		at = at.child(s)
	}
	if at.path != nil || len(at.children) > 0 {
		p.overlap("overlap", add, at)
		return
	}
	at.path = add
}

// overlap notes that a path cannot go in because of those of a branch, the last
// of which the service names.
func (p *parser) overlap(how string, add *path, with *branch) {
	for with.path == nil {
		with = &with.children[len(with.children)-1]
	}
	p.leafFault(leafDistinct, "Two document paths %s with each other; must remove or rewrite one of these paths; path one: %s, path two: %s", how, add, with.path)
}

// child returns the branch behind s and makes it if it is not there.
func (b *branch) child(s step) *branch {
	i, found := slices.BinarySearchFunc(b.children, s, func(c branch, s step) int {
		if order := strings.Compare(c.step.key, s.key); order != 0 {
			return order
		}
		return c.step.index - s.index
	})
	if !found {
		b.children = slices.Insert(b.children, i, branch{step: s})
	}
	return &b.children[i]
}

// pick returns the part of v that the branch names; ok is false if there is
// nothing of it.
func (b *branch) pick(v attr.Value) (out attr.Value, ok bool) {
	if b.path != nil {
		return v, true
	}
	if b.children[0].step.key == "" {
		var elements []attr.Value
		b.each(v, func(_ step, v attr.Value) { elements = append(elements, v) })
		return attr.List(elements...), len(elements) > 0
	}
	var fields attr.Item
	b.each(v, func(s step, v attr.Value) { fields = append(fields, attr.Field{Name: s.key, Value: v}) })
	return attr.Map(fields), len(fields) > 0
}

// each calls found for every child of which v has a part.
func (b *branch) each(v attr.Value, found func(step, attr.Value)) {
	for i := range b.children {
		c := &b.children[i]
		inner, ok := c.step.from(v)
		if !ok {
			continue
		}
		if inner, ok = c.pick(inner); ok {
			found(c.step, inner)
		}
	}
}
