package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/history/archive"
)

func zip(content []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(content)
	_ = z.Close()
	return out.Bytes()
}

// lakeItems are items of five families, with other attributes than value, with
// other types, and with keys beyond ASCII; and their sizes, reckoned by hand.
func lakeItems(t testing.TB) (items []map[string]types.AttributeValue, want []history.Record) {
	t.Helper()
	add := func(key string, rest any, size int) {
		item, err := attributevalue.MarshalMap(rest)
		if err != nil {
			t.Fatal(err)
		}
		item["pk"] = &types.AttributeValueMemberS{Value: key}
		items = append(items, item)
		want = append(want, history.Record{Key: key, ItemBytes: size})
	}
	type v1 struct {
		Value []byte `dynamodbav:"value"`
	}
	// pk 2, value 5, then the key's bytes and the value's.
	add("tbl/orders", v1{make([]byte, 100)}, 7+10+100)
	add("tbl/Größe", v1{make([]byte, 1)}, 7+11+1)
	add("append-operation/orders/00017", v1{make([]byte, 300)}, 7+29+300)
	add("append-operation/orders/日本", v1{nil}, 7+30+1) // a nil slice is NULL
	add("lance-manifest/orders/1", struct {
		Value   []byte         `dynamodbav:"value"`
		Count   int            `dynamodbav:"n"`
		Tags    []string       `dynamodbav:"tags"`
		Details map[string]any `dynamodbav:"d"`
	}{[]byte("abc"), 1234, []string{"x", "yz"}, map[string]any{"ok": true}}, 7+23+3+(1+3)+(4+3+1+1+1+2)+(1+3+1+2+1))
	add("lease/😀", v1{[]byte{1, 2}}, 7+10+2)
	add("cluster", v1{[]byte{}}, 7+7)
	return items, want
}

// folder builds an export as AWS lays it out, the items dealt over the files.
func folder(t testing.TB, prefix string, files int) (fstest.MapFS, []history.Record) {
	t.Helper()
	items, records := lakeItems(t)
	dir := path.Join(prefix, "AWSDynamoDB/01700000000000-abcdef01")
	fsys := fstest.MapFS{}
	var list bytes.Buffer
	var want []history.Record
	for f := range files {
		var lines bytes.Buffer
		n := 0
		for i := f; i < len(items); i += files {
			lines.Write(append(exportLine(t, items[i]), '\n'))
			want = append(want, records[i])
			n++
		}
		content := zip(lines.Bytes())
		name := fmt.Sprintf("%s/data/file%02d.json.gz", dir, f)
		fsys[name] = &fstest.MapFile{Data: content}
		sum := md5.Sum(content)
		entry, _ := json.Marshal(map[string]any{
			"itemCount": n, "md5Checksum": base64.StdEncoding.EncodeToString(sum[:]),
			"etag": hex.EncodeToString(sum[:]) + "-1", "dataFileS3Key": "some/prefix/" + name,
		})
		list.Write(append(entry, '\n'))
	}
	addManifest(fsys, dir+"/manifest-files", list.Bytes())
	summary, _ := json.MarshalIndent(map[string]any{
		"version": "2020-06-30", "exportArn": "arn:aws:dynamodb:us-east-1:123456789012:table/lake/export/01700000000000-abcdef01",
		"tableArn": "arn:aws:dynamodb:us-east-1:123456789012:table/lake", "exportTime": "2026-01-01T00:00:00.000Z",
		"manifestFilesS3Key": "some/prefix/" + dir + "/manifest-files.json", "s3SseKmsKeyId": nil,
		"billedSizeBytes": 0, "itemCount": len(items), "outputFormat": "DYNAMODB_JSON",
	}, "", "   ")
	addManifest(fsys, dir+"/manifest-summary", summary)
	fsys[dir+"/_started"] = &fstest.MapFile{}
	return fsys, want
}

func addManifest(fsys fstest.MapFS, name string, content []byte) {
	sum := md5.Sum(content)
	fsys[name+".json"] = &fstest.MapFile{Data: content}
	fsys[name+".checksum"] = &fstest.MapFile{Data: []byte(base64.StdEncoding.EncodeToString(sum[:]) + "\n")}
}

