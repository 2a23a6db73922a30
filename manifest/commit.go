package manifest

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/manifest/object"
)

const (
	// maxCommits is how often a commit is attempted, without waiting between
	// (docs/facts/memwal.md §2.3): whoever was faster has committed already.
	maxCommits = 10
	// maxClaims is how often a claim is (docs/facts/memwal.md §2.4).
	maxClaims = 16
)

// CommitUpdate commits what update makes of the manifest, on behalf of the writer
// of an epoch, and returns it. The update begins with Manifest.Next and must leave
// epoch, status, shard and spec alone; it is called again, with the manifest that
// was faster, when its version was taken, ten times in all.
//
// A *FencedError reports that a newer epoch holds the shard, a *SealedError that it
// is being dropped, an *ExhaustedError that ten attempts collided; nothing was
// written then. ErrUnknown is the only error after which the update may have
// happened, or may yet: look before doing it again.
func (s *Store) CommitUpdate(ctx context.Context, epoch uint64, update func(current Manifest) (Manifest, error)) (Manifest, error) {
	return s.commit(ctx, "commit", func(current Manifest) (Manifest, error) {
		if err := s.checkEpoch(current, epoch); err != nil {
			return Manifest{}, err
		}
		if err := s.checkStatus(current); err != nil {
			return Manifest{}, err
		}
		next, err := update(current.Clone())
		if err != nil {
			return Manifest{}, fmt.Errorf("update of version %d at %s: %w", current.Version, s.path(current.Version), err)
		}
		if next.WriterEpoch != epoch || next.Status != current.Status {
			return Manifest{}, fmt.Errorf("%w: the update of version %d changes epoch %d to %d and %v to %v; claims and seals do that",
				ErrInvalid, current.Version, epoch, next.WriterEpoch, current.Status, next.Status)
		}
		return next, nil
	})
}

// Seal marks the shard as being dropped: the first phase of dropping its table,
// by whoever does that, without a claim. Claims are refused from then on, and the
// holder's commits once it sees it. Sealing what is sealed changes nothing.
func (s *Store) Seal(ctx context.Context) error { return s.setStatus(ctx, "seal", Sealed) }

// Unseal takes Seal back.
func (s *Store) Unseal(ctx context.Context) error { return s.setStatus(ctx, "unseal", Active) }

// errAsIs ends a commit that would change nothing.
var errAsIs = errors.New("nothing to change")

// setStatus commits a status under the epoch of the tip.
func (s *Store) setStatus(ctx context.Context, operation string, status Status) error {
	_, err := s.commit(ctx, operation, func(current Manifest) (Manifest, error) {
		switch current.Status {
		case status:
			return Manifest{}, errAsIs
		case Active, Sealed:
			next := current.Next()
			next.Status = status
			return next, nil
		}
		return Manifest{}, s.checkStatus(current)
	})
	if errors.Is(err, errAsIs) {
		return nil
	}
	return err
}

// commit writes what next makes of the position, or of the tip, until the version
// is not taken.
func (s *Store) commit(ctx context.Context, operation string, next func(current Manifest) (Manifest, error)) (Manifest, error) {
	unlock, err := s.serialize(ctx)
	if err != nil {
		return Manifest{}, err
	}
	defer unlock()
	for attempt := 1; ; attempt++ {
		m, err := s.successor(ctx, next)
		if err != nil {
			return Manifest{}, err
		}
		err = s.write(ctx, m)
		if err == nil {
			return m.Clone(), nil
		}
		if !errors.Is(err, ErrCollision) {
			return Manifest{}, fmt.Errorf("%s version %d: %w", operation, m.Version, err)
		}
		if attempt == maxCommits {
			return Manifest{}, s.givenUp(operation, attempt, err)
		}
	}
}

// successor returns what next makes of the position, or of the tip if there is
// none to serve. A status can be taken back, so that of a position is no reason to
// refuse before storage has been asked.
func (s *Store) successor(ctx context.Context, next func(current Manifest) (Manifest, error)) (Manifest, error) {
	current, held := s.served()
	var m Manifest
	var err error
	if held {
		m, err = next(current)
	}
	if !held || errors.Is(err, ErrSealed) || errors.Is(err, ErrUnknownStatus) || errors.Is(err, errAsIs) {
		if current, err = s.refresh(ctx); err != nil {
			return Manifest{}, err
		}
		m, err = next(current)
	}
	if err != nil {
		return Manifest{}, err
	}
	return m, current.checkSuccessor(m)
}

// serialize takes the lock under which the commits of a store pass the position
// on, if the policy has it. S3 lets only one of them through anyway.
func (s *Store) serialize(ctx context.Context) (unlock func(), err error) {
	if s.cfg.Policy.Kind < Serialized {
		return func() {}, nil
	}
	if err := s.commits.Lock(ctx); err != nil {
		return nil, err
	}
	return s.commits.Unlock, nil
}

func (s *Store) givenUp(operation string, attempts int, err error) error {
	s.exhausted.Add(1)
	return &ExhaustedError{Operation: operation, Attempts: attempts, Err: err}
}

// write creates a version, and the hint after it. Whatever goes wrong drops the
// position; that the version was the tip when it was created is what makes it one.
func (s *Store) write(ctx context.Context, m Manifest) error {
	if held, ok := s.served(); ok && held.Version >= m.Version {
		s.position.drop(held.Version)
		s.lost.Add(1)
		s.unsent.Add(1)
		return &CollisionError{Path: s.path(m.Version), Version: m.Version}
	}
	body, err := m.Encode()
	if err != nil {
		return fmt.Errorf("encode version %d of shard %v: %w", m.Version, m.Shard, err)
	}
	err = s.writer.Create(cause.With(ctx, cause.Commit), s.at.ManifestKey(m.Version), body, s.writer.NewIdentity())
	switch {
	case errors.Is(err, object.ErrExists):
		s.position.drop(m.Version)
		s.lost.Add(1)
		return &CollisionError{Path: s.path(m.Version), Version: m.Version, Err: err}
	case err != nil:
		s.position.drop(0)
		return err
	}
	s.committed.Add(1)
	s.position.adopt(m.Clone())
	if s.cfg.Policy.Kind != Probe || s.position.hintDue(m.Version, s.cfg.Policy.HintEvery) {
		_ = s.writeHint(ctx, m.Version) // counted; the version exists whatever becomes of the hint
	}
	return nil
}

// writeHint writes the hint. Two stores' hints may land in any order; that costs
// the next scan some requests.
func (s *Store) writeHint(ctx context.Context, version uint64) error {
	if err := s.writer.Put(cause.With(ctx, cause.Hint), s.at.HintKey(), encodeHint(version)); err != nil {
		s.hintFailures.Add(1)
		return err
	}
	s.position.setHinted(version)
	return nil
}
