// Package atomicfile replaces files in one step: after an error a file has its old
// content or its new content, never a part of it; after Write, also after a crash.
//
// Libraries that do this either do not sync the folder, or do not build for Windows.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Write writes data to path durably, through a temporary file in the same folder. It
// creates the folder, and replaces a file of that name. The error names the path.
func Write(path string, data []byte) error {
	return disk{createTemp, true}.write(path, data)
}

// Replace is Write without syncing file and folder, which takes a disk milliseconds:
// for files that are soon replaced again. A power failure may lose the content.
func Replace(path string, data []byte) error {
	return disk{createTemp, false}.write(path, data)
}

// Probe returns the error that keeps a file from being written to path, as far as that
// can be seen without leaving anything behind: path is a folder, or no file can be
// created in its folder, or in the nearest one above it that exists.
func Probe(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("write %s: it is a folder", path)
	}
	dir := filepath.Dir(path)
	for {
		_, err := os.Stat(dir)
		if above := filepath.Dir(dir); errors.Is(err, os.ErrNotExist) && above != dir {
			dir = above
			continue
		}
		break
	}
	f, err := os.CreateTemp(dir, ".lakebench-probe.*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// disk makes the temporary files of atomic writes.
type disk struct {
	create  func(dir, pattern string) (tempFile, error)
	durable bool
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
	if err := d.fill(f, data); err != nil {
		_ = os.Remove(f.Name()) // the write's error says more
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		_ = os.Remove(f.Name()) // the rename's error says more
		return fmt.Errorf("write %s: %w", path, err)
	}
	if !d.durable {
		return nil
	}
	return SyncDir(dir)
}

// fill writes data, to stable storage if that is wanted, and closes f in any case.
func (d disk) fill(f tempFile, data []byte) error {
	_, err := f.Write(data)
	if err == nil {
		err = f.Chmod(0o644) // temporary files are made for their owner only
	}
	if err == nil && d.durable {
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
