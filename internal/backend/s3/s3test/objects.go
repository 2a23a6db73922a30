package s3test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
)

func objectChecks() []check {
	return []check{
		{"object", func(ctx context.Context, p place) error {
			etag, err := p.put(ctx, "k", "some bytes", func(in *s3.PutObjectInput) {
				in.ContentType, in.Metadata = aws.String("text/plain"), map[string]string{"lakebench-id": "w1/7"}
			})
			if err != nil {
				return err
			}
			got, body, err := p.get(ctx, "k")
			if err != nil {
				return err
			}
			head, err := p.head(ctx, "k")
			if err != nil {
				return err
			}
			return errors.Join(
				same("ETag of PUT", etag, etagOf("some bytes")), same("ETag of GET", aws.ToString(got.ETag), etag), same("ETag of HEAD", aws.ToString(head.ETag), etag),
				same("body", body, "some bytes"), same("length", aws.ToInt64(got.ContentLength), 10), same("length of HEAD", aws.ToInt64(head.ContentLength), 10),
				same("type", aws.ToString(got.ContentType), "text/plain"),
				same("metadata", got.Metadata["lakebench-id"], "w1/7"), same("metadata of HEAD", head.Metadata["lakebench-id"], "w1/7"),
				same("modified a moment ago", time.Since(aws.ToTime(head.LastModified)).Abs() < time.Hour, true),
			)
		}},
		{"empty-object", func(ctx context.Context, p place) error {
			if _, err := p.put(ctx, "k", ""); err != nil {
				return err
			}
			got, _, err := p.get(ctx, "k")
			if err != nil {
				return err
			}
			return same("length", aws.ToInt64(got.ContentLength), 0)
		}},
		{"megabytes", func(ctx context.Context, p place) error {
			body := strings.Repeat("0123456789abcdef", 3<<16) // 3 MiB: more than one read, and Expect: 100-continue
			if _, err := p.put(ctx, "k", body); err != nil {
				return err
			}
			return p.holds(ctx, "k", body)
		}},
		{"overwrite", func(ctx context.Context, p place) error {
			for _, body := range []string{"one", "two"} {
				if _, err := p.put(ctx, "k", body); err != nil {
					return err
				}
			}
			return p.holds(ctx, "k", "two")
		}},
		{"absent-key", func(ctx context.Context, p place) error {
			_, headErr := p.head(ctx, "none")
			_, _, getErr := p.get(ctx, "none")
			var notFound *types.NotFound
			var noKey *types.NoSuchKey
			return errors.Join(
				refused("HEAD", headErr, 404, "NotFound"), refused("GET", getErr, 404, "NoSuchKey"),
				same("types of the SDK", errors.As(headErr, &notFound) && errors.As(getErr, &noKey), true),
			)
		}},
		{"absent-bucket", func(ctx context.Context, p place) error {
			p.bucket = "lakebench-no-such-bucket"
			_, _, getErr := p.get(ctx, "k")
			_, listErr := p.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &p.bucket})
			return errors.Join(refused("GET", getErr, 404, "NoSuchBucket"), refused("LIST", listErr, 404, "NoSuchBucket"))
		}},
	}
}

func conditionChecks() []check {
	return []check{
		{"create", func(ctx context.Context, p place) error {
			if _, err := p.put(ctx, "k", "first", ifAbsent); err != nil {
				return err
			}
			_, err := p.put(ctx, "k", "second", ifAbsent)
			return errors.Join(refused("a second create", err, 412, "PreconditionFailed"), p.holds(ctx, "k", "first"))
		}},
		{"create-large", func(ctx context.Context, p place) error {
			large := strings.Repeat("x", 4<<20)
			if _, err := p.put(ctx, "k", "first", ifAbsent); err != nil {
				return err
			}
			_, err := p.put(ctx, "k", large, ifAbsent)
			return refused("a second create", err, 412, "PreconditionFailed")
		}},
		{"create-after-delete", func(ctx context.Context, p place) error {
			for range 2 {
				if _, err := p.put(ctx, "k", "first", ifAbsent); err != nil {
					return err
				}
				if _, err := p.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &p.bucket, Key: p.key("k")}); err != nil {
					return err
				}
			}
			return nil
		}},
		{"create-races", createRaces},
		{"replace", func(ctx context.Context, p place) error {
			first, err := p.put(ctx, "k", "first")
			if err != nil {
				return err
			}
			if _, err := p.put(ctx, "k", "second", ifMatch(first)); err != nil {
				return fmt.Errorf("with the ETag: %w", err)
			}
			_, err = p.put(ctx, "k", "third", ifMatch(first))
			return errors.Join(refused("with an old ETag", err, 412, "PreconditionFailed"), p.holds(ctx, "k", "second"))
		}},
		{"replace-absent", func(ctx context.Context, p place) error {
			_, err := p.put(ctx, "none", "x", ifMatch(etagOf("x")))
			return refused("with an ETag", err, 404, "NoSuchKey")
		}},
	}
}

