package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/lakebench/lakebench/internal/atomicfile"
	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/store/control"
)

// metricsEvery is the least time between two writes of a metrics file. Who reads
// such files does so every 15 seconds or so.
const metricsEvery = 5 * time.Second

// A metricsFile is the state of a migration in Prometheus's text format, for a
// collector that reads files. Without a path it does nothing.
type metricsFile struct {
	path string

	mu          sync.Mutex
	written     time.Time
	steps       []string // of the progress, in order of appearance
	progress    map[string]migrate.Progress
	differences map[migrate.DifferenceKind]int64 // nil: not verified
}

// newMetricsFile refuses a file that cannot be written, before anything is done.
func newMetricsFile(path string) (*metricsFile, error) {
	f := &metricsFile{path: path, progress: map[string]migrate.Progress{}}
	if path == "" {
		return f, nil
	}
	// A missing folder is more likely a typing mistake than a place where a collector
	// looks.
	_, err := os.Stat(filepath.Dir(path))
	if err == nil {
		err = atomicfile.Probe(path)
	}
	if err != nil {
		return nil, usagef("--metrics-file: %w", err)
	}
	return f, nil
}

// at takes note of progress. A file that cannot be written now is tried again; at
// the end of the verb that is an error.
func (f *metricsFile) at(p migrate.Progress) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, known := f.progress[p.Step]; !known {
		f.steps = append(f.steps, p.Step)
	}
	f.progress[p.Step] = p
	if f.path == "" || time.Since(f.written) < metricsEvery {
		return
	}
	f.written = time.Now()
	_ = f.write(nil)
}

func (f *metricsFile) differ(v *migrate.Verification) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.differences = map[migrate.DifferenceKind]int64{}
	for _, kind := range migrate.DifferenceKinds() {
		f.differences[kind] = v.Differences[kind]
	}
}

// finish writes the file with what the records say in the end.
func (f *metricsFile) finish(ctx context.Context, m *migrationRun) error {
	if f.path == "" {
		return nil
	}
	s, err := m.Status(ctx, m.options.nodes)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.write(s); err != nil {
		return usagef("--metrics-file: %w", err)
	}
	return nil
}

// write replaces the file.
func (f *metricsFile) write(s *migrate.Status) error {
	return atomicfile.Replace(f.path, []byte(f.text(s)))
}

// paused is the phase between barrier and marker.
const paused = "paused"

// text is the file. s is nil while a verb is under way.
func (f *metricsFile) text(s *migrate.Status) string {
	var b strings.Builder
	gauge := func(name, help string) {
		fmt.Fprintf(&b, "# HELP lakebench_migration_%s %s\n# TYPE lakebench_migration_%s gauge\n", name, help, name)
	}
	if len(f.steps) > 0 {
		gauge("step_items", "Items that a step of the running verb has come to.")
		for _, step := range f.steps {
			fmt.Fprintf(&b, "lakebench_migration_step_items{step=%q} %d\n", step, f.progress[step].Done)
		}
	}
	if f.differences != nil {
		gauge("differences", "Records that differed between the layouts when last verified.")
		for _, kind := range migrate.DifferenceKinds() {
			fmt.Fprintf(&b, "lakebench_migration_differences{kind=%q} %d\n", kind, f.differences[kind])
		}
	}
	if s == nil {
		return b.String()
	}
	gauge("peers", "Nodes on record by mode; unknown are those named that have no record.")
	for _, p := range []struct {
		mode string
		n    int
	}{{"v1-only", s.Peers.V1Only}, {"unknown", s.Peers.Unknown}, {"dual", s.Peers.Dual}, {"v2", s.Peers.V2}} {
		fmt.Fprintf(&b, "lakebench_migration_peers{mode=%q} %d\n", p.mode, p.n)
	}
	for _, c := range []struct {
		name, help string
		n          int64
	}{
		{"items_scanned", "Items of v1 that the backfill has evaluated.", s.Backfill.Scanned},
		{"items_converged", "Items that the backfill has found or made equal in both layouts.", s.Backfill.Converged},
		{"items_created", "Items that the backfill has created in v2.", s.Backfill.Created},
		{"problems", "Items that keep the migration from being finalized.", s.Backfill.Problems},
	} {
		gauge(c.name, c.help)
		fmt.Fprintf(&b, "lakebench_migration_%s %d\n", c.name, c.n)
	}
	gauge("phase", "1 for the phase that the migration is in.")
	now := phase(s)
	for _, name := range []string{control.ModeV1.String(), control.ModeDual.String(), paused, control.ModeV2Authoritative.String(), control.ModeV2Only.String()} {
		in := 0
		if name == now {
			in = 1
		}
		fmt.Fprintf(&b, "lakebench_migration_phase{phase=%q} %d\n", name, in)
	}
	return b.String()
}

func phase(s *migrate.Status) string {
	if s.Barrier != nil && s.Marker == nil {
		return paused
	}
	return s.Mode.String()
}
