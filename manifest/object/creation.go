package object

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lakebench/lakebench/internal/attempt"
)

// A creation is one Create under way.
type creation struct {
	*Writer
	key      string
	body     []byte
	identity string
	attempts attempt.Watch // over all calls
}

// run sends the creation until it is settled or the tries are used up.
func (c *creation) run(ctx context.Context) error {
	for try := 1; ; try++ {
		err := c.send(ctx)
		if err == nil {
			return nil
		}
		again, err := c.judge(ctx, err)
		if !again {
			return err
		}
		if try >= c.cfg.Backoff.Tries {
			return c.givenUp(fmt.Errorf("%d tries: %w", try, err))
		}
		if err := c.pause(ctx, try); err != nil {
			return c.givenUp(err)
		}
	}
}

// send makes one call, unless ctx has ended.
func (c *creation) send(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	_, err := c.cfg.Client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &c.Bucket, Key: &c.key, Body: bytes.NewReader(c.body), IfNoneMatch: aws.String("*"),
		Metadata: map[string]string{IdentityKey: c.identity},
	}, func(o *s3.Options) { o.Retryer = c.attempts.Retryer(o.Retryer) })
	c.attempts.Settle(err)
	return err
}

// judge decides whether a call that failed is to be made again, and if not, how the
// creation has ended.
func (c *creation) judge(ctx context.Context, failed error) (again bool, err error) {
	if c.attempts.Unanswered() {
		return c.settle(ctx, failed)
	}
	switch answer := answerOf(failed); {
	case answer.exists():
		return false, fmt.Errorf("%w: %w", ErrExists, failed)
	case answer.busy():
		c.busy.Add(1)
		return true, fmt.Errorf("%w: %w", ErrBusy, failed)
	}
	return false, typed(http.MethodPut, failed)
}

// settle reads back what became of an attempt without an answer. While nothing is
// there it may still land, so the same bytes are sent again, unless the service
// has refused them for good meanwhile.
func (c *creation) settle(ctx context.Context, failed error) (again bool, err error) {
	found, err := c.Head(ctx, c.key)
	switch {
	case errors.Is(err, ErrAbsent):
		answer := answerOf(failed)
		return !answer.settled() || answer.exists() || answer.busy(), fmt.Errorf("%w: %w", ErrUnknown, failed)
	case err != nil:
		return false, fmt.Errorf("%w: %w; then %w", ErrUnknown, failed, err)
	}
	c.settled.Add(1)
	if found == c.identity {
		return false, nil
	}
	return false, fmt.Errorf("%w, of identity %q", ErrExists, found)
}

// givenUp is the error of a creation that is not sent again although nothing
// settled it.
func (c *creation) givenUp(err error) error {
	if c.attempts.Unanswered() && !errors.Is(err, ErrUnknown) {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return err
}
