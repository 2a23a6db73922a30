package archive

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/history"
)

const head = `{"schema":"lakebench.history","schema_version":1,"source":{"kind":"generated"},"records":%d,"item_bytes":%d}` + "\n"

func one(content string) fs.FS {
	return fstest.MapFS{"lake.jsonl": &fstest.MapFile{Data: []byte(content)}}
}

func readAll(fsys fs.FS, name string) (Header, []history.Record, error) {
	f, err := Load(context.Background(), fsys, name, nil)
	if err != nil {
		return Header{}, nil, err
	}
	var got []history.Record
	for r, err := range f.Records(context.Background(), nil) {
		if err != nil {
			return Header{}, nil, err
		}
		got = append(got, r)
	}
	return f.Header(), got, nil
}

func write(t testing.TB, path string, records ...history.Record) Header {
	t.Helper()
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	for _, r := range records {
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	h, err := w.Commit(Source{Kind: KindGenerated})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func names(t *testing.T, dir string) (got []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	return got
}

func TestFileForm(t *testing.T) {
	records := []history.Record{{Key: "tbl/a\"b", ItemBytes: 300}, {Key: "root/é\u2028\x01", ItemBytes: 409_600}}
	want := fmt.Sprintf(head, 2, 409_900) +
		`{"key":"tbl/a\"b","item_bytes":300}` + "\n" +
		`{"key":"root/é` + "\u2028" + `\u0001","item_bytes":409600}` + "\n"
	dir := t.TempDir()
	for _, name := range []string{"lake.jsonl", "lake.jsonl.gz"} {
		h := write(t, filepath.Join(dir, name), records...)
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".gz") {
			z, err := gzip.NewReader(bytes.NewReader(content))
			if err != nil {
				t.Fatal(err)
			}
			if content, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, string(content)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		header, got, err := readAll(os.DirFS(dir), name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(h, header); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(records, got); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff([]string{"lake.jsonl", "lake.jsonl.gz"}, names(t, dir)); diff != "" {
		t.Errorf("files left:\n%s", diff)
	}
}

func TestRecordsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := history.Record{Key: rapid.StringN(1, -1, 2048).Draw(t, "key"), ItemBytes: rapid.IntRange(1, 409_600).Draw(t, "bytes")}
		line, err := appendRecord(nil, r)
		if err != nil {
			t.Fatal(err)
		}
		if len(line) > maxLine {
			t.Fatalf("line of %d bytes", len(line))
		}
		if got, err := new(lineParser).parse(bytes.TrimSuffix(line, []byte("\n"))); got != r || err != nil {
			t.Fatalf("%q: %+v, %v", line, got, err)
		}
	})
}

func TestDamagedFiles(t *testing.T) {
	const good = `{"key":"tbl/a","item_bytes":300}` + "\n"
	for _, tt := range []struct {
		name, content string
		line          int // 0: the whole file
		want          string
		is            error
	}{
		{"empty", "", 0, "it is empty", ErrSchema},
		{"no header", good, 1, `schema is "" version 0, expected "lakebench.history" version 1`, ErrSchema},
		{"result file", `{"schema":"lakebench.result","schema_version":1}`, 1, `schema is "lakebench.result"`, ErrSchema},
		{"later version", `{"schema":"lakebench.history","schema_version":2,"new":1}`, 1, "version 2, expected", ErrSchema},
		{"binary", "\x00\x01", 1, "no header", ErrSchema},
		{"header field", strings.Replace(fmt.Sprintf(head, 0, 0), `"records"`, `"recrods"`, 1), 1, "recrods", nil},
		{"header tail", strings.TrimSpace(fmt.Sprintf(head, 0, 0)) + "{}\n", 1, "after top-level value", ErrSchema},
		{"negative count", fmt.Sprintf(head, -1, 0), 1, "-1 records", nil},
		{"too few", fmt.Sprintf(head, 2, 600) + good, 2, "1 records of 300 bytes, the header says 2 of 600", ErrCounts},
		{"too many", fmt.Sprintf(head, 1, 300) + good + strings.Replace(good, "/a", "/b", 1), 3, "2 records of 600 bytes, the header says 1 of 300", ErrCounts},
		{"bytes", fmt.Sprintf(head, 1, 301) + good, 2, "300 bytes, the header says 1 of 301", ErrCounts},
		{"twice", fmt.Sprintf(head, 2, 600) + good + good, 3, `"tbl/a"`, ErrDuplicate},
		{"blank line", fmt.Sprintf(head, 1, 300) + "\n" + good, 2, "empty line", nil},
		{"no object", fmt.Sprintf(head, 1, 300) + "[]\n", 2, "expected an object", nil},
		{"cut", fmt.Sprintf(head, 2, 600) + good + `{"key":"tbl/b","item_b`, 3, "ends early", io.ErrUnexpectedEOF},
		{"tail", fmt.Sprintf(head, 1, 300) + strings.TrimSpace(good) + "x\n", 2, "text after", nil},
		{"no bytes", fmt.Sprintf(head, 1, 300) + `{"key":"tbl/a"}`, 2, `expected "key" and "item_bytes"`, nil},
		{"no members", fmt.Sprintf(head, 1, 300) + `{}`, 2, `expected "key" and "item_bytes"`, nil},
		{"unknown member", fmt.Sprintf(head, 1, 300) + `{"key":"tbl/a","item_bytes":300,"value":"x"}`, 2, `unknown member "value"`, nil},
		{"member twice", fmt.Sprintf(head, 1, 300) + `{"key":"tbl/a","key":"tbl/b","item_bytes":300}`, 2, "duplicate", nil},
		{"empty key", fmt.Sprintf(head, 1, 300) + `{"key":"","item_bytes":300}`, 2, "key has 0 bytes", nil},
		{"long key", fmt.Sprintf(head, 1, 300) + `{"key":"` + strings.Repeat("k", 2049) + `","item_bytes":300}`, 2, "key has 2049 bytes, expected 1 to 2048", nil},
		{"key type", fmt.Sprintf(head, 1, 300) + `{"key":7,"item_bytes":300}`, 2, "key has a value of the wrong type", nil},
		{"bytes type", fmt.Sprintf(head, 1, 300) + `{"key":"a","item_bytes":"300"}`, 2, "item_bytes has a value of the wrong type", nil},
		{"no bytes at all", fmt.Sprintf(head, 1, 300) + `{"key":"a","item_bytes":0}`, 2, "item_bytes is 0, expected 1 to 409600", nil},
		{"large item", fmt.Sprintf(head, 1, 300) + `{"key":"a","item_bytes":409601}`, 2, "item_bytes is 409601", nil},
		{"fraction", fmt.Sprintf(head, 1, 300) + `{"key":"a","item_bytes":3e2}`, 2, "item_bytes is 3e2", nil},
		{"UTF-8", fmt.Sprintf(head, 1, 300) + "{\"key\":\"a\xff\",\"item_bytes\":300}", 2, "UTF-8", nil},
		{"long line", fmt.Sprintf(head, 1, 300) + strings.Repeat(" ", maxLine) + good, 2, "line too long", nil},
	} {
		_, _, err := readAll(one(tt.content), "lake.jsonl")
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "lake.jsonl") {
			t.Errorf("%s: error %v, expected one with the file's name and %q", tt.name, err, tt.want)
			continue
		}
		if tt.is != nil && !errors.Is(err, tt.is) {
			t.Errorf("%s: error %v is not %v", tt.name, err, tt.is)
		}
		var line *history.LineError
		if got := 0; errors.As(err, &line) || tt.line != 0 {
			if line != nil {
				got = line.Line
			}
			if got != tt.line {
				t.Errorf("%s: line %d, expected %d: %v", tt.name, got, tt.line, err)
			}
		}
	}
	if _, err := Open(one(""), "other"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "other") {
		t.Errorf("error %v, expected that the file does not exist", err)
	}
}

