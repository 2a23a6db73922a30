package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/lakebench/lakebench/internal/atomicfile"
	"github.com/lakebench/lakebench/internal/report"
	"github.com/lakebench/lakebench/plots"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/location"
)

// outHelp is the help text of --out in the verbs that write a run's folder.
const outHelp = "write results to a new folder below this `dir`, or below s3://BUCKET/PREFIX"

// A destination is where the folder of a run goes: below a folder, or below a
// prefix of a bucket.
type destination struct {
	id     string // of the run
	dir    string // in which its folder is written
	client location.Client
	place  location.Object // of the folder, if there is a client
}

// openDestination refuses what could not be written to, and a run that is there
// already, before anything is measured.
func openDestination(ctx context.Context, out, id string) (*destination, error) {
	d := &destination{id: id, dir: out}
	if !location.InBucket(out) {
		path := filepath.Join(out, id, results.FileName)
		if _, err := os.Stat(path); err == nil {
			return nil, usagef("--out: %s %w", path, location.ErrExists)
		}
		if err := atomicfile.Probe(path); err != nil {
			return nil, usagef("--out: %w", err)
		}
		return d, nil
	}
	place, err := location.ParseObject(out)
	if err != nil {
		return nil, usagef("--out: %w", err)
	}
	d.place = place.Join(id)
	if d.client, err = resultsBucket(ctx); err != nil {
		return nil, fmt.Errorf("--out %s: %w", out, err)
	}
	if err := location.Free(ctx, d.client, d.place); err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	return d, nil
}

// written are the files of a run's folder, by the names under which they can be
// read.
type written struct {
	result, report, plots string
	pictures              int
	failing               []string
}

// write writes the folder: the result, its twin, pictures and reports, and what
// failed in the checker.
func (d *destination) write(ctx context.Context, doc results.Document, recorded *recordings) (written, error) {
	if d.client != nil {
		var err error
		if d.dir, err = os.MkdirTemp("", "lakebench-"); err != nil {
			return written{}, fmt.Errorf("write what goes to %v: %w", d.place, err)
		}
	}
	path, err := results.Write(d.dir, doc)
	if err != nil {
		return written{}, err
	}
	folder := filepath.Dir(path)
	drawn := report.Draw(doc)
	pictures, err := plots.Write(filepath.Join(folder, "plots"), drawn.Pictures)
	if err != nil {
		return written{}, err
	}
	if err := writeReports(folder, drawn); err != nil {
		return written{}, err
	}
	failing, err := recorded.writeFailed(folder)
	if err != nil {
		return written{}, err
	}
	if err := d.upload(ctx, folder); err != nil {
		return written{}, err
	}
	w := written{d.name(results.FileName), d.name("report.html"), d.name("plots"), len(pictures), nil}
	for _, f := range failing {
		w.failing = append(w.failing, d.name(filepath.Base(f)))
	}
	return w, nil
}

// name is that of a file of the folder where it is in the end.
func (d *destination) name(file string) string {
	if d.client != nil {
		return d.place.Join(file).String()
	}
	return filepath.Join(d.dir, d.id, file)
}

// uploadLimit is how long it may take to write the folder to a bucket.
const uploadLimit = 10 * time.Minute

// upload writes the folder to the bucket, also after an interrupt. What could not
// be written stays where it is.
func (d *destination) upload(ctx context.Context, folder string) error {
	if d.client == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), uploadLimit)
	defer cancel()
	if err := location.Upload(ctx, d.client, folder, d.place); err != nil {
		return fmt.Errorf("%w; the results are kept in %s", err, folder)
	}
	return os.RemoveAll(d.dir)
}
