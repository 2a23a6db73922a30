package attr

import (
	"bytes"
	"encoding/base64"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxDepth is how many lists and maps may be nested in each other inside an
// attribute, its own value included. The guide says "up to 32 levels deep" (page
// ServiceQuotas); the service counts the item itself as one: 31 lists in each
// other are stored and 32 refused.
const MaxDepth = 31

// strictBase64 refuses set bits behind the last byte, as the service does. Line
// breaks, which Go skips, are refused by hand.
var strictBase64 = base64.StdEncoding.Strict()

// Value reads a value in DynamoDB JSON: an object with exactly one type key,
// as in {"S": "text"}. Other keys are skipped and members that are null count
// as absent, as the service has it.
func (r *Reader) Value() (Value, error) { return r.value(1) }

// Item reads an object of values in DynamoDB JSON. When a value in it is
// invalid, the whole item is read and the error is the first *ValueError.
func (r *Reader) Item() (Item, error) { return r.fields(1) }

// value reads a value that is nested in level-1 lists and maps.
func (r *Reader) value(level int) (Value, error) {
	if null, err := r.Null(); null || err != nil {
		return Value{}, firstError(err, NoValue())
	}
	var v Value
	var invalid error
	types := 0
	err := r.Object(func(name string) error {
		kind := KindOf(name)
		if kind == Invalid {
			return r.Skip()
		}
		if null, err := r.Null(); null || err != nil {
			return err
		}
		types++
		var err error
		v, err = r.contents(kind, level)
		return setAside(name, err, &invalid)
	})
	switch {
	case err != nil:
		return Value{}, err
	case invalid != nil:
		return Value{}, invalid
	case types == 0:
		return Value{}, NoValue()
	case types > 1:
		return Value{}, &ValueError{Rule: SeveralTypes, Message: "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"}
	}
	return v, nil
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// setAside keeps the first *ValueError in first, on its way out of the part
// called name, and returns any other error: after an invalid value reading goes
// on.
func setAside(name string, err error, first *error) error {
	invalid, ok := err.(*ValueError) //nolint:errorlint // comes straight from this package's Reader
	if !ok {
		return err
	}
	if *first == nil {
		*first = within(name, invalid)
	}
	return nil
}

// contents reads what stands behind the type key of kind.
func (r *Reader) contents(kind Kind, level int) (Value, error) {
	switch kind {
	case S:
		s, err := r.String()
		return String(s), err
	case N:
		s, err := r.String()
		if err != nil {
			return Value{}, err
		}
		return Number(s)
	case B:
		b, err := r.base64()
		return Binary(b), err
	case BOOL:
		b, err := r.Bool()
		return Bool(b), err
	case NULL:
		b, err := r.Bool()
		if err == nil && !b {
			err = NullFalseError()
		}
		return Null(), err
	case L:
		if level > MaxDepth {
			return Value{}, r.tooDeep()
		}
		return r.list(level)
	case M:
		if level > MaxDepth {
			return Value{}, r.tooDeep()
		}
		fields, err := r.fields(level + 1)
		return Map(fields), err
	default:
		return r.set(kind)
	}
}

// tooDeep skips a list or map that is nested too deeply.
func (r *Reader) tooDeep() error {
	if err := r.Skip(); err != nil {
		return err
	}
	return NestedTooDeep()
}

func (r *Reader) list(level int) (Value, error) {
	var elements []Value
	var invalid error
	err := r.Array(func(i int) error {
		v, err := r.value(level + 1)
		elements = append(elements, v)
		return setAside(index(i), err, &invalid)
	})
	return List(elements...), firstError(err, invalid)
}

func (r *Reader) set(kind Kind) (Value, error) {
	var members []string
	var invalid error
	err := r.Array(func(i int) error {
		if null, err := r.Null(); null || err != nil {
			return firstError(err, setAside(index(i), nullMember(kind), &invalid))
		}
		var m string
		var err error
		if kind == BS {
			m, err = r.base64()
		} else {
			m, err = r.String()
		}
		members = append(members, m)
		return err
	})
	if err = firstError(err, invalid); err != nil {
		return Value{}, err
	}
	return Set(kind, members)
}

// typicalFields is the room made for an item at first.
const typicalFields = 4

// fields reads an object whose values are nested in level-1 lists and maps.
func (r *Reader) fields(level int) (Item, error) {
	fields := make(Item, 0, typicalFields)
	var invalid error
	start := r.next()
	err := r.Object(func(name string) error {
		v, err := r.value(level)
		if name == "" {
			err = firstError(err, &ValueError{Rule: EmptyName, Message: "Empty attribute name"})
		}
		fields = append(fields, Field{Name: name, Value: v})
		return setAside(name, err, &invalid)
	})
	if err != nil {
		return nil, err
	}
	if invalid != nil {
		return nil, invalid
	}
	item, err := NewItem(fields...)
	if err != nil {
		return nil, &SyntaxError{Offset: start, Problem: err.Error()}
	}
	return item, nil
}

// base64 reads a string of base64 text and returns the bytes.
func (r *Reader) base64() (string, error) {
	if t := r.Peek(); t != JSONString {
		return "", r.wrongType(JSONBase64, t)
	}
	start := r.next()
	quoted, err := r.decoder.ReadValue()
	if err != nil {
		return "", r.malformed(err)
	}
	text := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		if text, err = jsontext.AppendUnquote(nil, quoted); err != nil {
			return "", r.malformed(err)
		}
	}
	r.scratch, err = strictBase64.AppendDecode(r.scratch[:0], text)
	if err != nil || bytes.ContainsAny(text, "\r\n") {
		return "", &TypeError{Offset: start, Want: JSONBase64, Found: JSONString}
	}
	return string(r.scratch), nil
}
