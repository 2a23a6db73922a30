package s3

import (
	"context"
	"slices"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// writeCondition is what must hold of a key for it to be written; at most one of
// the two is set.
type writeCondition struct {
	ifNoneMatch string // "*": the key must not exist
	ifMatch     string // the ETag that the key must have
}

// check refuses what S3 does not take on writes: it compares with one ETag, or
// with none at all (User Guide, "How to prevent object overwrites with
// conditional writes"; other values are answered NotImplemented).
func (c writeCondition) check() *serviceError {
	switch {
	case c.ifNoneMatch != "" && c.ifNoneMatch != "*":
		return fail(notImplemented, "A header you provided implies functionality that is not implemented: If-None-Match %.100q on a write, which takes * only", c.ifNoneMatch)
	case c.ifMatch == "*":
		return fail(notImplemented, "A header you provided implies functionality that is not implemented: If-Match * on a write, which takes an ETag")
	case c.ifNoneMatch != "" && c.ifMatch != "":
		return fail(notImplemented, "A header you provided implies functionality that is not implemented: If-Match beside If-None-Match")
	}
	return nil
}

// A write is a conditional write in flight, with what has happened to its key
// meanwhile. The bucket's lock guards it.
type write struct {
	deleted   bool // a deletion of the key succeeded
	overtaken bool // another write of the key succeeded
}

// write puts an object, if the condition holds when it is done: among racing
// writes the first to finish wins (User Guide, as above). Whether the client
// waits makes no difference.
func (s *Service) write(ctx context.Context, b *bucket, key string, o *object, c writeCondition) *serviceError {
	if c == (writeCondition{}) {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.set(key, o)
	}
	w := b.begin(key)
	_ = task.Sleep(context.WithoutCancel(ctx), s.cfg.CommitDelay)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.end(key, w)
	if err := b.holds(key, c, w, s.cfg.RacesConflict); err != nil {
		return err
	}
	return b.set(key, o)
}

func (b *bucket) begin(key string) *write {
	w := &write{}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inFlight[key] = append(b.inFlight[key], w)
	return w
}

func (b *bucket) end(key string, w *write) {
	left := slices.DeleteFunc(b.inFlight[key], func(other *write) bool { return other == w })
	if len(left) == 0 {
		delete(b.inFlight, key)
		return
	}
	b.inFlight[key] = left
}

// holds returns why a condition does not hold, nil if it does.
func (b *bucket) holds(key string, c writeCondition, w *write, racesConflict bool) *serviceError {
	o, found := b.objects.Get(key)
	lost := fail(preconditionFailed, preconditionMessage)
	if racesConflict && w.overtaken {
		lost = fail(conditionalRequestConflict, conflictMessage)
	}
	switch {
	case c.ifMatch != "" && !found:
		// Also when a deletion came in between (User Guide, as above).
		return fail(noSuchKey, noKeyMessage)
	case c.ifMatch != "" && !matches(c.ifMatch, o.etag):
		return lost
	case c.ifMatch == "" && w.deleted:
		return fail(conditionalRequestConflict, conflictMessage)
	case c.ifMatch == "" && found:
		return lost
	}
	return nil
}

// set stores an object. The caller holds the bucket's lock.
func (b *bucket) set(key string, o *object) *serviceError {
	if b.deleted {
		return missingBucket(b.name)
	}
	b.objects.Set(key, o)
	for _, w := range b.inFlight[key] {
		w.overtaken = true
	}
	return nil
}