func run(t testing.TB, fsys fs.FS, edit func(*Config)) (Report, []history.Record, error) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "lake.jsonl.gz")
	cfg := DefaultConfig()
	cfg.FS, cfg.Output = fsys, out
	if edit != nil {
		edit(&cfg)
	}
	report, err := Import(t.Context(), cfg)
	if err != nil {
		if entries, _ := os.ReadDir(filepath.Dir(out)); len(entries) != 0 {
			t.Errorf("an import that failed left %v", entries)
		}
		return report, nil, err
	}
	f, err := archive.Load(t.Context(), os.DirFS(filepath.Dir(out)), filepath.Base(out), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(report.Header, f.Header()); diff != "" {
		t.Error(diff)
	}
	var got []history.Record
	for r, err := range f.Records(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	return report, got, nil
}

func TestImportFolder(t *testing.T) {
	for _, tt := range []struct{ prefix, at string }{
		{"", "."}, {"", "AWSDynamoDB"}, {"", "AWSDynamoDB/01700000000000-abcdef01"},
		{"my [old] exports", "my [old] exports"}, {"2026-Nov", "2026-Nov/AWSDynamoDB/01700000000000-abcdef01"},
	} {
		fsys, want := folder(t, tt.prefix, 3)
		var last [2]int64
		report, got, err := run(t, fsys, func(c *Config) {
			c.Path = tt.at
			c.Progress = func(done, total int64) { last = [2]int64{done, total} }
		})
		if err != nil {
			t.Errorf("%q in %q: %v", tt.at, tt.prefix, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		sum := int64(0)
		for _, r := range want {
			sum += int64(r.ItemBytes)
		}
		wantReport := Report{Files: 3, Lines: 7, Header: archive.Header{
			Schema: archive.Schema, SchemaVersion: 1, Records: 7, ItemBytes: sum,
			Source: archive.Source{Kind: archive.KindExport, Export: &archive.Export{
				Table: "lake", ExportTime: "2026-01-01T00:00:00.000Z", KeyAttribute: "pk",
			}},
		}}
		if diff := cmp.Diff(wantReport, report); diff != "" {
			t.Error(diff)
		}
		size := int64(0)
		for name, f := range fsys {
			if strings.Contains(name, "/data/") {
				size += int64(len(f.Data))
			}
		}
		if last != [2]int64{size, size} {
			t.Errorf("progress ended with %v of %d bytes", last, size)
		}
	}
}

// A copy of the export alone, a folder of data files, a data file.
func TestImportLooseFiles(t *testing.T) {
	whole, want := folder(t, "", 2)
	sorted := func(records []history.Record) []history.Record {
		return slices.SortedFunc(slices.Values(records), func(a, b history.Record) int { return strings.Compare(a.Key, b.Key) })
	}
	const dir = "AWSDynamoDB/01700000000000-abcdef01/"
	flat, data, plain := fstest.MapFS{}, fstest.MapFS{}, fstest.MapFS{}
	for name, f := range whole {
		if rest, ok := strings.CutPrefix(name, dir); ok {
			flat[strings.TrimPrefix(rest, "data/")] = f
			if strings.HasPrefix(rest, "data/") {
				data[rest] = f
			}
		}
	}
	items, _ := lakeItems(t)
	var lines bytes.Buffer
	for _, item := range items {
		lines.Write(append(exportLine(t, item), "\r\n"...))
	}
	plain["all.txt"] = &fstest.MapFile{Data: bytes.TrimSuffix(lines.Bytes(), []byte("\r\n"))}
	for name, tt := range map[string]struct {
		fsys     fstest.MapFS
		path     string
		warnings int
	}{
		"data beside the manifests": {flat, ".", 0},
		"data folder only":          {data, ".", 1},
		"that folder":               {data, "data", 1},
		"one plain file":            {plain, "all.txt", 1},
	} {
		report, got, err := run(t, tt.fsys, func(c *Config) { c.Path = tt.path })
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		if len(report.Warnings) != tt.warnings {
			t.Errorf("%s: warnings %q", name, report.Warnings)
		}
	}
}

// Every damage is named, and nothing is written.
func TestDamagedExport(t *testing.T) {
	const dir = "AWSDynamoDB/01700000000000-abcdef01/"
	edit := func(name string, change func(string) string) func(fstest.MapFS) {
		return func(fsys fstest.MapFS) {
			fsys[dir+name] = &fstest.MapFile{Data: []byte(change(string(fsys[dir+name].Data)))}
		}
	}
	replace := func(file, old, text string) func(fstest.MapFS) {
		return func(fsys fstest.MapFS) {
			content := string(fsys[dir+file+".json"].Data)
			if !strings.Contains(content, old) {
				t.Fatalf("no %q in %s", old, file)
			}
			addManifest(fsys, dir+file, []byte(strings.Replace(content, old, text, 1)))
		}
	}
	for _, tt := range []struct {
		name   string
		damage func(fstest.MapFS)
		want   string
		is     error
	}{
		{"summary changed", edit("manifest-summary.json", func(s string) string { return s + " " }), "manifest-summary.checksum", ErrIncomplete},
		{"list changed", edit("manifest-files.json", func(s string) string { return s + "\n" }), "manifest-files.checksum", ErrIncomplete},
		{"summary cut", replace("manifest-summary", `"DYNAMODB_JSON"`, ``), "manifest-summary.json", ErrIncomplete},
		{"Ion", replace("manifest-summary", "DYNAMODB_JSON", "ION"), `outputFormat is "ION"`, ErrFormat},
		{"incremental", replace("manifest-summary", `"version"`, `"exportType":"INCREMENTAL_EXPORT","version"`), "incremental", ErrIncremental},
		{"summary count", replace("manifest-summary", `"itemCount": 7`, `"itemCount": 8`), "its files have 7 items, manifest-summary.json says 8", ErrIncomplete},
		{"file count", func(fsys fstest.MapFS) {
			replace("manifest-files", `"itemCount":3`, `"itemCount":4`)(fsys)
			replace("manifest-summary", `"itemCount": 7`, `"itemCount": 8`)(fsys)
		}, "data/file01.json.gz: export is incomplete or damaged: 3 items, the manifest says 4", ErrIncomplete},
		{"summary count alone", func(fsys fstest.MapFS) {
			replace("manifest-files", `"itemCount":3,`, ``)(fsys)
			replace("manifest-summary", `"itemCount": 7`, `"itemCount": 8`)(fsys)
		}, "7 items in all, manifest-summary.json says 8", ErrIncomplete},
		{"list missing", func(fsys fstest.MapFS) { delete(fsys, dir+"manifest-files.json") }, "manifest-files.json", fs.ErrNotExist},
		{"data missing", func(fsys fstest.MapFS) { delete(fsys, dir+"data/file01.json.gz") }, `manifest-files.json:2: export is incomplete or damaged: data file "some/prefix/` + dir + `data/file01.json.gz"`, ErrIncomplete},
		{"path outside", replace("manifest-files", "some/prefix/"+dir+"data/file01.json.gz", "../../../etc/passwd"), "../../../etc/passwd", ErrIncomplete},
		{"twice", replace("manifest-files", "file01.json.gz", "file00.json.gz"), "manifest-files.json:2: " + dir + "data/file00.json.gz is listed twice", nil},
		{"list damaged", replace("manifest-files", "{", "["), "manifest-files.json:1: ", nil},
		{"same items, other bytes", edit("data/file00.json.gz", func(s string) string { return s + string(zip(nil)) }), "data/file00.json.gz: export is incomplete or damaged: MD5", ErrIncomplete},
		{"data cut", edit("data/file00.json.gz", func(s string) string { return s[:len(s)-9] }), "data/file00.json.gz:", ErrIncomplete},
		{"no gzip", edit("data/file00.json.gz", func(string) string { return "\x1f\x8b..." }), "data/file00.json.gz:", ErrIncomplete},
		{"two exports", func(fsys fstest.MapFS) { fsys["AWSDynamoDB/2/manifest-summary.json"] = &fstest.MapFile{} }, "2 exports found, expected one: " + dir + "manifest-summary.json, AWSDynamoDB/2/manifest-summary.json", nil},
		{"nothing there", func(fsys fstest.MapFS) { clear(fsys) }, "expected manifest-summary.json, or data files", ErrNoExport},
	} {
		fsys, _ := folder(t, "", 2)
		tt.damage(fsys)
		_, _, err := run(t, fsys, nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) || (tt.is != nil && !errors.Is(err, tt.is)) {
			t.Errorf("%s: error %v, expected %q (%v)", tt.name, err, tt.want, tt.is)
		}
	}
	if _, _, err := run(t, fstest.MapFS{}, func(c *Config) { c.Path = "missing.json" }); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v of a missing file", err)
	}
}

// Checksum files are .md5 in exports seen in practice, and optional here.
func TestChecksumFiles(t *testing.T) {
	const dir = "AWSDynamoDB/01700000000000-abcdef01/"
	fsys, _ := folder(t, "", 2)
	sum := md5.Sum(fsys[dir+"manifest-files.json"].Data)
	delete(fsys, dir+"manifest-files.checksum")
	delete(fsys, dir+"manifest-summary.checksum")
	fsys[dir+"manifest-files.md5"] = &fstest.MapFile{Data: []byte(hex.EncodeToString(sum[:]))}
	report, _, err := run(t, fsys, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"no checksum of manifest-summary.json: it was not checked"}, report.Warnings); diff != "" {
		t.Error(diff)
	}
	fsys[dir+"manifest-files.md5"] = &fstest.MapFile{Data: []byte("beef")}
	if _, _, err := run(t, fsys, nil); !errors.Is(err, ErrIncomplete) || !strings.Contains(err.Error(), "manifest-files.md5") {
		t.Errorf("error %v", err)
	}
}

func file(lines ...string) fs.FS {
	return fstest.MapFS{"a.json": &fstest.MapFile{Data: []byte(strings.Join(lines, "\n"))}}
}

func line(key string) string { return `{"Item":{"pk":{"S":"` + key + `"}}}` }

func TestDamagedLine(t *testing.T) {
	fsys := file(line("tbl/a"), `{"Item":{"pk":{"S":"tbl/b"},"value":{"B":"?"}}}`, line("tbl/c"),
		strings.Repeat(" ", maxLine)+line("tbl/d"), `{"Item":{"pk"`)
	_, _, err := run(t, fsys, nil)
	var bad *history.LineError
	if !errors.As(err, &bad) || bad.File != "a.json" || bad.Line != 2 || !strings.Contains(err.Error(), `a.json:2: wrong type at byte 41 in Item.value.B: expected base64 string`) {
		t.Errorf("error %v", err)
	}
	report, got, err := run(t, fsys, func(c *Config) { c.SkipBadLines = true })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]history.Record{{Key: "tbl/a", ItemBytes: 7}, {Key: "tbl/c", ItemBytes: 7}}, got); diff != "" {
		t.Error(diff)
	}
	if report.Lines != 5 || report.Skipped != 3 || report.Header.Source.Export.SkippedLines != 3 || len(report.FirstSkipped) != 3 {
		t.Errorf("report %+v", report)
	}
	for i, want := range []string{"a.json:2: ", "a.json:4: line too long", `a.json:5: malformed JSON at byte 13 in Item.pk: the text ends too early`} {
		if !strings.HasPrefix(report.FirstSkipped[i], want) {
			t.Errorf("skipped %q, expected %q", report.FirstSkipped[i], want)
		}
	}
}

