package export

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/history/internal/lines"
)

// The files of an export (page S3DataExport.Output).
const (
	summaryName = "manifest-summary.json"
	filesName   = "manifest-files.json"
	exportsDir  = "AWSDynamoDB" // holds a folder an export
	dataDir     = "data"
)

// maxEntry bounds a line of manifest-files.json; an S3 key has 1,024 bytes.
const maxEntry = 64 << 10

// An export is what is to be imported.
type export struct {
	files      []dataFile
	items      int64 // by the summary; -1 unknown
	bytes      int64 // of all data files, as they lie there
	table      string
	exportTime string
	warnings   []string
}

// A dataFile is one file of items.
type dataFile struct {
	path  string
	items int64  // by the manifest; -1 unknown
	md5   string // of the file as it lies there, in base64; "" unknown
}

// find looks at what is at a path: a data file, the folder of an export, a
// folder in which one export lies (AWSDynamoDB/<id>), or a folder of data files.
func find(fsys fs.FS, name string) (export, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return export{}, fmt.Errorf("import: %w", err)
	}
	if !info.IsDir() {
		ex := loose(name)
		return ex, ex.measure(fsys)
	}
	for _, pattern := range []string{summaryName, "*/" + summaryName, exportsDir + "/*/" + summaryName} {
		found, err := fs.Glob(fsys, path.Join(escape(name), pattern))
		if err != nil {
			return export{}, fmt.Errorf("import %s: %w", name, err)
		}
		if len(found) > 1 {
			return export{}, fmt.Errorf("import %s: %d exports found, expected one: %s", name, len(found), strings.Join(found, ", "))
		}
		if len(found) == 1 {
			return readManifests(fsys, found[0])
		}
	}
	return findLoose(fsys, name)
}

