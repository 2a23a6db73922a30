package export

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lakebench/lakebench/internal/units"
)

// maxLine bounds a line of an export. An item has at most 409,600 bytes, and
// what takes most text for each of them is a list of empty strings: nine
// characters, {"S":""} and a comma, for one byte. That is 3.7 MB; twice as much
// leaves room for spaces.
const maxLine = 8 << 20

// maxDepth bounds the nesting of lists and maps (page ServiceQuotas: 32 levels).
const maxDepth = 32

// An item is what is kept of one exported item.
type item struct {
	key   string
	bytes int // of the whole item, by the sizing rules
}

// A parser parses the lines of an export in DynamoDB JSON.
type parser struct {
	keyAttribute string
	in           bytes.Reader
	dec          jsontext.Decoder
	text         []byte // scratch: the last string read
	raw          []byte // scratch: decoded base64
}

// parse returns the item of one line, {"Item":{…}}.
func (p *parser) parse(line []byte) (item, error) {
	if len(line) == 0 {
		return item{}, errors.New("empty line")
	}
	p.in.Reset(line)
	p.dec.Reset(&p.in)
	if err := p.open('{', "an object"); err != nil {
		return item{}, err
	}
	var it item
	for found := false; ; found = true {
		name, more, err := p.name()
		switch {
		case err != nil:
			return item{}, err
		case !more && !found:
			return item{}, errors.New(`no "Item"`)
		case !more:
			if _, err := p.dec.ReadToken(); !errors.Is(err, io.EOF) {
				return item{}, errors.New("text after the item")
			}
			return it, nil
		case string(name) == "NewImage" || string(name) == "Keys" || string(name) == "Metadata":
			return item{}, fmt.Errorf("%w: the line has %q", ErrIncremental, name)
		case string(name) != "Item":
			return item{}, fmt.Errorf("unknown member %q, expected \"Item\"", name)
		}
		if it, err = p.item(); err != nil {
			return item{}, err
		}
	}
}

func (p *parser) item() (item, error) {
	var it item
	if err := p.open('{', "an object of attributes"); err != nil {
		return it, err
	}
	other := ""
	for {
		name, more, err := p.name()
		if err != nil {
			return it, err
		}
		if !more {
			break
		}
		attribute := string(name)
		var n int
		if attribute == p.keyAttribute {
			it.key, err = p.key()
			n = units.StringSize(it.key)
		} else {
			n, err = p.value(0)
			other = attribute
		}
		if err != nil {
			return it, fmt.Errorf("attribute %q: %w", attribute, err)
		}
		it.bytes += units.StringSize(attribute) + n
	}
	switch {
	case it.key == "" && other == "":
		return it, errors.New("item without attributes")
	case it.key == "":
		return it, fmt.Errorf("no key attribute %q; there is %q, for one", p.keyAttribute, other)
	case it.bytes > units.MaxItemBytes:
		return it, fmt.Errorf("item of %d bytes, expected at most %d", it.bytes, units.MaxItemBytes)
	}
	return it, nil
}

// key reads the key attribute's value, which must be a string that DynamoDB
// takes as a key.
func (p *parser) key() (string, error) {
	kind, err := p.openValue()
	if err != nil {
		return "", err
	}
	if kind != "S" {
		return "", fmt.Errorf("type %s, expected the key to be a string (S)", kind)
	}
	text, err := p.string()
	if err != nil {
		return "", err
	}
	key := string(text)
	if n := len(key); n < 1 || n > units.MaxPartitionKeyBytes {
		return "", fmt.Errorf("key of %d bytes, expected 1 to %d", n, units.MaxPartitionKeyBytes)
	}
	return key, p.closeValue()
}

// value reads one attribute value and returns its size without the attribute's
// name (page CapacityUnitCalculations; package units has the rules).
func (p *parser) value(depth int) (int, error) {
	kind, err := p.openValue()
	if err != nil {
		return 0, err
	}
	var n int
	switch kind {
	case "S", "N", "B":
		n, err = p.scalar(kind)
	case "SS", "NS", "BS":
		n, err = p.set(kind[:1])
	case "BOOL":
		n, err = p.literal("true or false", 't', 'f')
	case "NULL":
		n, err = p.literal("true", 't')
	case "L":
		n, err = p.list(depth + 1)
	case "M":
		n, err = p.attributeMap(depth + 1)
	default:
		return 0, fmt.Errorf("unknown type %q", kind)
	}
	if err != nil {
		return 0, err
	}
	return n, p.closeValue()
}