func TestSkippingIsForDamageOnly(t *testing.T) {
	skip := func(c *Config) { c.SkipBadLines = true }
	for _, tt := range []struct {
		name string
		fsys fs.FS
		edit func(*Config)
		is   error
		want string
	}{
		{"all skipped", file("x", "y"), skip, ErrNoRecords, "2 lines, 2 skipped, the first: a.json:1: malformed JSON"},
		{"wrong attribute", file(line("a"), line("b")), func(c *Config) { skip(c); c.KeyAttribute = "id" }, ErrNoRecords, `no key attribute "id"; there is "pk"`},
		{"empty", file(""), skip, ErrNoRecords, "0 lines"},
		{"incremental", file(`{"Keys":{}}`, line("a")), skip, ErrIncremental, "a.json:1"},
		{"sort key", file(line("a"), line("b"), line("b")), skip, archive.ErrDuplicate, `a.json:3: key occurs twice: "b" follows itself; has the table a sort key beside "pk"?`},
		{"cut gzip", fstest.MapFS{"a.json": &fstest.MapFile{Data: zip([]byte(line("a")))[:40]}}, skip, ErrIncomplete, "a.json:1"},
	} {
		_, _, err := run(t, tt.fsys, tt.edit)
		if !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, expected %q", tt.name, err, tt.want)
		}
	}
	// Skipped lines are items all the same for the manifest.
	fsys, _ := folder(t, "", 1)
	if _, _, err := run(t, fsys, func(c *Config) { skip(c); c.KeyAttribute = "n" }); !errors.Is(err, ErrNoRecords) {
		t.Errorf("error %v, expected ErrNoRecords", err)
	}
	many := file(strings.Split(strings.Repeat("x ", 50)+line("a"), " ")...)
	if report, _, err := run(t, many, skip); err != nil || report.Skipped != 50 || len(report.FirstSkipped) != MaxExamples {
		t.Errorf("%d skipped, %d shown, %v", report.Skipped, len(report.FirstSkipped), err)
	}
}