// escape makes a path match itself in a pattern.
func escape(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// findLoose takes the data files of a folder without manifests.
func findLoose(fsys fs.FS, name string) (export, error) {
	for _, dir := range []string{path.Join(name, dataDir), name} {
		entries, err := fs.ReadDir(fsys, dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return export{}, fmt.Errorf("import %s: %w", name, err)
		}
		var files []string
		for _, e := range entries {
			if !e.IsDir() && (strings.HasSuffix(e.Name(), ".json") || strings.HasSuffix(e.Name(), ".json.gz")) {
				files = append(files, path.Join(dir, e.Name()))
			}
		}
		if len(files) > 0 {
			ex := loose(files...)
			return ex, ex.measure(fsys)
		}
	}
	return export{}, fmt.Errorf("import %s: %w: expected %s, or data files (*.json, *.json.gz) there or in %s",
		name, ErrNoExport, summaryName, dataDir)
}

func loose(files ...string) export {
	ex := export{items: -1, warnings: []string{"no manifest: the number of items and the checksums were not checked"}}
	for _, f := range files {
		ex.files = append(ex.files, dataFile{path: f, items: -1})
	}
	return ex
}

// measure sums up the files' sizes; it finds missing ones before the work
// begins.
func (ex *export) measure(fsys fs.FS) error {
	for _, f := range ex.files {
		info, err := fs.Stat(fsys, f.path)
		if err != nil {
			return fmt.Errorf("import: %w", err)
		}
		ex.bytes += info.Size()
	}
	return nil
}

// summary is manifest-summary.json, as far as it matters here. Incremental
// exports also say exportType.
type summary struct {
	TableArn           string `json:"tableArn"`
	ExportTime         string `json:"exportTime"`
	ExportType         string `json:"exportType"`
	OutputFormat       string `json:"outputFormat"`
	ManifestFilesS3Key string `json:"manifestFilesS3Key"`
	ItemCount          *int64 `json:"itemCount"`
}

// readManifests reads the export of a summary. Unknown members are AWS's to add.
func readManifests(fsys fs.FS, name string) (export, error) {
	content, err := readSmall(fsys, name)
	if err != nil {
		return export{}, err
	}
	ex := export{items: -1}
	if err := ex.check(fsys, name, content); err != nil {
		return export{}, err
	}
	var s summary
	if err := json.Unmarshal(content, &s); err != nil {
		return export{}, fmt.Errorf("import %s: %w: %w", name, ErrIncomplete, err)
	}
	if s.ExportType == "INCREMENTAL_EXPORT" {
		return export{}, fmt.Errorf("import %s: %w", name, ErrIncremental)
	}
	if s.OutputFormat != "" && s.OutputFormat != "DYNAMODB_JSON" {
		return export{}, fmt.Errorf("import %s: %w: outputFormat is %q, expected \"DYNAMODB_JSON\"; export the table again", name, ErrFormat, s.OutputFormat)
	}
	if s.ItemCount != nil {
		ex.items = *s.ItemCount
	}
	ex.exportTime = s.ExportTime
	// arn:aws:dynamodb:<region>:<account>:table/<name>: of it only the name.
	_, ex.table, _ = strings.Cut(s.TableArn, ":table/")
	dir := path.Dir(name)
	list := path.Join(dir, filesName)
	if err := ex.list(fsys, dir, list); err != nil {
		return export{}, err
	}
	return ex, ex.measure(fsys)
}

// list reads manifest-files.json: JSON lines.
func (ex *export) list(fsys fs.FS, dir, name string) error {
	content, err := readSmall(fsys, name)
	if err != nil {
		return err
	}
	if err := ex.check(fsys, name, content); err != nil {
		return err
	}
	sum, known := int64(0), true
	in := lines.NewReader(bytes.NewReader(content), maxEntry)
	for {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if len(bytes.TrimSpace(line)) == 0 && err == nil {
			continue
		}
		var f dataFile
		if err == nil {
			f, err = parseDataFile(fsys, dir, line)
		}
		if err == nil && slices.ContainsFunc(ex.files, func(other dataFile) bool { return other.path == f.path }) {
			err = fmt.Errorf("%s is listed twice", f.path)
		}
		if err != nil {
			return &history.LineError{File: name, Line: in.Line(), Err: err}
		}
		ex.files = append(ex.files, f)
		sum += f.items
		known = known && f.items >= 0
	}
	if known && ex.items >= 0 && sum != ex.items {
		return fmt.Errorf("import %s: %w: its files have %d items, %s says %d", name, ErrIncomplete, sum, summaryName, ex.items)
	}
	return nil
}

func parseDataFile(fsys fs.FS, dir string, line []byte) (dataFile, error) {
	var entry struct {
		ItemCount     *int64 `json:"itemCount"`
		MD5Checksum   string `json:"md5Checksum"`
		DataFileS3Key string `json:"dataFileS3Key"`
	}
	if err := json.Unmarshal(line, &entry); err != nil {
		return dataFile{}, err
	}
	f := dataFile{items: -1, md5: entry.MD5Checksum}
	if entry.ItemCount != nil {
		f.items = *entry.ItemCount
	}
	var err error
	f.path, err = locate(fsys, dir, entry.DataFileS3Key)
	return f, err
}

// locate finds a data file by its key in S3. The folder may be a copy of the
// bucket, of the prefix or of the export alone, so the longest tail of the key
// that exists in the folder or above it is the file.
func locate(fsys fs.FS, dir, key string) (string, error) {
	for above := dir; ; above = path.Dir(above) {
		for tail := key; tail != ""; {
			name := path.Join(above, tail)
			if info, err := fs.Stat(fsys, name); err == nil && !info.IsDir() {
				return name, nil
			}
			_, rest, found := strings.Cut(tail, "/")
			if !found {
				break
			}
			tail = rest
		}
		if above == "." {
			return "", fmt.Errorf("%w: data file %q is not below %s", ErrIncomplete, key, dir)
		}
	}
}

// check holds a manifest against its checksum file if there is one:
// manifest-….checksum by the guide, manifest-….md5 in exports seen in practice;
// the MD5 in base64 or hex.
func (ex *export) check(fsys fs.FS, name string, content []byte) error {
	sum := md5.Sum(content)
	for _, ending := range []string{".checksum", ".md5"} {
		file := strings.TrimSuffix(name, ".json") + ending
		want, err := readSmall(fsys, file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		text := strings.TrimSpace(string(want))
		if text != base64.StdEncoding.EncodeToString(sum[:]) && !strings.EqualFold(text, hex.EncodeToString(sum[:])) {
			return fmt.Errorf("import %s: %w: its MD5 is not the one in %s; fetch both again", name, ErrIncomplete, file)
		}
		return nil
	}
	ex.warnings = append(ex.warnings, fmt.Sprintf("no checksum of %s: it was not checked", path.Base(name)))
	return nil
}

// maxManifest bounds a manifest: a line a data file, and a table of 10 TB has
// some ten thousand.
const maxManifest = 64 << 20

func readSmall(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	defer func() { _ = f.Close() }()
	content, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err == nil && len(content) > maxManifest {
		err = fmt.Errorf("%d bytes and more, expected at most %d", len(content), maxManifest)
	}
	if err != nil {
		return nil, fmt.Errorf("import %s: %w", name, err)
	}
	return content, nil
}
