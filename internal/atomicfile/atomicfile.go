// Package atomicfile replaces files in one step: after a crash or an error a file has
// its old content or its new content, never a part of it.
//
// Libraries that do this either do not sync the folder, or do not build for Windows.
package atomicfile

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Write writes data to path durably, through a temporary file in the same folder. It
// creates the folder, and replaces a file of that name. The error names the path.
func Write(path string, data []byte) error {
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
	return SyncDir(dir)
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

// SyncDir makes renames in a folder durable.
func SyncDir(dir string) error {
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
