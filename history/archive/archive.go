// Package archive keeps the live set of a lake in a file: what --history FILE
// takes, and what generating and importing write.
//
// A file is JSON lines in UTF-8, gzip if its name ends in .gz. The first line is
// the Header: schema and version, where the records come from, how many there
// are and how many bytes. Each further line is one record:
//
//	{"key":"tbl/orders_000042","item_bytes":300}
//
// with the record's key and its size as a v1 item by DynamoDB's sizing rules.
// There are no values: they are synthesized in the right length (history.Value),
// and so are the other attributes that an imported item may have had, which are
// in its size only. Keys are unique.
//
// Such a file is either whole or refused. The header's counts are
// checked at the end, an unknown field or schema version anywhere is an error
// that names the line, and a file appears under its name only when all of it is
// on disk.
package archive

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/lakebench/lakebench/history"
)

// What the first line of a file says it is.
const (
	Schema        = "lakebench.history"
	SchemaVersion = 1
)

// Where records come from: Source.Kind.
const (
	KindGenerated = "generated"
	KindExport    = "dynamodb-export"
)

// Header is the first line of a file.
type Header struct {
	Schema        string `json:"schema"`
	SchemaVersion int    `json:"schema_version"`
	Source        Source `json:"source"`
	// Records and ItemBytes count the lines that follow and sum their sizes.
	Records   int64 `json:"records"`
	ItemBytes int64 `json:"item_bytes"`
}

// Source says where the records come from.
type Source struct {
	Kind      string     `json:"kind"`
	Generator *Generator `json:"generator,omitempty"`
	Export    *Export    `json:"export,omitempty"`
}

// Generator is what makes the same records again.
type Generator struct {
	Version int            `json:"version"`
	Seed    uint64         `json:"seed"`
	At      time.Duration  `json:"at_ns"`
	Config  history.Config `json:"config"`
}

// Export says which export of a DynamoDB table was imported, and how.
type Export struct {
	// Table is the table's name and ExportTime the point in time that was
	// exported, as the export's manifest has it; empty where there was none, and
	// Table also if the keys are anonymized.
	Table      string `json:"table,omitempty"`
	ExportTime string `json:"export_time,omitempty"`
	// KeyAttribute is the attribute that held the keys.
	KeyAttribute string `json:"key_attribute"`
	Anonymized   bool   `json:"anonymized"`
	// SkippedLines counts the damaged lines that are not among the records.
	SkippedLines int64 `json:"skipped_lines"`
}

// Reasons to refuse a file, beside what is wrong with a single line.
var (
	ErrSchema    = errors.New("not a history file that this version reads")
	ErrCounts    = errors.New("file was cut off or edited")
	ErrDuplicate = errors.New("key occurs twice")
)

func (h Header) line() ([]byte, error) {
	line, err := json.Marshal(h)
	return append(line, '\n'), err
}

// parseHeader looks at the schema first, so that a file of another kind or
// version is called that, whatever else it holds.
func parseHeader(line []byte) (Header, error) {
	var kind struct {
		Schema        string `json:"schema"`
		SchemaVersion int    `json:"schema_version"`
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return Header{}, fmt.Errorf("%w: the first line is no header: %w", ErrSchema, err)
	}
	if kind.Schema != Schema || kind.SchemaVersion != SchemaVersion {
		return Header{}, fmt.Errorf("%w: schema is %q version %d, expected %q version %d",
			ErrSchema, kind.Schema, kind.SchemaVersion, Schema, SchemaVersion)
	}
	var h Header
	strict := json.NewDecoder(bytes.NewReader(line))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&h); err != nil {
		return Header{}, fmt.Errorf("header: %w", err)
	}
	if h.Records < 0 || h.ItemBytes < 0 {
		return Header{}, fmt.Errorf("header: %d records of %d bytes, expected neither to be negative", h.Records, h.ItemBytes)
	}
	return h, nil
}
