package backend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/lakebench/lakebench/internal/attempt"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// Check is what the preflight found an object store not to do.
type Check string

// The checks, in the order in which they are made.
const (
	CheckAbsence   Check = "a key that does not exist must be 404 (is s3:ListBucket missing?)"
	CheckCreate    Check = "a PUT with If-None-Match must create a key that does not exist"
	CheckExists    Check = "a second PUT with If-None-Match must be refused"
	CheckContent   Check = "a refused PUT must leave the object and its metadata as they were"
	CheckMatch     Check = "a PUT with If-Match of another ETag must be refused"
	CheckOneWinner Check = "of concurrent PUTs with If-None-Match exactly one must win"
)

// A PreflightError says in what an object store fails that manifests and logs on
// it rely on. Nothing is measured there.
type PreflightError struct {
	Bucket string
	Check  Check
	Found  string
}

func (e *PreflightError) Error() string {
	return fmt.Sprintf("bucket %s: %s, but %s", e.Bucket, e.Check, e.Found)
}

const (
	// racers write one key at once, races times. Servers with two winners in 4 %
	// of such races exist (docs/facts/s3.md §1); what is sure to be found is one that
	// does not look at the condition at all.
	racers = 16
	races  = 4

	preflightMeta = "lakebench-id"
)

// preflight proves that the bucket does what manifests and logs rely on. A
// failure of the store is a *PreflightError.
func (b *Backend) preflight(ctx context.Context, client *awss3.Client, bucket string) error {
	p := &preflight{client: client, bucket: bucket, prefix: b.KeyPrefix() + "preflight/"}
	err := p.run(ctx)
	if removed := emptyBucket(ctx, client, bucket, p.prefix); err == nil && removed != nil {
		return fmt.Errorf("removing the objects of the preflight: %w", removed)
	}
	return err
}

type preflight struct {
	client         *awss3.Client
	bucket, prefix string
}

func (p *preflight) run(ctx context.Context) error {
	key := p.prefix + "created"
	if err := p.absent(ctx, key); err != nil {
		return err
	}
	if err := p.created(ctx, key); err != nil {
		return err
	}
	for i := range races {
		if err := p.race(ctx, fmt.Sprintf("%srace-%d", p.prefix, i)); err != nil {
			return err
		}
	}
	return nil
}

func (p *preflight) absent(ctx context.Context, key string) error {
	var missing *types.NotFound
	_, err := p.client.HeadObject(ctx, &awss3.HeadObjectInput{Bucket: &p.bucket, Key: &key})
	status := attempt.Status(err)
	switch {
	case err == nil:
		return p.failed(CheckAbsence, "it was found")
	case errors.As(err, &missing):
		return nil
	case status > 0 && status < 500:
		return p.failed(CheckAbsence, fmt.Sprintf("it was %d", status))
	}
	return err
}

func (p *preflight) created(ctx context.Context, key string) error {
	if code, err := p.put(ctx, key, "first", aws.String("*"), nil); err != nil || code != "" {
		return p.told(CheckCreate, code, err)
	}
	code, err := p.put(ctx, key, "second", aws.String("*"), nil)
	if err != nil || code != preconditionFailed {
		return p.told(CheckExists, code, err)
	}
	if err := p.holds(ctx, key, "first", CheckContent); err != nil {
		return err
	}
	code, err = p.put(ctx, key, "third", nil, aws.String(`"00000000000000000000000000000000"`))
	if err != nil || code != preconditionFailed {
		return p.told(CheckMatch, code, err)
	}
	return nil
}

const preconditionFailed = "PreconditionFailed"

// race lets several create one key at once.
func (p *preflight) race(ctx context.Context, key string) error {
	var mu sync.Mutex // never held over a yield
	var winners []string
	g := task.NewGroup(ctx, 0)
	for i := range racers {
		body := fmt.Sprintf("racer %d", i)
		g.Go(body, func(ctx context.Context) error {
			code, err := p.put(ctx, key, body, aws.String("*"), nil)
			if err == nil && code == "" {
				mu.Lock()
				winners = append(winners, body)
				mu.Unlock()
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if len(winners) != 1 {
		return p.failed(CheckOneWinner, fmt.Sprintf("%d of %d did", len(winners), racers))
	}
	return p.holds(ctx, key, winners[0], CheckOneWinner)
}

// put makes one attempt to write, without retries: after one it would be unknown
// whose the object is. It returns the code of a refusal, "" for success; the
// error is one of reaching the service.
func (p *preflight) put(ctx context.Context, key, body string, ifNoneMatch, ifMatch *string) (code string, err error) {
	_, err = p.client.PutObject(ctx, &awss3.PutObjectInput{
		Bucket: &p.bucket, Key: &key, Body: bytes.NewReader([]byte(body)),
		Metadata: map[string]string{preflightMeta: body}, IfNoneMatch: ifNoneMatch, IfMatch: ifMatch,
	}, func(o *awss3.Options) { o.Retryer = aws.NopRetryer{} })
	// A precondition goes by its code, which can come with any status.
	if code := attempt.Code(err); code == preconditionFailed || code != "" && settles(attempt.Status(err)) {
		return code, nil
	}
	return "", err
}

// settles reports whether a status is the service's verdict on a condition, rather
// than on the caller or on itself.
func settles(status int) bool {
	switch status {
	case 304, 404, 409, 412, 501:
		return true
	}
	return false
}

// holds checks that the object is as one writer wrote it.
func (p *preflight) holds(ctx context.Context, key, body string, check Check) error {
	out, err := p.client.GetObject(ctx, &awss3.GetObjectInput{Bucket: &p.bucket, Key: &key})
	if err != nil {
		return err
	}
	got, err := io.ReadAll(out.Body)
	if err := errors.Join(err, out.Body.Close()); err != nil {
		return fmt.Errorf("reading %s: %w", key, err)
	}
	if string(got) != body || out.Metadata[preflightMeta] != body {
		return p.failed(check, fmt.Sprintf("found %.50q with metadata %.50q where %q was written", got, out.Metadata[preflightMeta], body))
	}
	return nil
}

// told is the error of a PUT that did not end as it must.
func (p *preflight) told(check Check, code string, err error) error {
	switch {
	case err != nil:
		return err
	case code == "":
		return p.failed(check, "it was carried out")
	}
	return p.failed(check, "it was answered "+code)
}

func (p *preflight) failed(check Check, found string) error {
	return &PreflightError{Bucket: p.bucket, Check: check, Found: found}
}