func TestImportAnonymized(t *testing.T) {
	fsys, want := folder(t, "", 1)
	report, got, err := run(t, fsys, func(c *Config) { c.Anonymize = anonymizer(t, someKey) })
	if err != nil {
		t.Fatal(err)
	}
	a := anonymizer(t, someKey)
	for i, r := range want {
		if g := got[i]; g.Key != a.Key(r.Key) || g.Key == r.Key || len(g.Key) != len(r.Key) || g.ItemBytes != r.ItemBytes {
			t.Errorf("%+v became %+v", r, g)
		}
	}
	if e := report.Header.Source.Export; e.Table != "" || !e.Anonymized {
		t.Errorf("header %+v, expected no table name", e)
	}
}

func TestImportStops(t *testing.T) {
	fsys, _ := folder(t, "", 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	cancel(interrupted)
	cfg := DefaultConfig()
	cfg.FS, cfg.Output = fsys, filepath.Join(t.TempDir(), "out")
	if _, err := Import(ctx, cfg); !errors.Is(err, interrupted) {
		t.Errorf("error %v, expected the context's cause", err)
	}
	for want, edit := range map[string]func(*Config){
		`path is "../x"`: func(c *Config) { c.Path = "../x" },
		"key attribute":  func(c *Config) { c.KeyAttribute = "" },
		"no output":      func(c *Config) { c.Output = "" },
		"path is":        func(c *Config) { c.FS = nil },
		"missing":        func(c *Config) { c.Output = filepath.Join(c.Output, "missing", "x") },
	} {
		bad := cfg
		edit(&bad)
		if _, err := Import(t.Context(), bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, expected %q", err, want)
		}
	}
}

// A table of any size: what is live does not grow with what has gone by.
func TestImportNeedsNoMemoryForRecords(t *testing.T) {
	const items = 40_000
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "big.json"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range items {
		fmt.Fprintf(f, `{"Item":{"pk":{"S":"append-operation/orders_%06d/%032d"},"value":{"B":"AAECAwQFBgcICQ=="}}}`+"\n", i%1000, i)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var heap []int64
	_, _, err = run(t, os.DirFS(dir), func(c *Config) {
		c.Path = "big.json"
		c.Progress = func(done, total int64) {
			if share := done * 100 / total; len(heap) == 0 && share > 20 || len(heap) == 1 && share > 90 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				heap = append(heap, int64(m.HeapAlloc))
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	// The keys in between are 2 MB alone.
	if len(heap) != 2 || heap[1]-heap[0] > 1<<20 {
		t.Errorf("heap of %d bytes early and late, expected no growth", heap)
	}
}

// The time of an item, with its share of decompression and compression.
func BenchmarkImport(b *testing.B) {
	const items = 100_000
	var text bytes.Buffer
	value := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("0123456789"), 23))
	for i := range items {
		fmt.Fprintf(&text, `{"Item":{"pk":{"S":"append-operation/orders_%06d/%036d"},"value":{"B":%q}}}`+"\n", i%1000, i, value)
	}
	fsys := fstest.MapFS{"a.json.gz": &fstest.MapFile{Data: zip(text.Bytes())}}
	for _, name := range []string{"plain", "anonymized"} {
		b.Run(name, func(b *testing.B) {
			cfg := DefaultConfig()
			cfg.FS, cfg.Path, cfg.Output = fsys, "a.json.gz", filepath.Join(b.TempDir(), "out.gz")
			if name == "anonymized" {
				cfg.Anonymize = anonymizer(b, someKey)
			}
			for b.Loop() {
				if _, err := Import(b.Context(), cfg); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/items, "ns/item")
		})
	}
}
