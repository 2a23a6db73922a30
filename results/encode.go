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
	if err := json.Unmarshal(data, &doc, json.RejectUnknownMembers(true), missingIsNotZero()); err != nil {
		return Document{}, fmt.Errorf("%w: %s", ErrDamaged, describe(err))
	}
	if where := doc.missing(); where != "" {
		return Document{}, fmt.Errorf("%w: %s is missing", ErrDamaged, where)
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

// missing names the first list or object that a file left out, "" if none. A
// document in memory may have nil for an empty one; a file says which it is.
func (d *Document) missing() string {
	sum := &d.Summary
	if sum.Metrics == nil || sum.Growth == nil || sum.Crossover == nil || sum.Slopes == nil {
		return "a part of the summary"
	}
	for i := range d.Series {
		s := &d.Series[i]
		if s.Operations == nil || s.Attempts == nil || s.Metrics == nil || s.Latency == nil {
			return fmt.Sprintf("operations, attempts, metrics or latency of series %d (%s)", i, s.key())
		}
	}
	return ""
}

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
		return strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\n", " "), "jsontext: ")
	}
	where := string(semantic.JSONPointer)
	if where == "" {
		where = "the outermost value"
	}
	if errors.Is(err, json.ErrUnknownName) {
		return "unknown field " + where
	}
	what := semantic.JSONKind.String()
	if semantic.JSONValue != nil {
		what = found(semantic.JSONValue)
	}
	if semantic.Err != nil {
		return fmt.Sprintf("%s: unexpected %s: %v", where, what, semantic.Err)
	}
	return fmt.Sprintf("%s: unexpected %s", where, what)
}

// missingIsNotZero starts every object with numbers that Validate refuses, so
// that one which a file leaves out is found and not taken for a zero.
func missingIsNotZero() json.Options {
	nan := math.NaN()
	return json.WithUnmarshalers(json.JoinUnmarshalers(
		startWith(Series{Repeat: -1, Evaluated: -1, Returned: -1, BytesSent: -1, BytesReceived: -1, CostUSD: nan,
			Units: Units{RRU: nan, WRU: nan, S3ClassA: -1, S3ClassB: -1, Unreported: -1}}),
		startWith(Operations{-1, -1, -1, -1}),
		startWith(Histogram{Clamped: -1}),
		startWith(MetricSummary{Value: nan, Min: nan, Max: nan}),
		startWith(Growth{A: nan, B: nan, K: nan}),
		startWith(Crossover{From: nan}),
		startWith(Slope{Slope: nan, Fixed: nan}),
	))
}

// startWith sets a value before its members are read into it.
func startWith[T any](start T) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(_ *jsontext.Decoder, v *T) error {
		*v = start
		return errors.ErrUnsupported // go on with the ordinary way to read it
	})
}

// sortedKeys returns the keys of m in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
