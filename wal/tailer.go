package wal

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/manifest/object"
	"github.com/lakebench/lakebench/wal/entry"
)

// ErrEnd reports that there is no entry yet at a position.
var ErrEnd = errors.New("the end of the log")

// A Tailer reads the log of a shard that another process may hold. It writes nothing,
// not even how far it is (docs/spec/shard-manifest.md §2, "the tailer writes nothing"):
// that it keeps in memory. Any number of tasks may use one.
type Tailer struct {
	log       *log
	manifests *manifest.Reader
	probe     bool

	mu sync.Mutex // never held over a yield
	// highest is the last position that was read or found to be there, covered the
	// last one that is known to be in a generation.
	highest, covered uint64
}

// NewTailer returns a tailer. It makes no request.
func NewTailer(cfg ReaderConfig) (*Tailer, error) {
	r, err := manifest.NewReader(manifest.ReaderConfig{Client: cfg.Client, Location: cfg.Location, Policy: cfg.Policy})
	if err != nil {
		return nil, err
	}
	reader := object.Reader{Client: cfg.Client, Bucket: cfg.Location.Bucket}
	return &Tailer{
		log: &log{location: cfg.Location, reader: reader}, manifests: r, probe: cfg.Policy.Kind == manifest.Probe,
	}, nil
}

// Read reads the entry at a position, with one request. ErrEnd reports that it is not
// there yet, and ErrCollected that it is not there any more, as far as the tailer
// knows: what it has not read or found out by Refresh it takes for the end.
func (t *Tailer) Read(ctx context.Context, position uint64) (entry.Entry, error) {
	e, err := t.log.read(ctx, position)
	switch {
	case err == nil:
		t.learn(position, 0)
		return e, nil
	case !isAbsent(err):
		return entry.Entry{}, err
	case t.passed(position):
		return entry.Entry{}, t.log.failed(position, ErrCollected)
	}
	return entry.Entry{}, t.log.failed(position, ErrEnd)
}

// Refresh reads from the manifest how far the log is in generations.
func (t *Tailer) Refresh(ctx context.Context) error {
	_, err := t.refresh(ctx)
	return err
}

func (t *Tailer) refresh(ctx context.Context) (manifest.Manifest, error) {
	m, err := t.manifests.Latest(ctx)
	if err == nil {
		t.learn(m.LastSeen, m.ReplayAfter)
	}
	return m, err
}

// Next returns the position after the last entry. It begins with what it has read,
// or else with the manifest.
func (t *Tailer) Next(ctx context.Context) (uint64, error) {
	highest, covered := t.knows()
	if highest == 0 {
		m, err := t.refresh(ctx)
		if err != nil {
			return 0, err
		}
		highest, covered = m.LastSeen, m.ReplayAfter
	}
	find := func() (uint64, error) { return t.log.endFrom(ctx, highest, covered) }
	if t.probe {
		find = func() (uint64, error) { return t.log.endBeyond(ctx, max(highest, covered)+1) }
	}
	end, err := find()
	if err == nil {
		t.learn(end-1, 0)
	}
	return end, err
}

// First returns the position of the first entry that is still there, by listing
// all. ErrEnd reports that there is none.
func (t *Tailer) First(ctx context.Context) (uint64, error) {
	all, err := t.log.positions(ctx)
	if err != nil {
		return 0, err
	}
	if len(all) == 0 {
		return 0, fmt.Errorf("%s: %w", t.log.location.URL(t.log.location.WALPrefix()), ErrEnd)
	}
	first := all[0]
	for _, p := range all {
		first = min(first, p)
	}
	return first, nil
}

func (t *Tailer) learn(highest, covered uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.highest, t.covered = max(t.highest, highest), max(t.covered, covered)
}

func (t *Tailer) knows() (highest, covered uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.highest, t.covered
}

// passed reports whether there must have been an entry at a position.
func (t *Tailer) passed(position uint64) bool {
	highest, covered := t.knows()
	return position <= highest || position <= covered
}
