package results

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	if err := WriteFile(filepath.Join(dir, BenchFileName), twin.Bytes()); err != nil {
		return "", err
	}
	path = filepath.Join(dir, FileName)
	return path, WriteFile(path, data)
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

// WriteFile writes data to path such that the file is there whole or not at
// all, through a temporary file in the same folder. It makes the folder, and
// replaces a file of that name.
func WriteFile(path string, data []byte) error {
	return disk{createTemp}.write(path, data)
}

// disk makes the temporary files of atomic writes.
type disk struct {
	create func(dir, pattern string) (tempFile, error)
}

// tempFile is what an atomic write needs of an os.File.
type tempFile interface {
	io.WriteCloser
	Name() string
	Sync() error
	Chmod(os.FileMode) error
}

func createTemp(dir, pattern string) (tempFile, error) { return os.CreateTemp(dir, pattern) }

func (d disk) write(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	f, err := d.create(dir, "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := fill(f, data); err != nil {
		_ = os.Remove(f.Name()) // the write's error says more
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		_ = os.Remove(f.Name()) // the rename's error says more
		return fmt.Errorf("write %s: %w", path, err)
	}
	return syncDir(dir)
}

// fill writes data to stable storage and closes f in any case.
func fill(f tempFile, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Chmod(0o644) // temporary files are made for their owner only
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// syncDir makes a rename in dir survive a crash.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	defer func() { _ = d.Close() }() // opened for reading
	if err := d.Sync(); err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return nil
}
