package control

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
)

// problemPrefix begins the sort key of every problem; a hash of the key follows,
// since the key may be longer than a sort key.
const problemPrefix = "problem/"

// A ProblemKind is why an item of v1 cannot be, or must not be, copied to v2.
type ProblemKind string

// The kinds of problems. The first four are of items that v2 cannot hold: an operator
// has to change v1. The others are of copies that differ, which repair heals.
const (
	KeyTooLong      ProblemKind = "key-too-long"
	ItemTooLarge    ProblemKind = "item-too-large"
	OtherAttributes ProblemKind = "other-attributes"
	NoBinaryValue   ProblemKind = "no-binary-value"
	Differing       ProblemKind = "differing" // v2 holds another value
	Orphan          ProblemKind = "orphan"    // v2 holds what v1 does not
)

// A Problem is an item that the backfill could not make converge
// (docs/spec/metadata-store.md §4 and §5). The migration is not finalized while
// one is open.
type Problem struct {
	Key    string      `json:"key"`
	Kind   ProblemKind `json:"kind"`
	Detail string      `json:"detail"`
	Found  time.Time   `json:"found"`
}

// RecordProblem opens a problem, in place of what is recorded of its key.
func (r *Records) RecordProblem(ctx context.Context, p Problem) error {
	p.Found = stamp(p.Found)
	name := problemName(p.Key)
	return r.settle(ctx, name, func(held store.Expectation) error {
		if value, exists := held.Value(); exists {
			known, err := parse[Problem](r, name, value)
			if err != nil {
				return err
			}
			if known.Kind == p.Kind && known.Detail == p.Detail {
				return nil // known; found when it was found first
			}
		}
		return r.put(ctx, name, held, p)
	})
}

// CloseProblem removes what is recorded of a key, if anything.
func (r *Records) CloseProblem(ctx context.Context, key string) error {
	name := problemName(key)
	return r.settle(ctx, name, func(held store.Expectation) error {
		if _, exists := held.Value(); !exists {
			return nil
		}
		return r.transact(ctx, name, []types.TransactWriteItem{at(r.table, name).Delete(held)}, store.Absent())
	})
}

// settle changes a record from what it holds, again when it has changed meanwhile.
func (r *Records) settle(ctx context.Context, name string, change func(held store.Expectation) error) error {
	const tries = 10 // each fails only if another process changes the same problem
	for try := 1; ; try++ {
		held, err := r.read(ctx, name)
		if err != nil {
			return err
		}
		err = change(held)
		var refusal *item.RefusedError
		if !errors.As(err, &refusal) || try == tries {
			return err
		}
	}
}

// Problems calls do for every open problem.
func (r *Records) Problems(ctx context.Context, do func(Problem) error) error {
	return r.each(ctx, problemPrefix, func(name string, value []byte) error {
		p, err := parse[Problem](r, name, value)
		if err != nil {
			return err
		}
		if name != problemName(p.Key) {
			return fmt.Errorf("control record %s of table %s: %w: it is about another key, %.80q", name, r.table, store.ErrMalformed, p.Key)
		}
		return do(*p)
	})
}

func problemName(key string) string {
	sum := sha256.Sum256([]byte(key))
	return problemPrefix + hex.EncodeToString(sum[:])
}
