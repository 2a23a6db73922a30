package checker

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A history as JSON, UTF-8:
//
//	{"format":"lakebench.operations","version":1,
//	 "initial":[
//	  {"key":"tbl/a","value":"v0"}],
//	 "operations":[
//	  {"actor":"writer-1","operation":"cas","key":"tbl/a","expect":"v0","next":"v1",
//	   "call":[1,0],"return":[4,2500000],"outcome":"ok"}]}
//
// A value is a string; {"base64":"…"} (RFC 4648 §4) if it is not UTF-8; null if
// the key does not exist. "guard" and "guard_expect" belong to guarded
// mutations, whose "next" is null when they remove the target; "found" is what
// an answer said the key held. "call" and "return" are a sequence number, from
// 1, and the nanoseconds since the history began; an operation without "return"
// never did. Members that do not apply are left out; no others are allowed, and
// none twice.
const (
	formatName    = "lakebench.operations"
	formatVersion = 1
)

// ErrFormat is wrapped by ReadJSON's errors about what it read.
var ErrFormat = errors.New("not a history of operations")

type fileJSON struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	History `json:",embed"`
}

// MarshalJSONTo writes the moment as an array.
func (m Moment) MarshalJSONTo(e *jsontext.Encoder) error {
	return json.MarshalEncode(e, [2]int64{m.Seq, int64(m.At)})
}

// UnmarshalJSONFrom reads what MarshalJSONTo writes.
func (m *Moment) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	var raw [2]int64
	err := json.UnmarshalDecode(d, &raw)
	*m = Moment{raw[0], time.Duration(raw[1])}
	return err
}

// MarshalJSONTo writes the value in the file's form. Values of which nothing was
// said have none.
func (v Value) MarshalJSONTo(e *jsontext.Encoder) error {
	switch {
	case v.state == unsaid:
		return errors.New("no value to write")
	case v.state == nothing:
		return e.WriteToken(jsontext.Null)
	case utf8.ValidString(v.bytes):
		return e.WriteToken(jsontext.String(v.bytes))
	}
	return json.MarshalEncode(e, base64JSON{base64.StdEncoding.EncodeToString([]byte(v.bytes))})
}

type base64JSON struct {
	Base64 string `json:"base64"`
}

// UnmarshalJSONFrom reads what MarshalJSONTo writes and nothing else: bytes that
// are text come as text.
func (v *Value) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	switch d.PeekKind() {
	case jsontext.KindNull:
		*v = Absent()
		return d.SkipValue()
	case jsontext.KindString:
		t, err := d.ReadToken()
		*v = Text(t.String())
		return err
	default:
		return v.unmarshalBase64(d)
	}
}

func (v *Value) unmarshalBase64(d *jsontext.Decoder) error {
	var raw base64JSON
	if err := json.UnmarshalDecode(d, &raw); err != nil {
		return err
	}
	b, err := base64.StdEncoding.Strict().DecodeString(raw.Base64)
	if err != nil {
		return err
	}
	if utf8.Valid(b) || strings.ContainsAny(raw.Base64, "\r\n") {
		return errors.New("base64 is for bytes that are not UTF-8, on one line")
	}
	*v = Bytes(b)
	return nil
}

// WriteJSON writes h, an operation a line. Equal histories give equal bytes. It
// refuses what Validate refuses, and names that are not UTF-8.
func WriteJSON(w io.Writer, h History) error {
	if err := h.Validate(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "{\"format\":%q,\"version\":%d,\n \"initial\":[", formatName, formatVersion)
	for i, e := range h.Initial {
		if err := writeLine(out, i, e); err != nil {
			return err
		}
	}
	fmt.Fprint(out, "],\n \"operations\":[")
	for i, o := range h.Operations {
		if err := writeLine(out, i, o); err != nil {
			return err
		}
	}
	fmt.Fprint(out, "]}\n")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("checker: writing a history: %w", err)
	}
	return nil
}

func writeLine(out *bufio.Writer, i int, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("checker: writing a history, line %d: %w", i, err)
	}
	if i > 0 {
		fmt.Fprint(out, ",")
	}
	fmt.Fprintf(out, "\n  %s", line)
	return nil
}

// ReadJSON reads what WriteJSON wrote. It accepts nothing that it does not
// understand in full; its errors are ErrFormat or ErrHistory, or r's own.
func ReadJSON(r io.Reader) (History, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return History{}, fmt.Errorf("checker: reading a history: %w", err)
	}
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil || head.Format != formatName {
		return History{}, fmt.Errorf("%w: expected a JSON object with \"format\":%q", ErrFormat, formatName)
	}
	if head.Version != formatVersion {
		return History{}, fmt.Errorf("%w: version %d, this program reads version %d", ErrFormat, head.Version, formatVersion)
	}
	var f fileJSON
	if err := json.Unmarshal(data, &f, json.RejectUnknownMembers(true)); err != nil {
		return History{}, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return f.History, f.Validate()
}
