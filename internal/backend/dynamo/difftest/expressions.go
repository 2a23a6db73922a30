package difftest

import (
	"strings"

	"github.com/lakebench/lakebench/internal/attr"
)

// condition makes a condition of at most depth operators above each other; keys
// reports whether key attributes may be in it.
func (p *placeholders) condition(depth int, keys bool) string {
	if depth > 0 && p.oneIn(2) {
		switch p.IntN(3) {
		case 0:
			return p.condition(depth-1, keys) + " AND " + p.condition(depth-1, keys)
		case 1:
			return "(" + p.condition(depth-1, keys) + " OR " + p.condition(depth-1, keys) + ")"
		default:
			return "NOT " + p.condition(depth-1, keys)
		}
	}
	path := p.conditionPath(keys)
	switch p.IntN(8) {
	case 0:
		return "attribute_exists(" + path + ")"
	case 1:
		return "attribute_not_exists(" + path + ")"
	case 2:
		kind := attr.String(pick(p.generator, []string{"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"}))
		return "attribute_type(" + path + ", " + p.placeholder(kind) + ")"
	case 3:
		return "begins_with(" + path + ", " + p.placeholder(attr.String(pick(p.generator, []string{"", "a", "ab"}))) + ")"
	case 4:
		return "contains(" + path + ", " + p.placeholder(p.value(2)) + ")"
	case 5:
		return path + " IN (" + p.placeholder(p.value(1)) + ", " + p.operand(keys) + ")"
	case 6:
		return path + " BETWEEN " + p.placeholder(num("0")) + " AND " + p.placeholder(num("2"))
	default:
		return p.comparison(path, keys)
	}
}

func (p *placeholders) comparison(left string, keys bool) string {
	if p.oneIn(4) {
		left = "size(" + left + ")"
	}
	operator := pick(p.generator, []string{"=", "<>", "<", "<=", ">", ">="})
	return left + " " + operator + " " + p.operand(keys)
}

// operand is mostly a value that has an order.
func (p *placeholders) operand(keys bool) string {
	switch p.IntN(6) {
	case 0:
		return p.conditionPath(keys)
	case 1:
		return p.placeholder(p.value(2))
	case 2:
		return p.placeholder(pick(p.generator, keyValues[attr.S]))
	default:
		return p.placeholder(p.number())
	}
}

func (p *placeholders) conditionPath(keys bool) string {
	if keys && p.oneIn(6) {
		return p.name(pick(p.generator, []string{hashName, sortName}))
	}
	return p.path()
}

// projection makes a list of paths, which may overlap.
func (p *placeholders) projection() string {
	paths := []string{p.conditionPath(true)}
	for range p.IntN(3) {
		paths = append(paths, p.conditionPath(true))
	}
	return strings.Join(paths, ", ")
}

// keyCondition makes the condition of a query.
func (p *placeholders) keyCondition() string {
	text := p.name(hashName) + " = " + p.placeholder(pick(p.generator, keyValues[p.table.hash][:3]))
	if p.table.sort == attr.Invalid || p.oneIn(3) {
		return text
	}
	values := keyValues[p.table.sort]
	sort, value := p.name(sortName), func() string { return p.placeholder(pick(p.generator, values)) }
	switch p.IntN(4) {
	case 0:
		return text + " AND " + sort + " BETWEEN " + value() + " AND " + value()
	case 1:
		if p.table.sort != attr.N {
			return text + " AND begins_with(" + sort + ", " + value() + ")"
		}
		fallthrough
	default:
		return text + " AND " + sort + " " + pick(p.generator, []string{"=", "<", "<=", ">", ">="}) + " " + value()
	}
}

// update makes an update expression of every section, with paths that may overlap.
func (p *placeholders) update() string {
	var sections []string
	for _, s := range []struct {
		verb   string
		clause func() string
	}{
		{"SET", func() string { return p.changedPath(attributes...) + " = " + p.setValue() }},
		{"REMOVE", func() string { return p.changedPath(attributes...) }},
		{"ADD", p.add},
		{"DELETE", func() string { return p.changedPath("s") + " " + p.placeholder(p.anySet()) }},
	} {
		if p.oneIn(3) || s.verb == "SET" && p.oneIn(2) {
			clauses := []string{s.clause()}
			for p.oneIn(3) {
				clauses = append(clauses, s.clause())
			}
			sections = append(sections, s.verb+" "+strings.Join(clauses, ", "))
		}
	}
	if len(sections) == 0 {
		sections = append(sections, "SET "+p.updatePath()+" = "+p.setValue())
	}
	p.Shuffle(len(sections), func(i, j int) { sections[i], sections[j] = sections[j], sections[i] })
	return strings.Join(sections, " ")
}

// updatePath is now and then one that cannot be updated.
func (p *placeholders) updatePath() string {
	if p.oneIn(10) {
		return p.name(hashName)
	}
	return p.changedPath(attributes...)
}

// add mostly adds to what is of the operand's type.
func (p *placeholders) add() string {
	if p.oneIn(3) {
		return p.changedPath("s") + " " + p.placeholder(p.anySet())
	}
	return p.changedPath("a", "b") + " " + p.placeholder(p.number())
}

func (p *placeholders) anySet() attr.Value {
	return p.setOf(pick(p.generator, []attr.Kind{attr.SS, attr.SS, attr.SS, attr.NS, attr.BS}))
}

func (p *placeholders) setValue() string {
	switch p.IntN(8) {
	case 0:
		return p.setOperand() + " + " + p.setOperand()
	case 1:
		return p.setOperand() + " - " + p.placeholder(p.number())
	case 2:
		return "list_append(" + p.listOperand() + ", " + p.listOperand() + ")"
	case 3:
		return p.setOperand()
	default:
		return p.placeholder(p.value(0))
	}
}

func (p *placeholders) setOperand() string {
	switch p.IntN(5) {
	case 0:
		return p.path()
	case 1:
		return "if_not_exists(" + p.path() + ", " + p.placeholder(p.number()) + ")"
	case 2:
		return pick(p.generator, []string{"a", "b", "m.a"})
	default:
		return p.placeholder(p.number())
	}
}

func (p *placeholders) listOperand() string {
	list := attr.List(p.value(1), p.value(1))
	switch p.IntN(6) {
	case 0, 1:
		return "if_not_exists(l, " + p.placeholder(list) + ")"
	case 2:
		return "l"
	case 3:
		return p.path()
	default:
		return p.placeholder(list)
	}
}
