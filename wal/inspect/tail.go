package inspect

import (
	"context"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/wal/entry"
)

// lookAtWAL reads the entries that no generation covers. Those before may have been
// deleted.
func (s *shard) lookAtWAL(ctx context.Context) error {
	if !s.found {
		return nil
	}
	s.WALTip = s.ReplayAfter
	next := s.ReplayAfter + 1
	for _, position := range s.copy.numbers(s.at.WALPrefix(), manifest.WALExtension) {
		if position < next {
			continue
		}
		if position > next {
			s.problem("%s: WAL entry %d is missing, while entry %d exists", s.name(s.at.WALKey(next)), next, position)
		}
		if err := s.lookAtEntry(ctx, position); err != nil {
			return err
		}
		s.WALTip, next = position, position+1
	}
	if s.LastSeen > s.WALTip {
		s.problem("%s: WAL entry %d is missing, though version %d has seen entry %d", s.name(s.at.WALKey(next)), next, s.Version, s.LastSeen)
	}
	return nil
}

func (s *shard) lookAtEntry(ctx context.Context, position uint64) error {
	key := s.at.WALKey(position)
	body, err := s.copy.read(ctx, cause.WAL, key)
	if err != nil {
		return err
	}
	s.Tail.Entries++
	e, err := entry.Decode(body)
	switch {
	case err != nil:
		s.problem("%s: WAL entry %d: %v", s.name(key), position, err)
	case e.WriterEpoch > s.WriterEpoch:
		s.problem("%s: WAL entry %d is of epoch %d, while version %d is of epoch %d", s.name(key), position, e.WriterEpoch, s.Version, s.WriterEpoch)
	case e.Sentinel:
		s.Tail.Sentinels++
	default:
		s.Tail.Rows += len(e.Rows)
	}
	return nil
}