func TestCutGzip(t *testing.T) {
	dir := t.TempDir()
	var records []history.Record
	for i := range 5000 {
		records = append(records, history.Record{Key: fmt.Sprintf("tbl/%d", i*i), ItemBytes: 300})
	}
	write(t, filepath.Join(dir, "a.gz"), records...)
	content, err := os.ReadFile(filepath.Join(dir, "a.gz"))
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{"a.gz": &fstest.MapFile{Data: content[:len(content)/2]}}
	_, _, err = readAll(fsys, "a.gz")
	var line *history.LineError
	if !errors.Is(err, io.ErrUnexpectedEOF) || !errors.As(err, &line) {
		t.Errorf("error %v, expected an unexpected end with its line", err)
	}
}

// Whatever fails, the old file stays and nothing else does.
func TestNothingHalfWritten(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lake.jsonl")
	write(t, path, history.Record{Key: "old", ItemBytes: 10})
	before, _ := os.ReadFile(path)
	many := func(w *Writer) (err error) {
		for i := range 100_000 {
			if err = w.Append(history.Record{Key: fmt.Sprintf("tbl/%d", i), ItemBytes: 300}); err != nil {
				return err
			}
		}
		_, err = w.Commit(Source{})
		return err
	}
	for name, spoil := range map[string]func(w *Writer){
		"records cannot be written":  func(w *Writer) { _ = w.file.Close() },
		"the whole cannot be opened": func(w *Writer) { _ = os.Mkdir(w.file.Name()+".whole", 0o700) },
		"the rename fails":           func(w *Writer) { w.path = filepath.Join(dir, "missing", "lake.jsonl") },
	} {
		w, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		spoil(w)
		if err := many(w); err == nil || !strings.Contains(err.Error(), "write history "+w.path) {
			t.Errorf("%s: error %v, expected one that names the file", name, err)
		}
		w.Discard()
		for _, left := range names(t, dir) { // the folder that is in the way
			if info, err := os.Stat(filepath.Join(dir, left)); err == nil && info.IsDir() {
				_ = os.Remove(filepath.Join(dir, left))
			}
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
			t.Errorf("%s: the old file is gone", name)
		}
		if diff := cmp.Diff([]string{"lake.jsonl"}, names(t, dir)); diff != "" {
			t.Errorf("%s: files left:\n%s", name, diff)
		}
	}
	if _, err := Create(filepath.Join(dir, "missing", "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, expected that the folder does not exist", err)
	}
}

