package archive

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/internal/atomicfile"
)

// A Writer writes a file. Until Commit there is nothing under the file's name;
// the records wait in a temporary file beside it, since the header, which counts
// them, comes first.
type Writer struct {
	path    string
	file    *os.File // the records, as they will be in the file
	buffer  *bufio.Writer
	zip     *gzip.Writer // nil for a plain file
	out     io.Writer
	records int64
	bytes   int64
	line    []byte
}

// Create begins the file that Commit will put at path. Discard must be called
// in the end, whatever happened.
func Create(path string) (*Writer, error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.partial")
	if err != nil {
		return nil, fmt.Errorf("write history %s: %w", path, err)
	}
	w := &Writer{path: path, file: file, buffer: bufio.NewWriterSize(file, 256<<10)}
	w.out = w.buffer
	if zipped(path) {
		w.zip = gzip.NewWriter(w.buffer)
		w.out = w.zip
	}
	return w, nil
}

func zipped(path string) bool { return strings.HasSuffix(path, ".gz") }

// Append adds a record. That no key comes twice is the caller's to see to.
func (w *Writer) Append(r history.Record) (err error) {
	if w.line, err = appendRecord(w.line[:0], r); err == nil {
		_, err = w.out.Write(w.line)
	}
	if err != nil {
		return fmt.Errorf("write history %s: %w", w.path, err)
	}
	w.records++
	w.bytes += int64(r.ItemBytes)
	return nil
}

// Commit writes the header before the records, makes the file durable and gives
// it its name, replacing what was there. On an error nothing is replaced.
func (w *Writer) Commit(source Source) (Header, error) {
	h := Header{Schema: Schema, SchemaVersion: SchemaVersion, Source: source, Records: w.records, ItemBytes: w.bytes}
	if err := w.commit(h); err != nil {
		return Header{}, fmt.Errorf("write history %s: %w", w.path, err)
	}
	return h, nil
}

func (w *Writer) commit(h Header) error {
	if w.zip != nil {
		if err := w.zip.Close(); err != nil {
			return err
		}
	}
	if err := w.buffer.Flush(); err != nil {
		return err
	}
	if _, err := w.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	// The temporary file is the user's alone; the file has the usual rights.
	whole, err := os.OpenFile(w.file.Name()+".whole", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(whole.Name()) }() // gone already if all went well
	if err := fill(whole, h, w.file, w.zip != nil); err != nil {
		_ = whole.Close()
		return err
	}
	if err := whole.Close(); err != nil {
		return err
	}
	if err := os.Rename(whole.Name(), w.path); err != nil {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(w.path))
}

// fill writes header and records. In a gzip file they are two members, which
// readers see as one text.
func fill(whole *os.File, h Header, records io.Reader, zip bool) error {
	line, err := h.line()
	if err != nil {
		return err
	}
	if zip {
		z := gzip.NewWriter(whole)
		if _, err := z.Write(line); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
	} else if _, err := whole.Write(line); err != nil {
		return err
	}
	if _, err := io.Copy(whole, records); err != nil {
		return err
	}
	return whole.Sync()
}

// Discard removes what is temporary.
func (w *Writer) Discard() {
	_ = w.file.Close()
	_ = os.Remove(w.file.Name())
}
