// Package export imports what DynamoDB writes when it exports a table to S3, in
// DynamoDB JSON, as the live set of a lake: the key and the size of every item,
// never a value.
//
// It takes a single data file, plain or gzip, or a folder that holds an export
// (page S3DataExport.Output of the Amazon DynamoDB Developer Guide):
//
//	manifest-summary.json   itemCount, outputFormat, manifestFilesS3Key, …
//	manifest-files.json     a line a data file: itemCount, md5Checksum, dataFileS3Key
//	data/<name>.json.gz     an item a line: {"Item":{"pk":{"S":"tbl/orders"},…}}
//
// An import is a copy of the table's shape or it is nothing. What
// the manifests promise, the number of items of each file and of all, and the MD5
// of each file, must hold; a line that cannot be read stops the import with its
// file and number, unless the caller asked for such lines to be skipped and
// counted. Memory is bounded by one line and the list of data files, whatever
// the size of the table; records go straight to the file.
package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/history/archive"
)

// Reasons to refuse an export, beside what is wrong with a single line.
var (
	// ErrIncomplete: fewer or more items than the manifest says, another
	// checksum, or a data file missing.
	ErrIncomplete = errors.New("export is incomplete or damaged")
	// ErrIncremental: an incremental export holds changes, not the table.
	ErrIncremental = errors.New("incremental export; lakebench needs a full one")
	// ErrFormat: exported as Amazon Ion.
	ErrFormat = errors.New("export is not in DynamoDB JSON")
	// ErrNoExport: there is nothing to import at the path.
	ErrNoExport = errors.New("no export found")
	// ErrNoRecords: every line was skipped, or there was none.
	ErrNoRecords = errors.New("no record to import")
)

// Config says what is imported and where it goes. Start from DefaultConfig.
type Config struct {
	// FS and Path are the export: a data file or a folder.
	FS   fs.FS
	Path string
	// KeyAttribute is the attribute that holds the logical key; its type must be
	// string.
	KeyAttribute string
	// Anonymize, if not nil, replaces the keys.
	Anonymize *Anonymizer
	// SkipBadLines counts and leaves out the lines that cannot be read, instead
	// of stopping at the first.
	SkipBadLines bool
	// Output is where the history file goes; gzip if it ends in .gz.
	Output string
	// Progress, if not nil, counts bytes of the data files as they lie on disk.
	Progress history.Progress
}

// DefaultConfig returns the configuration for a table of the v1 layout.
func DefaultConfig() Config {
	return Config{Path: ".", KeyAttribute: "pk"}
}

// Validate reports the first field that is out of range.
func (c Config) Validate() error {
	switch {
	case c.FS == nil || !fs.ValidPath(c.Path):
		return fmt.Errorf("import: path is %q, expected a file or folder without dots in its path", c.Path)
	case c.KeyAttribute == "":
		return errors.New("import: the key attribute has no name")
	case c.Output == "":
		return errors.New("import: no output file")
	}
	return nil
}

// Report says what an import did.
type Report struct {
	Header archive.Header `json:"header"`
	// Files and Lines count what was read, Skipped the lines left out.
	Files   int   `json:"files"`
	Lines   int64 `json:"lines"`
	Skipped int64 `json:"skipped"`
	// FirstSkipped holds the first of the lines left out and why, at most
	// MaxExamples.
	FirstSkipped []string `json:"first_skipped,omitempty"`
	// Warnings say what could not be checked.
	Warnings []string `json:"warnings,omitempty"`
}

// MaxExamples bounds Report.FirstSkipped.
const MaxExamples = 10

// Import reads an export and writes a history file. Keys of a table without a
// sort key are unique, and all of them are not held in memory to see whether
// they are: a key that comes twice in a row, as those of a table with a sort key
// do, is refused (archive.ErrDuplicate), and so is a data file listed twice; any
// other duplicate is found when a run loads the file (archive.Load). On an error,
// or if ctx ends, there is no file.
func Import(ctx context.Context, cfg Config) (Report, error) {
	if err := cfg.Validate(); err != nil {
		return Report{}, err
	}
	ex, err := find(cfg.FS, cfg.Path)
	if err != nil {
		return Report{}, err
	}
	w, err := archive.Create(cfg.Output)
	if err != nil {
		return Report{}, err
	}
	defer w.Discard()
	im := importer{cfg: cfg, out: w, parser: parser{keyAttribute: cfg.KeyAttribute}, total: ex.bytes}
	im.report.Warnings = ex.warnings
	for _, file := range ex.files {
		if err := im.file(ctx, file); err != nil {
			return Report{}, err
		}
	}
	if err := im.complete(ex); err != nil {
		return Report{}, err
	}
	source := archive.Export{
		Table: ex.table, ExportTime: ex.exportTime, KeyAttribute: cfg.KeyAttribute,
		Anonymized: cfg.Anonymize != nil, SkippedLines: im.report.Skipped,
	}
	if source.Anonymized {
		source.Table = ""
	}
	im.report.Header, err = w.Commit(archive.Source{Kind: archive.KindExport, Export: &source})
	if err != nil {
		return Report{}, err
	}
	return im.report, nil
}
