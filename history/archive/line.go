package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/internal/units"
)

// maxLine bounds a line: a key of units.MaxPartitionKeyBytes takes at most six
// times as many as JSON, and the header is shorter.
const maxLine = 16 << 10

// The members of a record's line.
const (
	memberKey   = "key"
	memberBytes = "item_bytes"
)

func appendRecord(dst []byte, r history.Record) ([]byte, error) {
	dst = append(dst, `{"`+memberKey+`":`...)
	dst, err := jsontext.AppendQuote(dst, r.Key)
	if err != nil {
		return dst, fmt.Errorf("key %q: %w", r.Key, err)
	}
	dst = append(dst, `,"`+memberBytes+`":`...)
	dst = strconv.AppendInt(dst, int64(r.ItemBytes), 10)
	return append(dst, "}\n"...), nil
}

// A lineParser parses records' lines.
type lineParser struct {
	in  bytes.Reader
	dec jsontext.Decoder
}

// parse returns the record of one line. It refuses whatever appendRecord would
// not have written, but for spaces and the order of the members.
func (p *lineParser) parse(line []byte) (history.Record, error) {
	if len(line) == 0 {
		return history.Record{}, errors.New("empty line")
	}
	p.in.Reset(line)
	p.dec.Reset(&p.in)
	var r history.Record
	if kind := p.dec.PeekKind(); kind != '{' {
		if _, err := p.dec.ReadToken(); err != nil {
			return r, syntax(err)
		}
		return r, errors.New("expected an object")
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return r, syntax(err)
	}
	seen := 0
	for p.dec.PeekKind() != '}' {
		if err := p.member(&r); err != nil {
			return r, err
		}
		seen++
	}
	if _, err := p.dec.ReadToken(); err != nil {
		return r, syntax(err)
	}
	if _, err := p.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return r, errors.New("text after the object")
	}
	if seen < 2 {
		return r, fmt.Errorf("expected %q and %q", memberKey, memberBytes)
	}
	return r, nil
}

// member reads one member. That none occurs twice is the decoder's to see.
func (p *lineParser) member(r *history.Record) error {
	token, err := p.dec.ReadToken()
	if err != nil {
		return syntax(err)
	}
	name := token.String()
	value, err := p.dec.ReadToken()
	if err != nil {
		return syntax(err)
	}
	switch {
	case name == memberKey && value.Kind() == '"':
		r.Key = value.String()
		if n := len(r.Key); n < 1 || n > units.MaxPartitionKeyBytes {
			return fmt.Errorf("%s has %d bytes, expected 1 to %d", memberKey, n, units.MaxPartitionKeyBytes)
		}
	case name == memberBytes && value.Kind() == '0':
		n, err := strconv.Atoi(value.String())
		if err != nil || n < 1 || n > units.MaxItemBytes {
			return fmt.Errorf("%s is %s, expected 1 to %d", memberBytes, value.String(), units.MaxItemBytes)
		}
		r.ItemBytes = n
	case name == memberKey || name == memberBytes:
		return fmt.Errorf("%s has a value of the wrong type", name)
	default:
		return fmt.Errorf("unknown member %q, expected %q and %q", name, memberKey, memberBytes)
	}
	return nil
}

// syntax makes the decoder's error speak of the line that it is about.
func syntax(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return fmt.Errorf("not JSON: the line ends early: %w", io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("not JSON: %w", err)
}
