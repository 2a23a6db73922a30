package generation

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/lakebench/lakebench/wal/entry"
)

// Contents is what is known of a generation beside its rows: all that a reader
// keeps. Bloom and Lookup are nil until a point read has needed them.
type Contents struct {
	Version  Version
	Replaced map[uint32]bool // rows that a later one replaces
	Bloom    Bloom
	Lookup   Lookup
}

// Rows reads the data object: the newest row of each key, tombstones included, in
// the order in which they were written.
func (c *Contents) Rows(data []byte) ([]entry.Row, error) {
	all, err := c.all(data)
	if err != nil {
		return nil, err
	}
	rows := make([]entry.Row, 0, len(all)-len(c.Replaced))
	for i, r := range all {
		if !c.Replaced[uint32(i)] {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// Row reads one row of the data object, by the number that the index of keys has
// for key.
func (c *Contents) Row(data []byte, number uint32, key string) (entry.Row, error) {
	all, err := c.all(data)
	switch {
	case err != nil:
		return entry.Row{}, err
	case int(number) >= len(all) || all[number].Key != key:
		return entry.Row{}, damaged("the index says that key %q is in row %d, the data does not", key, number)
	}
	return all[number], nil
}

func (c *Contents) all(data []byte) ([]entry.Row, error) {
	if err := c.Version.Data.Check(data); err != nil {
		return nil, err
	}
	rows, err := entry.DecodeRows(data)
	switch {
	case err != nil:
		return nil, damaged("%v", err)
	case len(rows) != c.Version.Rows:
		return nil, damaged("%d rows, expected %d", len(rows), c.Version.Rows)
	}
	return rows, nil
}

// strictJSON reads one JSON value with no other fields than v has, and nothing
// after it.
func strictJSON(body []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something after its end")
	}
	return nil
}
