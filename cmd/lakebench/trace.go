package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"sync"

	"github.com/lakebench/lakebench/internal/atomicfile"
	"github.com/lakebench/lakebench/internal/meter"
)

// A traceFile writes trace records as JSON lines. A nil *traceFile has nothing
// to close.
type traceFile struct {
	file *os.File

	mu  sync.Mutex
	buf *bufio.Writer
	enc *json.Encoder
	err error // the first one
}

// probeTrace refuses a file that cannot be written, before anything is measured.
func probeTrace(file string) error {
	if file == "" {
		return nil
	}
	info, err := os.Stat(file)
	switch {
	case err != nil || info.IsDir():
		err = atomicfile.Probe(file)
	case info.Mode().IsRegular():
		var f *os.File
		if f, err = os.OpenFile(file, os.O_WRONLY, 0); err == nil {
			err = f.Close()
		}
	}
	if err != nil {
		return usagef("--trace-out: %w", err)
	}
	return nil
}

func openTrace(file string) (*traceFile, error) {
	if file == "" {
		return nil, nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, usagef("--trace-out: %w", err)
	}
	buf := bufio.NewWriterSize(f, 1<<16)
	return &traceFile{file: f, buf: buf, enc: json.NewEncoder(buf)}, nil
}

// write appends one record. It may be called from several tasks at once.
func (t *traceFile) write(r meter.TraceRecord) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = t.enc.Encode(r)
	}
}

// close writes what is buffered, and returns the first error of all writes.
func (t *traceFile) close() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := errors.Join(t.err, t.buf.Flush(), t.file.Close()); err != nil {
		return usagef("--trace-out: %w", err)
	}
	return nil
}