// A disk that is full: a file system of 256 KB would do, /dev/full is at hand.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full")
	}
	defer func() { _ = full.Close() }()
	for _, zip := range []bool{false, true} {
		if err := fill(full, Header{}, strings.NewReader("x"), zip); err == nil {
			t.Errorf("zip %t: a full disk went unnoticed", zip)
		}
	}
}

func TestGenerate(t *testing.T) {
	dir := t.TempDir()
	lake := history.DefaultConfig()
	lake.Tables = 20
	cfg := GenerateConfig{Lake: lake.ForRecords(500), Seed: 9, Records: 500, Path: filepath.Join(dir, "a.jsonl.gz")}
	var told []int64
	cfg.Progress = func(done, total int64) { told = append(told, done, total) }
	h, err := Generate(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int64{0, 520, 520, 520}, told); diff != "" {
		t.Error(diff)
	}
	header, records, err := readAll(os.DirFS(dir), "a.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(h, header); diff != "" {
		t.Error(diff)
	}
	if h.Records != 520 || h.ItemBytes != 520*300 || len(records) != 520 {
		t.Errorf("%d records of %d bytes, %d read, expected 520 of 156,000", h.Records, h.ItemBytes, len(records))
	}
	// What the header says makes the same records again, and the same bytes.
	g := h.Source.Generator
	again, err := Generate(t.Context(), GenerateConfig{Lake: g.Config, Seed: g.Seed, Records: -1, At: g.At, Path: filepath.Join(dir, "b.jsonl.gz")})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(h, again); diff != "" {
		t.Error(diff)
	}
	a, _ := os.ReadFile(filepath.Join(dir, "a.jsonl.gz"))
	b, _ := os.ReadFile(filepath.Join(dir, "b.jsonl.gz"))
	if !bytes.Equal(a, b) || len(a) == 0 {
		t.Error("two files of one seed differ")
	}
}

