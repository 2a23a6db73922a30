package dynamo

import (
	"errors"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/expr"
)

// inbound turns what the SDK sends into what the engine reads. The first error
// stays, and what is returned after it is of no use.
type inbound struct{ err error }

func (c *inbound) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// item converts an item or a key; nil stays nil.
func (c *inbound) item(m map[string]types.AttributeValue) attr.Item { return c.fields(m, 1) }

func (c *inbound) fields(m map[string]types.AttributeValue, level int) attr.Item {
	if m == nil {
		return nil
	}
	fields := make([]attr.Field, 0, len(m))
	for name, v := range m {
		if name == "" {
			c.fail(&attr.ValueError{Rule: attr.EmptyName, Message: "Empty attribute name"})
		}
		fields = append(fields, attr.Field{Name: utf8Only(name), Value: c.value(v, level)})
	}
	it, err := attr.NewItem(fields...)
	if err != nil {
		c.fail(err)
	}
	return it
}

// value converts a value that is nested in level-1 lists and maps.
func (c *inbound) value(v types.AttributeValue, level int) attr.Value {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return attr.String(utf8Only(v.Value))
	case *types.AttributeValueMemberN:
		return c.checked(attr.Number(v.Value))
	case *types.AttributeValueMemberB:
		if v.Value == nil { // the SDK sends a null
			c.fail(attr.NoValue())
		}
		return attr.Binary(string(v.Value))
	case *types.AttributeValueMemberBOOL:
		return attr.Bool(v.Value)
	case *types.AttributeValueMemberNULL:
		if !v.Value {
			c.fail(attr.NullFalseError())
		}
		return attr.Null()
	case *types.AttributeValueMemberL:
		return c.list(v.Value, level)
	case *types.AttributeValueMemberM:
		if c.tooDeep(level) {
			return attr.Value{}
		}
		return attr.Map(c.fields(v.Value, level+1))
	case *types.AttributeValueMemberSS:
		return c.checked(attr.Set(attr.SS, texts(v.Value)))
	case *types.AttributeValueMemberNS:
		return c.checked(attr.Set(attr.NS, slices.Clone(v.Value)))
	case *types.AttributeValueMemberBS:
		members := make([]string, len(v.Value))
		for i, m := range v.Value {
			members[i] = string(m)
		}
		return c.checked(attr.Set(attr.BS, members))
	default: // a nil, or from a newer SDK
		c.fail(attr.NoValue())
		return attr.Value{}
	}
}

func (c *inbound) checked(v attr.Value, err error) attr.Value {
	if err != nil {
		c.fail(err)
	}
	return v
}

func (c *inbound) list(elements []types.AttributeValue, level int) attr.Value {
	if c.tooDeep(level) {
		return attr.Value{}
	}
	values := make([]attr.Value, len(elements))
	for i, e := range elements {
		values[i] = c.value(e, level+1)
	}
	return attr.List(values...)
}

func (c *inbound) tooDeep(level int) bool {
	if level <= attr.MaxDepth {
		return false
	}
	c.fail(attr.NestedTooDeep())
	return true
}

// names converts ExpressionAttributeNames, in order, so that the first error is
// always the same.
func (c *inbound) names(m map[string]string) []expr.Name {
	if m == nil {
		return nil
	}
	names := make([]expr.Name, 0, len(m))
	for placeholder, attribute := range m {
		names = append(names, expr.Name{Placeholder: placeholder, Attribute: utf8Only(attribute)})
	}
	slices.SortFunc(names, byPlaceholder)
	return names
}

func (c *inbound) placeholders(names map[string]string, values map[string]types.AttributeValue) placeholders {
	return placeholders{names: c.names(names), values: c.item(values)}
}

func (c *inbound) capacity(mode types.ReturnConsumedCapacity) capacityMode {
	if mode == "" {
		return capacityNone
	}
	m, err := capacityModeOf(string(mode))
	if err != nil {
		c.fail(err)
	}
	return m
}

// legacy refuses a parameter from before expressions, if it is there.
func (c *inbound) legacy(name string, present bool) {
	if present {
		c.fail(refuseLegacy(name))
	}
}

// text converts an expression; nil stays nil.
func text(s *string) *string {
	if s == nil || utf8.ValidString(*s) {
		return s
	}
	t := utf8Only(*s)
	return &t
}

func texts(from []string) []string {
	to := make([]string, len(from))
	for i, s := range from {
		to[i] = utf8Only(s)
	}
	return to
}

// utf8Only is what the SDK makes of a string on its way to the wire: every byte
// that is not UTF-8 becomes U+FFFD.
func utf8Only(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

func tablesIn[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// direct is the item in the SDK's types; nil if there is none.
func (v *itemView) direct() map[string]types.AttributeValue {
	switch {
	case v == nil || v.schema == nil:
		return nil
	case v.row == "":
		return directItem(v.projected)
	}
	return v.stored.direct()
}

func (i *stored) direct() map[string]types.AttributeValue {
	var buf [2]attr.Field
	keys := i.keyFields(buf[:0])
	rest := i.encoded().Item()
	m := make(map[string]types.AttributeValue, len(keys)+len(rest))
	addDirect(m, keys)
	addDirect(m, rest)
	return m
}

// directItem is nil for nil.
func directItem(it attr.Item) map[string]types.AttributeValue {
	if it == nil {
		return nil
	}
	m := make(map[string]types.AttributeValue, len(it))
	addDirect(m, it)
	return m
}

func addDirect(m map[string]types.AttributeValue, fields []attr.Field) {
	for i := range fields {
		m[fields[i].Name] = directValue(fields[i].Value)
	}
}

func directValue(v attr.Value) types.AttributeValue {
	switch v.Kind() {
	case attr.S:
		return &types.AttributeValueMemberS{Value: v.Text()}
	case attr.N:
		return &types.AttributeValueMemberN{Value: v.Text()}
	case attr.B:
		return &types.AttributeValueMemberB{Value: []byte(v.Text())}
	case attr.BOOL:
		return &types.AttributeValueMemberBOOL{Value: v.Bool()}
	case attr.NULL:
		return &types.AttributeValueMemberNULL{Value: true}
	case attr.L:
		list := make([]types.AttributeValue, v.Len())
		for i, e := range v.Elements() {
			list[i] = directValue(e)
		}
		return &types.AttributeValueMemberL{Value: list}
	case attr.M:
		m := make(map[string]types.AttributeValue, v.Len())
		addDirect(m, v.Fields())
		return &types.AttributeValueMemberM{Value: m}
	case attr.SS:
		return &types.AttributeValueMemberSS{Value: slices.Clone(v.Members())}
	case attr.NS:
		return &types.AttributeValueMemberNS{Value: slices.Clone(v.Members())}
	case attr.BS:
		members := make([][]byte, v.Len())
		for i, m := range v.Members() {
			members[i] = []byte(m)
		}
		return &types.AttributeValueMemberBS{Value: members}
	case attr.Invalid:
	}
	panic(errors.New("dynamo: an item holds a value of no type"))
}
