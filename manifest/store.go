package manifest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest/object"
)

// Config is what a Store keeps, and how.
type Config struct {
	Client   object.Client
	Location Location
	Policy   Policy
	// Spec is what the shard must have, and what one gets that is new; nil is
	// whatever it has, and by hand if it is new.
	Spec *Spec
	// Random and Backoff are object.Config's.
	Random  rand.Source
	Backoff object.Backoff
}

// DefaultConfig has the default policy and back-off. Client, Location and Random
// are for the caller to set.
func DefaultConfig() Config {
	return Config{Policy: DefaultPolicy(), Backoff: object.DefaultBackoff()}
}

// Validate refuses a configuration that cannot be opened.
func (c Config) Validate() error {
	return errors.Join(c.Location.Validate(), c.Policy.Validate(), c.objects().Validate())
}

func (c Config) objects() object.Config {
	return object.Config{Client: c.Client, Bucket: c.Location.Bucket, Random: c.Random, Backoff: c.Backoff}
}

// Stats counts what a store has done since it was opened.
type Stats struct {
	Scans   int64 // searches for the tip from the hint on
	Follows int64 // looks from a version on that was known (Probe)
	Commits int64 // versions created, hints apart
	// Lost are attempts to commit whose version was taken, among them LostUnsent,
	// which the store knew without a request.
	Lost, LostUnsent int64
	Exhausted        int64 // operations given up for it
	HintFailures     int64 // hints that could not be written
	Objects          object.Stats
}

// A Store reads and writes the manifest of a shard. It keeps a position, the
// manifest that it durably wrote or refreshed last, and what it serves depends on
// the policy. Any number of tasks may use one; the commits of a shard should go
// through one, since two stores do not know of each other's.
type Store struct {
	*finder
	cfg      Config
	writer   *object.Writer
	position position
	commits  task.Mutex // Serialized and Probe: held from reading the position to writing it

	committed, lost, unsent, exhausted, hintFailures atomic.Int64
}

// NewStore returns a store. It makes no request.
func NewStore(cfg Config) (*Store, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	writer, err := object.NewWriter(cfg.objects())
	if err != nil {
		return nil, err
	}
	return &Store{finder: newFinder(cfg.Client, cfg.Location, cfg.Policy), cfg: cfg, writer: writer}, nil
}

// Location returns where the shard is.
func (s *Store) Location() Location { return s.cfg.Location }

// Policy returns the store's policy.
func (s *Store) Policy() Policy { return s.cfg.Policy }

// Objects returns what the store reads and writes objects with, for those of the
// shard that are no manifests.
func (s *Store) Objects() *object.Writer { return s.writer }

// Reader returns a reader of the same shard.
func (s *Store) Reader() *Reader { return &Reader{s.finder} }

// Stats returns the counts so far.
func (s *Store) Stats() Stats {
	return Stats{
		Scans: s.scans.Load(), Follows: s.follows.Load(), Commits: s.committed.Load(),
		Lost: s.lost.Load(), LostUnsent: s.unsent.Load(), Exhausted: s.exhausted.Load(),
		HintFailures: s.hintFailures.Load(), Objects: s.writer.Stats(),
	}
}

// Latest returns the position if the store holds one that may be served, and else
// what storage has, without taking it for its position: who polls goes on seeing
// what others write. The position does not show what another process has committed
// since, such as a seal: that takes RefreshLatest.
func (s *Store) Latest(ctx context.Context) (Manifest, error) {
	if m, ok := s.served(); ok {
		return m.Clone(), nil
	}
	t, err := s.look(ctx)
	return s.only(t, err)
}

// RefreshLatest returns what storage has, and takes it for the store's position.
func (s *Store) RefreshLatest(ctx context.Context) (Manifest, error) {
	m, err := s.refresh(ctx)
	return m.Clone(), err
}

// CheckFenced returns a *FencedError if a newer epoch than the caller's holds the
// shard. It always asks storage, and takes what it finds for the store's position.
func (s *Store) CheckFenced(ctx context.Context, epoch uint64) error {
	m, err := s.refresh(cause.With(ctx, cause.Fence))
	if err != nil {
		return err
	}
	return s.checkEpoch(m, epoch)
}

// Close writes the hint if it lags behind, so that the next to open the shard
// finds the tip at once. Nothing but that depends on it, nor on its error.
func (s *Store) Close(ctx context.Context) error {
	m, ok := s.position.serve()
	if !ok || s.cfg.Policy.Kind != Probe || !s.position.hintDue(m.Version, 1) {
		return nil
	}
	return s.writeHint(ctx, m.Version)
}

func (s *Store) served() (Manifest, bool) {
	if s.cfg.Policy.Kind == Scan {
		return Manifest{}, false
	}
	return s.position.serve()
}

// look finds the tip in storage, under Probe from the last known version on.
func (s *Store) look(ctx context.Context) (tip, error) {
	if s.cfg.Policy.Kind == Probe {
		if from, ok := s.position.start(); ok {
			m, err := s.follow(ctx, from)
			return tip{manifest: m, exists: err == nil}, err
		}
	}
	t, err := s.find(ctx)
	if err == nil {
		s.position.setHinted(t.hinted)
	}
	return t, err
}

// refresh finds the tip and adopts it. A tip that the store has moved beyond
// meanwhile is not returned: the manifest never goes backwards.
func (s *Store) refresh(ctx context.Context) (Manifest, error) {
	t, err := s.look(ctx)
	m, err := s.only(t, err)
	if err != nil {
		return Manifest{}, err
	}
	return s.position.adopt(m), nil
}

// checkEpoch reports whether a caller of an epoch may still write.
func (s *Store) checkEpoch(m Manifest, epoch uint64) error {
	switch {
	case m.WriterEpoch > epoch:
		return &FencedError{Path: s.path(m.Version), Version: m.Version, Epoch: epoch, Found: m.WriterEpoch}
	case m.WriterEpoch < epoch:
		return fmt.Errorf("%w: epoch %d was never claimed: version %d at %s is of epoch %d", ErrInvalid, epoch, m.Version, s.path(m.Version), m.WriterEpoch)
	}
	return nil
}

// checkStatus reports whether a shard can be claimed and written to.
func (s *Store) checkStatus(m Manifest) error {
	switch m.Status {
	case Active:
		return nil
	case Sealed:
		return &SealedError{Path: s.path(m.Version), Version: m.Version}
	}
	return &StatusError{Path: s.path(m.Version), Status: m.Status}
}

// path names a version in messages.
func (s *Store) path(version uint64) string { return s.at.URL(s.at.ManifestKey(version)) }
