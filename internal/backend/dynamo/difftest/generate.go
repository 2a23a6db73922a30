package difftest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/lakebench/lakebench/internal/attr"
)

// table is one of the tables that requests are about: its key's attributes with
// few values each, so that requests meet.
type table struct {
	name       string
	hash, sort attr.Kind // sort is Invalid without a sort key
}

var tables = []table{
	{"hash-S", attr.S, attr.Invalid},
	{"hash-N", attr.N, attr.Invalid},
	{"hash-B", attr.B, attr.Invalid},
	{"sorted-S", attr.S, attr.S},
	{"sorted-N", attr.S, attr.N},
	{"sorted-B", attr.N, attr.B},
}

// Names of the key attributes.
const (
	hashName = "k"
	sortName = "r"
)

// attributes are the names of the others. Most of the time a and b are numbers, s is a
// set of strings, l a list and m a map, so that most expressions find what they look
// for; c and x_1 are anything.
var attributes = []string{"a", "b", "c", "m", "l", "s", "x_1"}

// keyValues are the values of key attributes by type: negative numbers, numbers
// that sort otherwise than their texts, bytes above 0x7f.
var keyValues = map[attr.Kind][]attr.Value{
	attr.S: {attr.String("a"), attr.String("ab"), attr.String("b"), attr.String("é"), attr.String("😀"), attr.String("~")},
	attr.N: {num("-10"), num("-1.5"), num("0"), num("2"), num("10"), num("1E20")},
	attr.B: {attr.Binary("\x00"), attr.Binary("\x00\x01"), attr.Binary("a"), attr.Binary("\x7f"), attr.Binary("\x80"), attr.Binary("\xff\xff")},
}

func num(text string) attr.Value {
	v, err := attr.Number(text)
	if err != nil {
		panic(err) // a constant of this package
	}
	return v
}

// generator makes requests from a seed, about a few of the tables, so that requests
// meet each other's items.
type generator struct {
	*rand.Rand
	tables []table
}

func newGenerator(seed uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0))}
	for _, i := range g.Perm(len(tables))[:2] {
		g.tables = append(g.tables, tables[i])
	}
	return g
}

func pick[T any](g *generator, from []T) T { return from[g.IntN(len(from))] }

// one in n.
func (g *generator) oneIn(n int) bool { return g.IntN(n) == 0 }

func (g *generator) key(t table) attr.Item {
	key := attr.Item{}.With(hashName, pick(g, keyValues[t.hash][:3]))
	if t.sort != attr.Invalid {
		key = key.With(sortName, pick(g, keyValues[t.sort][:4]))
	}
	if g.oneIn(200) { // one that does not fit
		key = key.With(pick(g, []string{hashName, sortName, "a"}), g.value(1))
	}
	return key
}

func (g *generator) item(t table) attr.Item {
	it := g.key(t)
	return g.fill(it, 0)
}

// fill adds attributes to an item or a map that is nested in level others.
func (g *generator) fill(it attr.Item, level int) attr.Item {
	for range g.IntN(6) {
		name := pick(g, attributes)
		it = it.With(name, g.valueOf(name, level))
	}
	return it
}

// valueOf makes a value for an attribute, mostly one of its type.
func (g *generator) valueOf(name string, level int) attr.Value {
	if level > 2 || g.oneIn(6) {
		return g.value(level)
	}
	switch name {
	case "a", "b":
		return g.number()
	case "s":
		return g.setOf(attr.SS)
	case "l":
		return g.list(level)
	case "m":
		return attr.Map(g.fill(nil, level+1))
	default:
		return g.value(level)
	}
}

func (g *generator) list(level int) attr.Value {
	var elements []attr.Value
	for range g.IntN(4) {
		elements = append(elements, g.valueOf(pick(g, attributes), level+1))
	}
	return attr.List(elements...)
}

// value makes a value of any type that is nested in level lists and maps.
func (g *generator) value(level int) attr.Value {
	n := g.IntN(20)
	if level > 2 {
		n %= 12
	}
	switch {
	case n < 5:
		return g.number()
	case n < 9:
		return attr.String(pick(g, []string{"", "a", "ab", "abc", "b", "é"}))
	case n < 10:
		return attr.Binary(pick(g, []string{"", "a", "\xff"}))
	case n < 11:
		return attr.Bool(g.oneIn(2))
	case n < 12:
		return attr.Null()
	case n < 15:
		return g.setOf(pick(g, []attr.Kind{attr.SS, attr.NS, attr.BS}))
	case n < 17:
		return g.list(level)
	default:
		return attr.Map(g.fill(nil, level+1))
	}
}

func (g *generator) number() attr.Value {
	return num(pick(g, []string{"0", "1", "2", "3", "-1", "1.5", "-0.25", "100", "12345678901234567890123456789012345678", "1E-20"}))
}

func (g *generator) setOf(kind attr.Kind) attr.Value {
	texts := map[attr.Kind][]string{attr.SS: {"a", "b", "c"}, attr.NS: {"1", "2.5", "-3"}, attr.BS: {"\x00", "a", "\xff"}}[kind]
	members := []string{pick(g, texts)}
	if other := pick(g, texts); other != members[0] {
		members = append(members, other)
	}
	v, err := attr.Set(kind, members)
	if err != nil {
		panic(err) // different members, at least one
	}
	return v
}

// body is a request's members.
type body map[string]any

func raw(it attr.Item) json.RawMessage { return it.AppendJSON(nil) }

// placeholders collects the names and values of a request's expressions.
type placeholders struct {
	*generator
	table  table
	names  map[string]string
	values attr.Item
	// changed are the attributes that an update's paths begin at so far. Paths that
	// overlap are refused, which shows little else.
	changed []string
}

func (g *generator) placeholders(t table) *placeholders {
	return &placeholders{generator: g, table: t, names: map[string]string{}}
}

// into puts what has been collected into a request.
func (p *placeholders) into(b body) {
	if len(p.names) > 0 {
		b["ExpressionAttributeNames"] = p.names
	}
	if len(p.values) > 0 {
		b["ExpressionAttributeValues"] = raw(p.values)
	}
}

// placeholder returns one for a value.
func (p *placeholders) placeholder(v attr.Value) string {
	name := fmt.Sprintf(":v%d", len(p.values))
	p.values = p.values.With(name, v)
	return name
}

// name is an attribute's, bare or by a placeholder.
func (p *placeholders) name(attribute string) string {
	if p.oneIn(3) {
		p.names["#"+attribute] = attribute
		return "#" + attribute
	}
	return attribute
}

// path is a document path, mostly a short one that fits the attribute it begins at.
func (p *placeholders) path() string { return p.pathFrom(pick(p.generator, attributes)) }

// changedPath is one that an update changes, mostly at an attribute of its own.
func (p *placeholders) changedPath(from ...string) string {
	attribute := pick(p.generator, from)
	for range 5 {
		if !slices.Contains(p.changed, attribute) {
			break
		}
		attribute = pick(p.generator, attributes)
	}
	p.changed = append(p.changed, attribute)
	return p.pathFrom(attribute)
}

func (p *placeholders) pathFrom(attribute string) string {
	text := p.name(attribute)
	switch {
	case attribute == "m" && !p.oneIn(3):
		text += "." + p.name(pick(p.generator, attributes))
	case attribute == "l" && !p.oneIn(3):
		text += fmt.Sprintf("[%d]", p.IntN(4))
	}
	for p.oneIn(10) {
		if p.oneIn(2) {
			text += fmt.Sprintf("[%d]", p.IntN(4))
		} else {
			text += "." + p.name(pick(p.generator, attributes))
		}
	}
	return text
}