func TestGenerateFails(t *testing.T) {
	dir := t.TempDir()
	cfg := GenerateConfig{Lake: history.DefaultConfig(), Records: 1, Path: filepath.Join(dir, "a.jsonl")}
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	cancel(interrupted)
	if _, err := Generate(ctx, cfg); !errors.Is(err, interrupted) {
		t.Errorf("error %v, expected the context's cause", err)
	}
	cfg.Records = 100_000_000
	if _, err := Generate(t.Context(), cfg); !errors.Is(err, history.ErrOutOfReach) {
		t.Errorf("error %v, expected ErrOutOfReach", err)
	}
	cfg.Lake.Tables = 0
	if _, err := Generate(t.Context(), cfg); err == nil {
		t.Error("a lake without tables was accepted")
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("files left: %q", got)
	}
}

func TestReadingStops(t *testing.T) {
	dir := t.TempDir()
	var records []history.Record
	for i := range 20_000 {
		records = append(records, history.Record{Key: fmt.Sprint(i), ItemBytes: 30})
	}
	write(t, filepath.Join(dir, "a"), records...)
	f, err := Open(os.DirFS(dir), "a")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range f.Records(t.Context(), nil) {
		if n++; err != nil || n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("stopped after %d records, expected 3", n)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	var last error
	n = 0
	for _, err := range f.Records(ctx, func(done, total int64) {
		if total != 20_000 {
			t.Errorf("total %d, expected 20,000", total)
		}
		if done >= 10_000 {
			cancel()
		}
	}) {
		if last = err; err == nil {
			n++
		}
	}
	cancel()
	if !errors.Is(last, context.Canceled) || n >= 20_000 {
		t.Errorf("%d records, error %v, expected a cancelled reading", n, last)
	}
}

func FuzzRecordLine(f *testing.F) {
	for _, seed := range []string{
		`{"key":"tbl/a","item_bytes":300}`, `{"item_bytes":1,"key":"\u0000"}`, `{}`, `{"key":"\ud800","item_bytes":3}`,
		`{"key":"a","key":"a","item_bytes":3}`, ` { "key" : "a" , "item_bytes" : 3 } `, `{"key":"a","item_bytes":-3}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var p lineParser
		r, err := p.parse(line)
		if err != nil {
			return
		}
		again, err := appendRecord(nil, r)
		if err != nil {
			t.Fatalf("%q was read, and cannot be written: %v", line, err)
		}
		if back, err := p.parse(bytes.TrimSuffix(again, []byte("\n"))); back != r || err != nil {
			t.Fatalf("%q is %+v, written and read again %+v, %v", line, r, back, err)
		}
	})
}

func BenchmarkGenerateMillion(b *testing.B) {
	for _, name := range []string{"plain", "gz"} {
		b.Run(name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "lake."+name)
			for b.Loop() {
				cfg := GenerateConfig{Lake: history.DefaultConfig().ForRecords(1_000_000), Records: 1_000_000, Path: path}
				if _, err := Generate(b.Context(), cfg); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLoadMillion(b *testing.B) {
	dir := b.TempDir()
	cfg := GenerateConfig{Lake: history.DefaultConfig().ForRecords(1_000_000), Records: 1_000_000, Path: filepath.Join(dir, "lake.gz")}
	if _, err := Generate(b.Context(), cfg); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(b.Context(), os.DirFS(dir), "lake.gz", nil); err != nil {
			b.Fatal(err)
		}
	}
}
