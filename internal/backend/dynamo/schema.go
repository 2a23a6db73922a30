package dynamo

import (
	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/rows"
	"github.com/lakebench/lakebench/internal/units"
)

// keyAttribute is one attribute of a table's primary key.
type keyAttribute struct {
	name string
	kind attr.Kind // S, N or B
}

// schema is a table's primary key.
type schema struct {
	partition keyAttribute
	sort      keyAttribute // no name: the key is the partition key alone
}

func (s *schema) hasSort() bool { return s.sort.name != "" }

func (s *schema) isKey(attribute string) bool {
	return attribute == s.partition.name || s.hasSort() && attribute == s.sort.name
}

// keys are the attributes of the primary key.
func (s *schema) keys() []keyAttribute {
	if s.hasSort() {
		return []keyAttribute{s.partition, s.sort}
	}
	return []keyAttribute{s.partition}
}

// Messages of AWS about keys, as observed by emulator projects that compare
// themselves with it.
const (
	keyMismatch   = "The provided key element does not match the schema"
	keyMissing    = "One or more parameter values were invalid: Missing the key %s in the item"
	keyType       = "One or more parameter values were invalid: Type mismatch for key %s expected: %s actual: %s"
	keyEmpty      = "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty %s value. Key: %s"
	partitionLong = "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes"
	sortLong      = "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
	itemLong      = "Item size has exceeded the maximum allowed size"
)

// mismatch is the error of keys that do not fit the schema. The service finds
// it while a transaction runs, unlike that of an empty key, which refuses the
// request up front (captured on AWS: paritysuite/dynamodb-conformance#46, #60).
func mismatch(format string, args ...any) *serviceError {
	err := invalid(format, args...)
	err.perAction = true
	return err
}

// keyRow returns the row key of a request's Key, which must hold the key
// attributes and nothing else.
func (s *schema) keyRow(key attr.Item) (rows.Row, *serviceError) {
	want := 1
	if s.hasSort() {
		want = 2
	}
	if len(key) != want {
		return "", mismatch(keyMismatch)
	}
	partition, ok := key.Attribute(s.partition.name)
	if !ok || partition.Kind() != s.partition.kind {
		return "", mismatch(keyMismatch)
	}
	var sort attr.Value
	if s.hasSort() {
		if sort, ok = key.Attribute(s.sort.name); !ok || sort.Kind() != s.sort.kind {
			return "", mismatch(keyMismatch)
		}
	}
	if err := s.checkKeys(partition, sort); err != nil {
		return "", err
	}
	return makeRow(partition, sort, 0, nil), nil
}

// encodingRoom is what the encoding of most items takes besides their size.
const encodingRoom = 64

// itemRow returns the row of an item to be stored.
func (s *schema) itemRow(item attr.Item) (rows.Row, *serviceError) {
	partition, err := s.keyOf(item, s.partition)
	if err != nil {
		return "", err
	}
	var sort attr.Value
	if s.hasSort() {
		if sort, err = s.keyOf(item, s.sort); err != nil {
			return "", err
		}
	}
	if err := s.checkKeys(partition, sort); err != nil {
		return "", err
	}
	size := item.Size()
	if size > units.MaxItemBytes {
		return "", invalid(itemLong)
	}
	return makeRow(partition, sort, size, s.appendAttributes(make([]byte, 0, size+encodingRoom), item)), nil
}

func (s *schema) keyOf(item attr.Item, key keyAttribute) (attr.Value, *serviceError) {
	v, ok := item.Attribute(key.name)
	switch {
	case !ok:
		return v, mismatch(keyMissing, key.name)
	case v.Kind() != key.kind:
		return v, mismatch(keyType, key.name, key.kind, v.Kind())
	}
	return v, nil
}

// checkKeys applies the limits of key values (page ServiceQuotas).
func (s *schema) checkKeys(partition, sort attr.Value) *serviceError {
	if err := checkNotEmpty(s.partition.name, partition); err != nil {
		return err
	}
	if partition.Size() > units.MaxPartitionKeyBytes {
		return invalid(partitionLong)
	}
	if !s.hasSort() {
		return nil
	}
	if err := checkNotEmpty(s.sort.name, sort); err != nil {
		return err
	}
	if sort.Size() > units.MaxSortKeyBytes {
		return invalid(sortLong)
	}
	return nil
}

func checkNotEmpty(name string, v attr.Value) *serviceError {
	if v.Text() != "" {
		return nil
	}
	kind := "string"
	if v.Kind() == attr.B {
		kind = "binary"
	}
	return invalid(keyEmpty, kind, name)
}
