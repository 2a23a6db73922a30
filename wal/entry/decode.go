package entry

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// ErrDamaged is why a stream cannot be read: it is cut off, or is not what the
// format says.
var ErrDamaged = errors.New("damaged")

// Decode reads an object of the log. Its errors are ErrDamaged.
func Decode(data []byte) (Entry, error) {
	meta, rows, err := read(data)
	if err != nil {
		return Entry{}, err
	}
	e, err := header(meta)
	if err != nil {
		return Entry{}, err
	}
	switch {
	case e.Sentinel && len(rows) > 0:
		return Entry{}, damaged("a fence sentinel with %d rows; it has none", len(rows))
	case !e.Sentinel && len(rows) == 0:
		return Entry{}, damaged("no rows; only a fence sentinel has none")
	}
	e.Rows = rows
	return e, nil
}

// DecodeRows reads what EncodeRows has written. Its errors are ErrDamaged.
func DecodeRows(data []byte) ([]Row, error) {
	meta, rows, err := read(data)
	if err == nil && len(meta) > 0 {
		err = damaged("metadata %q, which data of lakebench does not have", meta[0].key)
	}
	return rows, err
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// header reads the metadata of an entry.
func header(meta []pair) (Entry, error) {
	var e Entry
	seen := map[string]bool{}
	for _, p := range meta {
		key, value := p.key, p.value
		if seen[key] {
			return Entry{}, damaged("metadata %q is there twice", key)
		}
		seen[key] = true
		var err error
		switch key {
		case metaWriterEpoch:
			e.WriterEpoch, err = positive(key, value)
		case metaGeneration:
			e.Generation, err = positive(key, value)
		case metaSentinel:
			if e.Sentinel = value == "true"; !e.Sentinel {
				err = damaged("metadata %s is %q, expected \"true\"", key, value)
			}
		default:
			err = damaged("metadata %q is unknown to this version, and may change what the rows mean", key)
		}
		if err != nil {
			return Entry{}, err
		}
	}
	if !seen[metaWriterEpoch] {
		return Entry{}, damaged("no metadata %s, which says who wrote the entry", metaWriterEpoch)
	}
	return e, nil
}

func positive(key, text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n == 0 || strconv.FormatUint(n, 10) != text {
		return 0, damaged("metadata %s is %q, expected a number from 1", key, text)
	}
	return n, nil
}

// read reads a stream of rows with its metadata. It must end as a stream does: one
// that was cut between two batches would pass without that.
func read(data []byte) (meta []pair, rows []Row, err error) {
	p, data, err := next(data)
	switch {
	case err != nil:
		return nil, nil, err
	case p == nil || p.kind != headerSchema:
		return nil, nil, damaged("no schema at the beginning")
	}
	columns, err := columnsOf(p.fields)
	if err != nil {
		return nil, nil, err
	}
	for meta = p.meta; ; {
		if p, data, err = next(data); err != nil {
			return nil, nil, err
		}
		switch {
		case p == nil && len(data) > 0:
			return nil, nil, damaged("%d bytes after the end of the stream", len(data))
		case p == nil:
			return meta, rows, nil
		case p.kind != headerRecordBatch:
			return nil, nil, damaged("a second schema")
		}
		if rows, err = columns.append(rows, p.batch); err != nil {
			return nil, nil, err
		}
	}
}

// columns are the roles that a schema's columns have in a row, in their order.
type columns []role

type role int

const (
	isKey role = iota
	isValue
	isTombstone
)

// columnsOf finds the roles by the columns' names and types in the schema: the key by its
// mark, the tombstone by its name, and one more is the value.
func columnsOf(fields []field) (columns, error) {
	var c columns
	for _, f := range fields {
		marked := slices.ContainsFunc(f.meta, func(p pair) bool { return p.key == metaKeyPosition })
		var r role
		switch {
		case marked && f.kind == typeUtf8:
			r = isKey
		case !marked && f.name == columnTombstone && f.kind == typeBool:
			r = isTombstone
		case !marked && f.name != columnTombstone && (f.kind == typeUtf8 || f.kind == typeBinary):
			r = isValue
		default:
			r = -1
		}
		if r < 0 || slices.Contains(c, r) {
			return nil, damaged("column %q of type %d; expected are one key of type utf8 (%d), one value of type utf8 or binary (%d), and %s of type bool (%d)",
				f.name, f.kind, typeUtf8, typeBinary, columnTombstone, typeBool)
		}
		c = append(c, r)
	}
	if len(fields) > 0 && !slices.Contains(c, isKey) {
		return nil, damaged("no column is marked as the key (%s)", metaKeyPosition)
	}
	return c, nil
}

// append copies a batch's rows.
func (c columns) append(rows []Row, b batch) ([]Row, error) {
	if len(c) == 0 || b.rows <= 0 {
		return nil, damaged("a batch without rows")
	}
	taken := make([]column, len(c))
	for i, r := range c {
		var err error
		if taken[i], err = b.take(r == isTombstone); err != nil {
			return nil, err
		}
	}
	more := make([]Row, b.rows) // there is room in the batch for as many keys
	for i, r := range c {
		if err := r.fill(more, taken[i]); err != nil {
			return nil, err
		}
	}
	return append(rows, more...), nil
}

// fill sets a role's part of the rows.
func (r role) fill(rows []Row, c column) error {
	for i := range rows {
		switch null := c.null(i); {
		case r == isKey && null:
			return damaged("row %d has no key", i)
		case null:
		case r == isKey:
			rows[i].Key = string(c.bytes(i))
		case r == isValue:
			rows[i].Value = append([]byte{}, c.bytes(i)...)
		default:
			rows[i].Tombstone = c.bit(i)
		}
	}
	return nil
}
