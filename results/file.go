package results

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lakebench/lakebench/internal/atomicfile"
)

// The names of a run's files in its folder.
const (
	FileName      = "result.json"
	BenchFileName = "result.bench"
)

// Write writes the document to <out>/<run id>/result.json, and its benchmark
// twin beside it, and returns the path of the former. Each file is under its
// name whole or not at all, and result.json comes last: where it is, the rest is.
func Write(out string, doc Document) (path string, err error) {
	data, err := Encode(doc)
	if err != nil {
		return "", err
	}
	var twin bytes.Buffer
	if err := WriteBench(&twin, doc); err != nil {
		return "", err
	}
	dir := filepath.Join(out, doc.RunID)
	if err := atomicfile.Write(filepath.Join(dir, BenchFileName), twin.Bytes()); err != nil {
		return "", err
	}
	path = filepath.Join(dir, FileName)
	return path, atomicfile.Write(path, data)
}

// Read reads a result file. It refuses files as Decode does; the message is one
// line that begins with the path.
func Read(path string) (Document, error) {
	f, err := os.Open(path)
	if err != nil {
		return Document{}, fmt.Errorf("read result: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	doc, err := decode(f)
	if err != nil {
		return Document{}, fmt.Errorf("%s: %w", path, err)
	}
	return doc, nil
}
