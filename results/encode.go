package results

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// What is wrong with a file that Read or Decode refuses.
var (
	// ErrForeign: JSON, but not a lakebench result; or not JSON at all.
	ErrForeign = errors.New("not a lakebench result")
	// ErrVersion: a result of a format that this build does not know.
	ErrVersion = errors.New("unknown schema_version")
	// ErrDamaged: a result that is cut off or that does not follow its format.
	ErrDamaged = errors.New("damaged result")
)

// Encode returns the document as it is written to a file: JSON with sorted keys
// and a final newline, floats as the shortest text that reads back the same.
// Equal documents have equal bytes. It refuses what Validate refuses.
func Encode(doc Document) ([]byte, error) {
	if err := doc.Validate(); err != nil {
		return nil, err
	}
	doc.Started, doc.Ended = doc.Started.UTC(), doc.Ended.UTC()
	data, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("encode result %s: %w", doc.RunID, err)
	}
	v := jsontext.Value(data)
	// Canonical form sorts the keys; numbers are left as they are, for it would
	// round integers above 2^53.
	err = v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false))
	if err == nil {
		err = v.Indent(jsontext.WithIndent("  "))
	}
	if err != nil {
		return nil, fmt.Errorf("encode result %s: %w", doc.RunID, err)
	}
	return append(v, '\n'), nil
}

// Decode reads what Encode returned. It refuses, with ErrForeign, ErrVersion or
// ErrDamaged, anything that it does not know in full: a number that was left out
// must not become a zero, and a field of a newer format must not be ignored.
func Decode(data []byte) (Document, error) {
	if err := checkMembers(data); err != nil {
		return Document{}, err
	}
	var doc Document
	if err := json.Unmarshal(data, &doc, json.RejectUnknownMembers(true)); err != nil {
		return Document{}, fmt.Errorf("%w: %s", ErrDamaged, describe(err))
	}
	if err := doc.problem(); err != nil {
		return Document{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return doc, nil
}

// checkMembers looks at the outermost object only: is it a result of a known
// version, and has it all members?
func checkMembers(data []byte) error {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(data, &members); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("%w: the file ends after %d bytes in the middle of a value", ErrDamaged, len(data))
		}
		return fmt.Errorf("%w: %s", ErrForeign, describe(err))
	}
	var schema string
	if json.Unmarshal(members["schema"], &schema) != nil || schema != SchemaName {
		return fmt.Errorf("%w: expected \"schema\": %q, found %s", ErrForeign, SchemaName, found(members["schema"]))
	}
	var version int
	if json.Unmarshal(members["schema_version"], &version) != nil || version != SchemaVersion {
		return fmt.Errorf("%w: expected %d, found %s; use the lakebench that wrote it, or a newer one",
			ErrVersion, SchemaVersion, found(members["schema_version"]))
	}
	for _, name := range documentMembers {
		if v := members[name]; v == nil || v.Kind() == 'n' {
			return fmt.Errorf("%w: %s is missing", ErrDamaged, name)
		}
	}
	return nil
}

// documentMembers are the members of a document after schema and version.
var documentMembers = []string{"checks", "clock", "deterministic", "ended", "environment", "lakebench", "partial",
	"repeats", "run_id", "seed", "series", "started", "summary", "warnings", "workload"}

// found shows a JSON value in an error message, in one short line.
func found(v jsontext.Value) string {
	const most = 40
	switch {
	case v == nil:
		return "none"
	case len(v) > most:
		return strings.ToValidUTF8(string(v[:most]), "") + "…"
	}
	return string(v)
}

// describe says what is wrong with JSON in one line without the Go types.
func describe(err error) string {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		return strings.ReplaceAll(err.Error(), "\n", " ")
	}
	where := string(semantic.JSONPointer)
	switch {
	case errors.Is(err, json.ErrUnknownName):
		return fmt.Sprintf("unknown field %s", where)
	case semantic.Err != nil:
		return fmt.Sprintf("%s: %v", where, semantic.Err)
	}
	return fmt.Sprintf("%s: unexpected %s", where, semantic.JSONKind)
}

// unset marks the numbers of s that a file has to give. Validate refuses them.
func unset(s *Series) {
	s.Repeat, s.Evaluated, s.Returned, s.BytesSent, s.BytesReceived = -1, -1, -1, -1, -1
	s.CostUSD = math.NaN()
	s.Units = Units{RRU: math.NaN(), WRU: math.NaN(), S3ClassA: -1, S3ClassB: -1, Unreported: -1}
}

// UnmarshalJSONFrom reads a series such that Validate can tell a number that
// was left out from a zero.
func (s *Series) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type plain Series
	unset(s)
	return json.UnmarshalDecode(dec, (*plain)(s))
}

// UnmarshalJSONFrom reads operations such that Validate can tell a count that
// was left out from a zero.
func (o *Operations) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type plain Operations
	*o = Operations{-1, -1, -1, -1}
	return json.UnmarshalDecode(dec, (*plain)(o))
}

// UnmarshalJSONFrom reads a histogram such that Validate can tell a count that
// was left out from a zero.
func (h *Histogram) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type plain Histogram
	*h = Histogram{Clamped: -1}
	return json.UnmarshalDecode(dec, (*plain)(h))
}

// sortedKeys returns the keys of m in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