// openValue reads {"<type>": and returns the type.
func (p *parser) openValue() (string, error) {
	if err := p.open('{', "an attribute value"); err != nil {
		return "", err
	}
	name, more, err := p.name()
	if err != nil {
		return "", err
	}
	if !more {
		return "", errors.New("attribute value without a type")
	}
	for _, kind := range [...]string{"S", "N", "B", "SS", "NS", "BS", "BOOL", "NULL", "L", "M"} {
		if string(name) == kind {
			return kind, nil // spares an allocation a value
		}
	}
	return string(name), nil
}

func (p *parser) closeValue() error {
	if name, more, err := p.name(); err != nil || more {
		if err == nil {
			err = fmt.Errorf("attribute value with a second type %q", name)
		}
		return err
	}
	return nil
}

// scalar reads a string that stands for a value of that kind.
func (p *parser) scalar(kind string) (int, error) {
	text, err := p.string()
	if err != nil {
		return 0, err
	}
	switch kind {
	case "N":
		return units.NumberSize(string(text))
	case "B":
		if p.raw, err = base64.StdEncoding.AppendDecode(p.raw[:0], text); err != nil {
			return 0, fmt.Errorf("binary value is not base64: %w", err)
		}
		return units.BinarySize(p.raw), nil
	default:
		return len(text), nil // units.StringSize without a copy
	}
}

// set reads an array of scalars: the sum of its members.
func (p *parser) set(kind string) (int, error) {
	sum, members := 0, 0
	err := p.array(func() error {
		n, err := p.scalar(kind)
		sum += n
		members++
		return err
	})
	if err == nil && members == 0 {
		err = errors.New("empty set")
	}
	return sum, err
}

func (p *parser) list(depth int) (int, error) {
	sum := units.ListOverhead
	if depth > maxDepth {
		return 0, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	err := p.array(func() error {
		n, err := p.value(depth)
		sum += n + units.ElementOverhead
		return err
	})
	return sum, err
}

func (p *parser) attributeMap(depth int) (int, error) {
	sum := units.MapOverhead
	if depth > maxDepth {
		return 0, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	if err := p.open('{', "a map"); err != nil {
		return 0, err
	}
	for {
		name, more, err := p.name()
		if err != nil || !more {
			return sum, err
		}
		sum += len(name) + units.ElementOverhead
		n, err := p.value(depth)
		if err != nil {
			return 0, err
		}
		sum += n
	}
}

func (p *parser) literal(expected string, kinds ...jsontext.Kind) (int, error) {
	token, err := p.dec.ReadToken()
	if err != nil {
		return 0, syntax(err)
	}
	for _, kind := range kinds {
		if token.Kind() == kind {
			return units.ScalarSize, nil
		}
	}
	return 0, fmt.Errorf("found %v, expected %s", token.Kind(), expected)
}

// array reads an array and calls element before each of its elements.
func (p *parser) array(element func() error) error {
	if err := p.open('[', "an array"); err != nil {
		return err
	}
	for p.dec.PeekKind() != ']' {
		if err := element(); err != nil {
			return err
		}
	}
	_, err := p.dec.ReadToken()
	return syntax(err)
}

func (p *parser) open(kind jsontext.Kind, expected string) error {
	token, err := p.dec.ReadToken()
	if err != nil {
		return syntax(err)
	}
	if token.Kind() != kind {
		return fmt.Errorf("found %v, expected %s", token.Kind(), expected)
	}
	return nil
}

// name reads the next member's name, or the end of the object and more = false.
// The name is valid until the next string is read. That no name occurs twice is
// the decoder's to see.
func (p *parser) name() (name []byte, more bool, err error) {
	if p.dec.PeekKind() == '}' {
		_, err := p.dec.ReadToken()
		return nil, false, syntax(err)
	}
	name, err = p.string()
	return name, err == nil, err
}

// string reads a string; it is valid until the next one is read.
func (p *parser) string() ([]byte, error) {
	value, err := p.dec.ReadValue()
	if err != nil {
		return nil, syntax(err)
	}
	if value.Kind() != '"' {
		return nil, fmt.Errorf("found %v, expected a string", value.Kind())
	}
	p.text, err = jsontext.AppendUnquote(p.text[:0], value)
	return p.text, syntax(err)
}

// syntax makes the decoder's error speak of the line that it is about.
func syntax(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("not JSON: the line ends early: %w", io.ErrUnexpectedEOF)
	default:
		return fmt.Errorf("not JSON: %w", err)
	}
}
