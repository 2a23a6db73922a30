package export

import (
	"context"
	"crypto/md5"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/history/archive"
	"github.com/lakebench/lakebench/history/internal/lines"
)

// An importer is one run of Import.
type importer struct {
	cfg    Config
	out    *archive.Writer
	parser parser
	last   string // the key before, not anonymized
	report Report
	done   int64 // bytes
	total  int64
}

// file imports one data file and holds it against what the manifest says.
func (im *importer) file(ctx context.Context, file dataFile) error {
	f, err := im.cfg.FS.Open(file.path)
	if err != nil {
		return fmt.Errorf("import %s: %w", file.path, err)
	}
	defer func() { _ = f.Close() }()
	raw := &meteredReader{r: f, sum: md5.New(), im: im}
	before := im.report.Lines
	if err := im.lines(ctx, file.path, raw); err != nil {
		return err
	}
	im.report.Files++
	if got := im.report.Lines - before; file.items >= 0 && got != file.items {
		return fmt.Errorf("import %s: %w: %d items, the manifest says %d; fetch the file again", file.path, ErrIncomplete, got, file.items)
	}
	if got := base64.StdEncoding.EncodeToString(raw.sum.Sum(nil)); file.md5 != "" && got != file.md5 {
		return fmt.Errorf("import %s: %w: MD5 %s, the manifest says %s; fetch the file again", file.path, ErrIncomplete, got, file.md5)
	}
	return nil
}

// reportEvery is after how many lines the context is looked at and progress is
// told.
const reportEvery = 1 << 13

func (im *importer) lines(ctx context.Context, name string, raw io.Reader) error {
	text, err := lines.Plain(raw)
	if err != nil {
		return fmt.Errorf("import %s: %w: %w", name, ErrIncomplete, err)
	}
	in := lines.NewReader(text, maxLine)
	for {
		if im.report.Lines%reportEvery == 0 {
			im.tell()
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		line, err := in.Next()
		var it item
		switch {
		case errors.Is(err, io.EOF):
			im.tell()
			return nil
		case err == nil:
			it, err = im.parser.parse(line)
		case !errors.Is(err, lines.ErrTooLong):
			return &history.LineError{File: name, Line: in.Line(), Err: fmt.Errorf("%w: %w", ErrIncomplete, err)}
		}
		im.report.Lines++
		switch {
		case err != nil:
			err = im.skip(&history.LineError{File: name, Line: in.Line(), Err: err})
		case it.key == im.last:
			err = &history.LineError{File: name, Line: in.Line(), Err: fmt.Errorf("%w: %q follows itself; has the table a sort key beside %q? The v1 layout has none",
				archive.ErrDuplicate, it.key, im.cfg.KeyAttribute)}
		default:
			err = im.add(it)
		}
		if err != nil {
			return err
		}
	}
}

// skip counts a bad line, or returns it if it is not to be skipped. That the
// whole export is of the wrong kind is never skipped.
func (im *importer) skip(bad *history.LineError) error {
	if !im.cfg.SkipBadLines || errors.Is(bad, ErrIncremental) {
		return bad
	}
	im.report.Skipped++
	if len(im.report.FirstSkipped) < MaxExamples {
		im.report.FirstSkipped = append(im.report.FirstSkipped, bad.Error())
	}
	return nil
}

func (im *importer) add(it item) error {
	im.last = it.key
	r := history.Record{Key: it.key, ItemBytes: it.bytes}
	if im.cfg.Anonymize != nil {
		r.Key = im.cfg.Anonymize.Key(it.key)
	}
	return im.out.Append(r)
}

// complete holds the whole against the summary.
func (im *importer) complete(ex export) error {
	if ex.items >= 0 && im.report.Lines != ex.items {
		return fmt.Errorf("import %s: %w: %d items in all, %s says %d", im.cfg.Path, ErrIncomplete, im.report.Lines, summaryName, ex.items)
	}
	if im.report.Lines == im.report.Skipped {
		err := fmt.Errorf("import %s: %w: %d lines, %d skipped", im.cfg.Path, ErrNoRecords, im.report.Lines, im.report.Skipped)
		if len(im.report.FirstSkipped) > 0 {
			err = fmt.Errorf("%w, the first: %s", err, im.report.FirstSkipped[0])
		}
		return err
	}
	return nil
}

func (im *importer) tell() {
	if im.cfg.Progress != nil {
		im.cfg.Progress(im.done, im.total)
	}
}

// A meteredReader counts and sums up what is read of a data file.
type meteredReader struct {
	r   io.Reader
	sum hash.Hash
	im  *importer
}

func (m *meteredReader) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.sum.Write(p[:n])
	m.im.done += int64(n)
	return n, err
}