// Racers write one key at once, for so many keys.
const (
	racers = 32
	races  = 20
)

// createRaces: exactly one creator wins, its bytes stay, and the others are told.
func createRaces(ctx context.Context, p place) error {
	for race := range races {
		name := fmt.Sprintf("k%d", race)
		errs := make([]error, racers)
		var all sync.WaitGroup
		for i := range racers {
			all.Go(func() { _, errs[i] = p.put(ctx, name, fmt.Sprintf("racer %d", i), ifAbsent) })
		}
		all.Wait()
		winner := -1
		for i, err := range errs {
			var api smithy.APIError
			switch {
			case err == nil && winner >= 0:
				return fmt.Errorf("race %d: racers %d and %d won", race, winner, i)
			case err == nil:
				winner = i
			case !errors.As(err, &api) || api.ErrorCode() != "PreconditionFailed" && api.ErrorCode() != "ConditionalRequestConflict":
				return fmt.Errorf("race %d: racer %d lost with %w", race, i, err)
			}
		}
		if winner < 0 {
			return fmt.Errorf("race %d: no writer won", race)
		}
		if err := p.holds(ctx, name, fmt.Sprintf("racer %d", winner)); err != nil {
			return err
		}
	}
	return nil
}

func readChecks() []check {
	return []check{
		{"ranges", ranges},
		{"range-outside", func(ctx context.Context, p place) error {
			if _, err := p.put(ctx, "k", "0123456789"); err != nil {
				return err
			}
			_, _, err := p.get(ctx, "k", func(in *s3.GetObjectInput) { in.Range = aws.String("bytes=10-") })
			return refused("behind the end", err, 416, "InvalidRange")
		}},
		{"read-conditions", readConditions},
		{"read-dates", func(ctx context.Context, p place) error {
			if _, err := p.put(ctx, "k", "x"); err != nil {
				return err
			}
			head, err := p.head(ctx, "k")
			if err != nil {
				return err
			}
			before := head.LastModified.Add(-time.Minute)
			_, _, unchanged := p.get(ctx, "k", func(in *s3.GetObjectInput) { in.IfModifiedSince = head.LastModified })
			_, _, changed := p.get(ctx, "k", func(in *s3.GetObjectInput) { in.IfModifiedSince = &before })
			_, _, newer := p.get(ctx, "k", func(in *s3.GetObjectInput) { in.IfUnmodifiedSince = &before })
			return errors.Join(
				refused("If-Modified-Since then", unchanged, 304, "NotModified"), changed,
				refused("If-Unmodified-Since before", newer, 412, "PreconditionFailed"),
			)
		}},
	}
}

func ranges(ctx context.Context, p place) error {
	if _, err := p.put(ctx, "k", "0123456789"); err != nil {
		return err
	}
	var all []error
	for spec, want := range map[string][2]string{
		"bytes=0-0": {"0", "bytes 0-0/10"}, "bytes=2-4": {"234", "bytes 2-4/10"}, "bytes=7-": {"789", "bytes 7-9/10"},
		"bytes=-3": {"789", "bytes 7-9/10"}, "bytes=5-99": {"56789", "bytes 5-9/10"}, "bytes=-99": {"0123456789", "bytes 0-9/10"},
	} {
		got, body, err := p.get(ctx, "k", func(in *s3.GetObjectInput) { in.Range = &spec })
		if err != nil {
			return fmt.Errorf("%s: %w", spec, err)
		}
		all = append(all, same(spec, body, want[0]), same(spec, aws.ToString(got.ContentRange), want[1]))
	}
	return errors.Join(all...)
}

func readConditions(ctx context.Context, p place) error {
	etag, err := p.put(ctx, "k", "x")
	if err != nil {
		return err
	}
	other := etagOf("other")
	_, _, matching := p.get(ctx, "k", func(in *s3.GetObjectInput) { in.IfMatch = &etag })
	_, _, mismatch := p.get(ctx, "k", func(in *s3.GetObjectInput) { in.IfMatch = &other })
	_, _, unchanged := p.get(ctx, "k", func(in *s3.GetObjectInput) { in.IfNoneMatch = &etag })
	_, _, changed := p.get(ctx, "k", func(in *s3.GetObjectInput) { in.IfNoneMatch = &other })
	_, headMismatch := p.head(ctx, "k", func(in *s3.HeadObjectInput) { in.IfMatch = &other })
	_, headUnchanged := p.head(ctx, "k", func(in *s3.HeadObjectInput) { in.IfNoneMatch = &etag })
	return errors.Join(
		matching, changed,
		refused("GET If-Match of another", mismatch, 412, "PreconditionFailed"), refused("GET If-None-Match", unchanged, 304, "NotModified"),
		refused("HEAD If-Match of another", headMismatch, 412, "PreconditionFailed"), refused("HEAD If-None-Match", headUnchanged, 304, "NotModified"),
	)
}
