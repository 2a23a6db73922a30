package migrate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
	v1 "github.com/lakebench/lakebench/store/v1"
	v2 "github.com/lakebench/lakebench/store/v2"
)

// An original is a record of v1 as a read found it.
type original struct {
	key   string
	value []byte
	// kind is why v2 cannot hold it, "" if it can; detail is the same in words.
	kind   control.ProblemKind
	detail string
}

// original looks at what v1 holds. The error is of an item without a string as its
// key, which a v1 table cannot hold.
func (m *Migrator) original(raw map[string]types.AttributeValue) (original, error) {
	key, err := item.Name(raw)
	if err != nil {
		return original{}, fmt.Errorf("table %s: %w", m.cfg.Table, err)
	}
	it := original{key: key}
	value, bad := item.Value(raw)
	switch others := otherAttributes(raw, keyspace.AttrKey, keyspace.AttrValue); {
	case len(key) > keyspace.MaxKeyBytes:
		it.fail(control.KeyTooLong, "the key has %d bytes, in v2 at most %d are possible", len(key), keyspace.MaxKeyBytes)
	case bad != nil:
		it.fail(control.NoBinaryValue, "%v", bad)
	case len(others) > 0:
		it.fail(control.OtherAttributes, "beside key and value it has %s, which v2 would lose", strings.Join(others, ", "))
	case m.v2Bytes(key, value) > units.MaxItemBytes:
		it.fail(control.ItemTooLarge, "in v2 it would have %d bytes, at most %d are possible", m.v2Bytes(key, value), units.MaxItemBytes)
	}
	it.value = value
	return it, nil
}

func (it *original) fail(kind control.ProblemKind, format string, args ...any) {
	it.kind, it.detail = kind, fmt.Sprintf(format, args...)
}

// v2Value returns the value of a record of v2, and what is wrong with the record: ""
// if it is one that a store writes.
func v2Value(raw map[string]types.AttributeValue) (value []byte, strange string) {
	value, err := item.Value(raw)
	if err != nil {
		return nil, err.Error()
	}
	if others := otherAttributes(raw, keyspace.AttrBucket, keyspace.AttrKey, keyspace.AttrValue); len(others) > 0 {
		return value, "it also has " + strings.Join(others, ", ")
	}
	return value, ""
}

// otherAttributes are those that a layout does not know, by name.
func otherAttributes(raw map[string]types.AttributeValue, known ...string) []string {
	var others []string
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		if !slices.Contains(known, name) {
			others = append(others, fmt.Sprintf("%q", name))
		}
	}
	return others
}

func (m *Migrator) v2Bytes(key string, value []byte) int {
	return v2.ItemBytes(m.cfg.Shards, key, value)
}

// v1Record and v2Record are the places of a key.
func (m *Migrator) v1Record(key string) item.Record { return v1.Layout(m.cfg.Table).Record(key) }
func (m *Migrator) v2Record(key string) item.Record {
	return v2.Layout(m.v2Table(), m.cfg.Shards).Record(key)
}
