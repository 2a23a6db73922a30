package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lakebench/lakebench/internal/atomicfile"
	"github.com/lakebench/lakebench/internal/sim/checker"
	runner "github.com/lakebench/lakebench/run"
)

// recordings take the histories of operations that a run recorded for the
// checker: all of them are written to dir, unless that is empty, and what failed
// is kept until the result has a folder.
type recordings struct {
	dir    string
	failed []runner.Recording
}

// openRecordings refuses a folder that cannot be written to, before anything is
// measured.
func openRecordings(dir string) (*recordings, error) {
	if dir != "" {
		if err := atomicfile.Probe(filepath.Join(dir, "history.json")); err != nil {
			return nil, usagef("--operations-out: %w", err)
		}
	}
	return &recordings{dir: dir}, nil
}

// take writes a recording as soon as it is made, since those of a long run do not
// all fit into memory.
func (r *recordings) take(rec runner.Recording) error {
	if rec.Result.Verdict == checker.Failed {
		failed := rec
		failed.History = checker.History{} // its failing part is in the verdict
		r.failed = append(r.failed, failed)
	}
	if r.dir == "" {
		return nil
	}
	return writeHistory(filepath.Join(r.dir, rec.Name()+".json"), rec.History)
}

// writeFailed writes what failed to the result's folder: as a drawing if it is not
// too large for one, and as JSON. It returns the files.
func (r *recordings) writeFailed(dir string) ([]string, error) {
	var files []string
	for _, rec := range r.failed {
		failing := rec.Result.Failing
		path := filepath.Join(dir, "failing-"+rec.Name())
		if err := writeHistory(path+".json", failing); err != nil {
			return files, err
		}
		files = append(files, path+".json")
		if len(failing.Operations) > checker.MaxDrawn {
			continue
		}
		var drawing bytes.Buffer
		if err := checker.WriteHTML(&drawing, failing); err != nil {
			return files, err
		}
		if err := atomicfile.Write(path+".html", drawing.Bytes()); err != nil {
			return files, err
		}
		files = append(files, path+".html")
	}
	return files, nil
}

func writeHistory(path string, h checker.History) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return usagef("%w", err)
	}
	var text bytes.Buffer
	if err := checker.WriteJSON(&text, h); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return atomicfile.Write(path, text.Bytes())
}
