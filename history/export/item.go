package export

import (
	"errors"
	"fmt"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/units"
)

// maxLine bounds a line of an export. An item has at most 409,600 bytes, and
// what takes most text for each of them is a list of empty strings: nine
// characters, {"S":""} and a comma, for one byte. That is 3.7 MB; twice as much
// leaves room for spaces.
const maxLine = 8 << 20

// An item is what is kept of one exported item.
type item struct {
	key   string
	bytes int // of the whole item, by the sizing rules
}

// A parser parses the lines of an export in DynamoDB JSON.
type parser struct {
	keyAttribute string
	reader       attr.Reader
}

// parse returns the item of one line, {"Item":{…}}.
func (p *parser) parse(line []byte) (item, error) {
	if len(line) == 0 {
		return item{}, errors.New("empty line")
	}
	p.reader.Reset(line)
	var attributes attr.Item
	found := false
	err := p.reader.Object(func(name string) (err error) {
		switch {
		case name == "NewImage" || name == "Keys" || name == "Metadata":
			return fmt.Errorf("%w: the line has %q", ErrIncremental, name)
		case name != "Item":
			return fmt.Errorf("unknown member %q, expected \"Item\"", name)
		case found:
			return errors.New(`a second "Item"`)
		}
		found = true
		attributes, err = p.reader.Item()
		return err
	})
	if err == nil {
		err = p.reader.End()
	}
	switch {
	case err != nil:
		return item{}, err
	case !found:
		return item{}, errors.New(`no "Item"`)
	}
	return p.item(attributes)
}

// item returns what is kept of an item, whose key must be a string that DynamoDB
// takes as a key.
func (p *parser) item(attributes attr.Item) (item, error) {
	if len(attributes) == 0 {
		return item{}, errors.New("item without attributes")
	}
	i, ok := attributes.Index(p.keyAttribute)
	if !ok {
		return item{}, fmt.Errorf("no key attribute %q; there is %q, for one", p.keyAttribute, attributes[0].Name)
	}
	key := attributes[i].Value
	if key.Kind() != attr.S {
		return item{}, fmt.Errorf("attribute %q: type %v, expected the key to be a string (S)", p.keyAttribute, key.Kind())
	}
	it := item{key.Text(), attributes.Size()}
	switch n := len(it.key); {
	case n < 1 || n > units.MaxPartitionKeyBytes:
		return item{}, fmt.Errorf("attribute %q: key of %d bytes, expected 1 to %d", p.keyAttribute, n, units.MaxPartitionKeyBytes)
	case it.bytes > units.MaxItemBytes:
		return item{}, fmt.Errorf("item of %d bytes, expected at most %d", it.bytes, units.MaxItemBytes)
	}
	return it, nil
}
