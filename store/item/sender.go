package item

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/lakebench/lakebench/internal/attempt"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
)

// A Writer sends the requests of a mutation: an SDK client, or another transport
// that asks Options.Retryer before each attempt and tells it how the attempt
// ended. One that does not is taken to make one attempt a call.
type Writer interface {
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
}

// SenderConfig is how a Sender sends.
type SenderConfig struct {
	Client Writer
	// Random is where request tokens and jitter come from; the sender locks it.
	// Two senders of one account and Region must not draw the same numbers within
	// ten minutes, whatever they write: the service would take the second's
	// transaction for a repetition of the first's. Only on a service that starts
	// empty may a run's seed decide; elsewhere it comes from crypto/rand.
	Random rand.Source
	// Backoff is for contention, which the SDK does not retry.
	Backoff Backoff
}

// Validate refuses a configuration without client or randomness.
func (c SenderConfig) Validate() error {
	switch {
	case c.Client == nil:
		return fmt.Errorf("%w: no client to write with", store.ErrInvalid)
	case c.Random == nil:
		return fmt.Errorf("%w: no source of request tokens", store.ErrInvalid)
	}
	if err := c.Backoff.Validate(); err != nil {
		return fmt.Errorf("%w: %w", store.ErrInvalid, err)
	}
	return nil
}

// Backoff is for a mutation refused for contention.
type Backoff = attempt.Backoff

// DefaultBackoff is that of package attempt.
func DefaultBackoff() Backoff { return attempt.DefaultBackoff() }

// Stats counts what stood in the way of a sender's mutations.
type Stats struct {
	Contended int64 // calls refused for contention
	Exhausted int64 // mutations given up for it (ErrContention)
	Unknown   int64 // mutations that ended as ErrUnknown
}

// Plus returns the sums of both.
func (s Stats) Plus(o Stats) Stats {
	return Stats{Contended: s.Contended + o.Contended, Exhausted: s.Exhausted + o.Exhausted, Unknown: s.Unknown + o.Unknown}
}

// A Sender sends mutations. It may be used by several tasks at once.
type Sender struct {
	cfg SenderConfig

	mu sync.Mutex // guards cfg.Random; never held over a yield

	contended, exhausted, unknown atomic.Int64
}

// NewSender returns a sender.
func NewSender(cfg SenderConfig) (*Sender, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Sender{cfg: cfg}, nil
}

// Stats returns the counts so far.
func (s *Sender) Stats() Stats {
	return Stats{Contended: s.contended.Load(), Exhausted: s.exhausted.Load(), Unknown: s.unknown.Load()}
}

// token returns a new ClientRequestToken: 32 of the 36 characters allowed.
func (s *Sender) token() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return attempt.ID(s.cfg.Random, 16)
}

// pause waits before the next try of a mutation refused for contention.
func (s *Sender) pause(ctx context.Context, try int) error {
	s.mu.Lock()
	u := rand.New(s.cfg.Random).Float64()
	s.mu.Unlock()
	return task.Sleep(ctx, s.cfg.Backoff.Wait(try, u))
}

// Put writes value to r if r is as expected: a conditional PutItem.
func (s *Sender) Put(ctx context.Context, r Record, expected store.Expectation, value []byte) error {
	in := r.PutInput(expected, value)
	return s.single(ctx, r, func(option func(*dynamodb.Options)) error {
		_, err := s.cfg.Client.PutItem(ctx, in, option)
		return err
	}, func(found store.Found) error {
		return &store.ConflictError{Table: r.Table, Key: r.Name, Expected: expected, Found: found}
	})
}

// Delete removes r if it holds exactly expected: a conditional DeleteItem. It
// returns store.ErrNotFound if r does not exist.
func (s *Sender) Delete(ctx context.Context, r Record, expected []byte) error {
	want := store.Exactly(expected)
	in := r.DeleteInput(want)
	return s.single(ctx, r, func(option func(*dynamodb.Options)) error {
		_, err := s.cfg.Client.DeleteItem(ctx, in, option)
		return err
	}, func(found store.Found) error {
		if !found.Exists {
			return store.ErrNotFound
		}
		return &store.ConflictError{Table: r.Table, Key: r.Name, Expected: want, Found: found}
	})
}

// single sends one conditional write of one item until an attempt without an
// answer, an answer, or the end of the back-off.
func (s *Sender) single(ctx context.Context, r Record, send func(func(*dynamodb.Options)) error, refused func(store.Found) error) error {
	for try := 1; ; try++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		a := newAttempts(false)
		err := send(a.option)
		a.Settle(err)
		if err == nil {
			return nil
		}
		if a.Unanswered() {
			return s.unsettled(err)
		}
		if item, ok := conditionFailed(err); ok {
			found, err := r.Found(item)
			if err != nil {
				return err
			}
			return refused(found)
		}
		if !conflicted(err) {
			return s.classified(err)
		}
		s.contended.Add(1)
		if try >= s.cfg.Backoff.Tries {
			return s.givenUp(err, try)
		}
		if err := s.pause(ctx, try); err != nil {
			return err
		}
	}
}

// unsettled is the error of a mutation with an unanswered attempt.
func (s *Sender) unsettled(err error) error {
	s.unknown.Add(1)
	return fmt.Errorf("%w: %w", store.ErrUnknown, err)
}

// givenUp is the error of a mutation that contention kept from happening.
func (s *Sender) givenUp(err error, tries int) error {
	s.exhausted.Add(1)
	return fmt.Errorf("%w %d times in a row: %w", store.ErrContention, tries, err)
}

// classified marks a refusal for load, which the SDK has retried already, as
// store.ErrContention. Other errors stay what they are.
func (s *Sender) classified(err error) error {
	if !throttled(err) {
		return err
	}
	s.contended.Add(1)
	s.exhausted.Add(1)
	return fmt.Errorf("%w: %w", store.ErrContention, err)
}
