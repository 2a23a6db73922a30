package manifest

import (
	"context"
	"errors"
	"fmt"
)

// ClaimEpoch makes the caller the shard's writer: it commits the next epoch, which
// the manifest it returns has, and whoever held the shard is fenced. A shard
// without manifest gets its first.
//
// It yields to another claim: a *FencedError then reports that an epoch as high as
// the one it was after is taken. A commit of the holder in between only makes it
// try again, which costs a lost attempt and one search; the public system searches
// twice (docs/facts/memwal.md §2.4). A *SealedError reports that the shard is being dropped, a *SpecError
// that it has another spec than the configuration's.
func (s *Store) ClaimEpoch(ctx context.Context) (Manifest, error) {
	unlock, err := s.serialize(ctx)
	if err != nil {
		return Manifest{}, err
	}
	defer unlock()
	var target uint64 // the epoch that the first attempt was after
	for attempt := 1; ; attempt++ {
		current, err := s.refresh(ctx)
		if err != nil && !errors.Is(err, ErrNoManifest) {
			return Manifest{}, err
		}
		next := s.firstManifest(1)
		if err == nil {
			if err := errors.Join(s.checkStatus(current), s.checkSpec(current)); err != nil {
				return Manifest{}, err
			}
			next = current.Next()
			next.WriterEpoch++
		}
		if target == 0 {
			target = next.WriterEpoch
		}
		if next.WriterEpoch > target {
			return Manifest{}, &FencedError{Path: s.path(current.Version), Version: current.Version, Epoch: target, Found: current.WriterEpoch}
		}
		err = s.write(ctx, next)
		if err == nil {
			return next, nil
		}
		if !errors.Is(err, ErrCollision) {
			return Manifest{}, fmt.Errorf("claim epoch %d: %w", target, err)
		}
		if attempt == maxClaims {
			return Manifest{}, s.givenUp("claim", attempt, err)
		}
	}
}

// InitializeShard writes the first manifest, of epoch 0, so that the shard exists
// before anybody writes to it. If it exists it is taken as it is, unless its spec
// is another than the configuration's: then the error is a *SpecError.
func (s *Store) InitializeShard(ctx context.Context) (Manifest, error) {
	first := s.firstManifest(0)
	err := s.write(ctx, first)
	if err == nil {
		return first, nil
	}
	if !errors.Is(err, ErrCollision) {
		return Manifest{}, fmt.Errorf("initialize the shard: %w", err)
	}
	found, err := s.refresh(ctx)
	if err != nil {
		return Manifest{}, err
	}
	return found.Clone(), s.checkSpec(found)
}

// firstManifest is version 1.
func (s *Store) firstManifest(epoch uint64) Manifest {
	m := Manifest{Shard: s.at.Shard, Version: 1, WriterEpoch: epoch, CurrentGeneration: 1}
	if s.cfg.Spec != nil {
		m.Spec = *s.cfg.Spec
	}
	return m.Clone()
}

func (s *Store) checkSpec(m Manifest) error {
	if s.cfg.Spec == nil || m.Spec.Equal(*s.cfg.Spec) {
		return nil
	}
	return &SpecError{Path: s.path(m.Version), Want: *s.cfg.Spec, Found: m.Spec}
}
