package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lakebench/lakebench/internal/counts"
	"github.com/lakebench/lakebench/results/growth"
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
//
// Equal points of the document are one map, so they are not to be changed in
// place.
func Decode(data []byte) (Document, error) { return decode(bytes.NewReader(data)) }

// decode reads r twice: what is no result of a known format is found before
// anything is made of it. It holds no more of the text than a value at a time.
func decode(r io.ReadSeeker) (Document, error) {
	if err := checkMembers(r); err != nil {
		return Document{}, located(err, r)
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return Document{}, err
	}
	var doc Document
	if err := json.UnmarshalRead(r, &doc, json.RejectUnknownMembers(true), unmarshalers()); err != nil {
		return Document{}, located(unreadable(err, ErrDamaged), r)
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
// version, and has it the members whose lack would not be seen afterwards?
func checkMembers(r io.Reader) error {
	members, err := readMembers(r)
	if err != nil {
		return err
	}
	var schema string
	if json.Unmarshal(members["schema"], &schema) != nil || schema != SchemaName {
		return fmt.Errorf("%w: expected \"schema\": %q, found %s", ErrForeign, SchemaName, found(members["schema"]))
	}
	var version int
	err = json.Unmarshal(members["schema_version"], &version)
	switch {
	case err != nil:
		return fmt.Errorf("%w: expected %d, found %s", ErrVersion, SchemaVersion, found(members["schema_version"]))
	case version < SchemaVersion:
		return fmt.Errorf("%w: expected %d, found %d: the file is older than this lakebench; run the workload again, or use the lakebench that wrote it",
			ErrVersion, SchemaVersion, version)
	case version > SchemaVersion:
		return fmt.Errorf("%w: expected %d, found %d: this lakebench is older than the file; use the one that wrote it, or a newer one",
			ErrVersion, SchemaVersion, version)
	}
	for _, name := range silentMembers {
		if v := members[name]; v == nil || v.Kind() == 'n' {
			return fmt.Errorf("%w: %s is missing", ErrDamaged, name)
		}
	}
	return nil
}

// silentMembers are the members of a document that, where they are left out, look
// like a value. All of them stand before the long ones in what Encode writes.
var silentMembers = []string{"checks", "clock", "deterministic", "ended", "environment", "headline", "lakebench", "partial",
	"repeats", "run_id", "schema", "schema_version", "seed"}

// readMembers returns members of the outermost object, until it has seen all
// silent ones; of those that are lists or objects, only that they are there. What
// is no object has no members.
func readMembers(r io.Reader) (map[string]jsontext.Value, error) {
	dec := jsontext.NewDecoder(r)
	members := make(map[string]jsontext.Value)
	if open, err := dec.ReadToken(); err != nil || open.Kind() != '{' {
		return nil, unreadable(err, ErrForeign)
	}
	for dec.PeekKind() != '}' && !seen(members, silentMembers) {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, unreadable(err, ErrForeign)
		}
		key, value := name.String(), jsontext.Value("{}")
		if kind := dec.PeekKind(); kind == '{' || kind == '[' {
			err = dec.SkipValue()
		} else {
			value, err = dec.ReadValue()
		}
		if err != nil {
			return nil, unreadable(err, ErrForeign)
		}
		members[key] = value.Clone()
	}
	return members, nil
}

// errCutOff reports that a file ends too early.
var errCutOff = fmt.Errorf("%w: the file ends", ErrDamaged)

// located says of a file that ends too early where that is.
func located(err error, file io.Seeker) error {
	if !errors.Is(err, errCutOff) {
		return err
	}
	size, serr := file.Seek(0, io.SeekEnd)
	if serr != nil {
		return serr
	}
	return fmt.Errorf("%w after %d bytes in the middle of a value", errCutOff, size)
}

func seen(members map[string]jsontext.Value, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return members[name] == nil })
}

// unreadable says why JSON could not be read: it is cut off, it is none (which
// is of a kind that the caller knows), or the reader failed.
func unreadable(err, kind error) error {
	var syntactic *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errCutOff
	case errors.As(err, &syntactic), errors.As(err, &semantic):
		return fmt.Errorf("%w: %s", kind, describe(err))
	}
	return err
}

// missing names the first list or object that a file left out, "" if none. A
// document in memory may have nil for an empty one; a file says which it is.
func (d *Document) missing() string {
	switch {
	case d.Published == nil:
		return "published"
	case d.Metrics == nil:
		return "metrics"
	case d.Series == nil:
		return "series"
	case d.Started.IsZero():
		return "started"
	case d.Warnings == nil:
		return "warnings"
	}
	sum := &d.Summary
	if sum.Metrics == nil || sum.Growth == nil || sum.Crossover == nil || sum.Slopes == nil || sum.Disturbed == nil {
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

// unmarshalers start every object with numbers that Validate refuses, so that one
// which a file leaves out is found and not taken for a zero; and make one map of
// all points that are written alike, for there are many of few.
func unmarshalers() json.Options {
	nan := math.NaN()
	points := make(map[string]Point)
	return json.WithUnmarshalers(json.JoinUnmarshalers(
		json.UnmarshalFromFunc(func(dec *jsontext.Decoder, p *Point) error {
			text, err := dec.ReadValue()
			if err != nil {
				return err
			}
			known, ok := points[string(text)]
			if !ok {
				if err := json.Unmarshal(text, &known); err != nil {
					return within(dec.StackPointer(), err)
				}
				points[string(text)] = known
			}
			*p = known
			return nil
		}),
		startWith(Series{Repeat: -1, Retries: -1, Usage: counts.Absent(), CostUSD: nan}),
		startWith(PublishedFigure{Published: nan, Measured: nan}),
		startWith(Operations{-1, -1, -1, -1}),
		startWith(Histogram{Clamped: -1}),
		startWith(MetricSummary{Value: nan, Min: nan, Max: nan}),
		startWith(growth.Curve{A: nan, B: nan, K: nan, Residual: nan}),
		startWith(Crossover{Between: [2]float64{nan, nan}}),
		startWith(Slope{Slope: nan, Fixed: nan}),
	))
}

// within puts what is wrong with a part of the text where that part is.
func within(where jsontext.Pointer, err error) error {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		semantic.JSONPointer = where + semantic.JSONPointer
	}
	return err
}

// startWith sets a value before its members are read into it.
func startWith[T any](start T) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(_ *jsontext.Decoder, v *T) error {
		*v = start
		return errors.ErrUnsupported // go on with the ordinary way to read it
	})
}

// sortedKeys returns the keys of m in order.
func sortedKeys[V any](m map[string]V) []string {
	keys := slices.AppendSeq(make([]string, 0, len(m)), maps.Keys(m))
	slices.Sort(keys)
	return keys
}
