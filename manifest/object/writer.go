package object

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lakebench/lakebench/internal/attempt"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// A Client makes the requests of reading and writing: an SDK client, or another
// transport that asks Options.Retryer before each attempt and tells it how the
// attempt ended. One that does not is taken to make one attempt a call.
type Client interface {
	ReadClient
	PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error)
}

// Config is how a Writer writes.
type Config struct {
	Client Client
	Bucket string
	// Random is where identities and jitter come from; the writer locks it. Two
	// writers of one bucket must not draw the same numbers: each would take the
	// other's object for its own. Only on a service that starts empty may a run's
	// seed decide; elsewhere it comes from crypto/rand.
	Random  rand.Source
	Backoff Backoff
}

// Validate refuses a configuration that cannot write.
func (c Config) Validate() error {
	switch {
	case c.Client == nil:
		return fmt.Errorf("%w: no client to write with", ErrInvalid)
	case c.Bucket == "":
		return fmt.Errorf("%w: no bucket to write to", ErrInvalid)
	case c.Random == nil:
		return fmt.Errorf("%w: no source of identities", ErrInvalid)
	}
	if err := c.Backoff.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return nil
}

// Backoff is for a creation that others stand in the way of.
type Backoff = attempt.Backoff

// DefaultBackoff is that of package attempt.
func DefaultBackoff() Backoff { return attempt.DefaultBackoff() }

// Stats counts what stood in the way of a writer's creations.
type Stats struct {
	Exists  int64 // creations refused because another creator's object was there
	Busy    int64 // calls answered 409
	Settled int64 // creations whose outcome had to be read back, and was
	Unknown int64 // creations that ended as ErrUnknown
}

// A Writer reads and writes the objects of a bucket. It may be used by several
// tasks at once.
type Writer struct {
	Reader

	cfg Config

	mu sync.Mutex // guards cfg.Random; never held over a yield

	exists, busy, settled, unknown atomic.Int64
}

// NewWriter returns a writer.
func NewWriter(cfg Config) (*Writer, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Writer{Reader: Reader{Client: cfg.Client, Bucket: cfg.Bucket}, cfg: cfg}, nil
}

// Stats returns the counts so far.
func (w *Writer) Stats() Stats {
	return Stats{Exists: w.exists.Load(), Busy: w.busy.Load(), Settled: w.settled.Load(), Unknown: w.unknown.Load()}
}

// NewIdentity returns an id for one creation, which no other has.
func (w *Writer) NewIdentity() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return attempt.ID(w.cfg.Random, 16)
}

// Put writes an object, whatever the key holds. It may take effect more than
// once, and late.
func (w *Writer) Put(ctx context.Context, key string, body []byte) error {
	_, err := w.cfg.Client.PutObject(ctx, &s3.PutObjectInput{Bucket: &w.Bucket, Key: &key, Body: bytes.NewReader(body)})
	if err != nil {
		return w.failed(http.MethodPut, key, err)
	}
	return nil
}

// Create creates an object unless the key holds one: then the error is ErrExists.
// The identity is that of the logical update for which this is done, from
// NewIdentity.
//
// An attempt without an answer is settled by reading the object's identity back.
// If nothing is there, the same bytes go out again under the same identity, since
// the first may still land. A 409 is sent again; a 412 is not (docs/facts/s3.md §3.1,
// §3.4). If reading back fails, or the tries run out, the error is ErrUnknown.
func (w *Writer) Create(ctx context.Context, key string, body []byte, identity string) error {
	if identity == "" {
		return fmt.Errorf("%w: %s without an identity", ErrInvalid, URL(w.Bucket, key))
	}
	err := (&creation{
		Writer: w, key: key, body: body, identity: identity,
		attempts: attempt.Watch{Answered: func(err error) bool { return answerOf(err).settled() }},
	}).run(ctx)
	switch {
	case errors.Is(err, ErrExists):
		w.exists.Add(1)
	case errors.Is(err, ErrUnknown):
		w.unknown.Add(1)
	}
	if err != nil {
		return fmt.Errorf("PUT %s: %w", URL(w.Bucket, key), err)
	}
	return nil
}

// pause waits before the next try of a creation.
func (w *Writer) pause(ctx context.Context, try int) error {
	w.mu.Lock()
	u := rand.New(w.cfg.Random).Float64()
	w.mu.Unlock()
	return task.Sleep(ctx, w.cfg.Backoff.Wait(try, u))
}
