package s3_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/lakebench/lakebench/internal/backend/s3"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// A step of a race begins at a time, in tenths of a second; a conditional write
// takes ten of them.
type step struct {
	at   int
	what string
	run  func(ctx context.Context, a account) error
	want string // code, "" for success
}

func create(at int, body, want string) step {
	return step{at, "create " + body, func(ctx context.Context, a account) error { return a.put(ctx, "k", body, ifAbsent) }, want}
}

func overwrite(at int, body string) step {
	return step{at, "overwrite " + body, func(ctx context.Context, a account) error { return a.put(ctx, "k", body) }, ""}
}

func replace(at int, old, body, want string) step {
	return step{at, "replace " + old, func(ctx context.Context, a account) error { return a.put(ctx, "k", body, ifMatch(md5Of(old))) }, want}
}

func remove(at int) step {
	return step{at, "delete", func(ctx context.Context, a account) error { return a.delete(ctx, "k") }, ""}
}

// What is in flight together, by the rules of docs/facts/s3.md §3.1: the first to
// finish wins, a deletion meanwhile is 409 to creators and 404 to replacers.
func TestRaces(t *testing.T) {
	conflicting := func(c *s3.Config) { c.RacesConflict = true }
	for name, c := range map[string]struct {
		change func(*s3.Config)
		steps  []step
		holds  string // in the end; "" is absent
	}{
		"create alone":                         {nil, []step{create(0, "a", "")}, "a"},
		"the first to finish wins":             {nil, []step{create(0, "a", ""), create(5, "b", "PreconditionFailed")}, "a"},
		"an overwrite is first":                {nil, []step{create(0, "a", "PreconditionFailed"), overwrite(5, "b")}, "b"},
		"an overwrite is first, conflicting":   {conflicting, []step{create(0, "a", "ConditionalRequestConflict"), overwrite(5, "b")}, "b"},
		"the loser conflicts":                  {conflicting, []step{create(0, "a", ""), create(5, "b", "ConditionalRequestConflict")}, "a"},
		"too late is no race":                  {conflicting, []step{create(0, "a", ""), create(11, "b", "PreconditionFailed")}, "a"},
		"a deletion comes between":             {nil, []step{overwrite(0, "old"), create(1, "a", "ConditionalRequestConflict"), remove(5)}, ""},
		"sent again":                           {nil, []step{overwrite(0, "old"), create(1, "a", "ConditionalRequestConflict"), remove(5), create(12, "a", "")}, "a"},
		"a deletion of nothing":                {nil, []step{create(0, "a", ""), remove(5)}, "a"},
		"a deletion before":                    {nil, []step{overwrite(0, "old"), remove(1), create(2, "a", "")}, "a"},
		"deleted and created again":            {nil, []step{overwrite(0, "old"), create(1, "a", "ConditionalRequestConflict"), remove(5), overwrite(6, "new")}, "new"},
		"replace alone":                        {nil, []step{overwrite(0, "old"), replace(1, "old", "a", "")}, "a"},
		"the first to replace wins":            {nil, []step{overwrite(0, "old"), replace(1, "old", "a", ""), replace(5, "old", "b", "PreconditionFailed")}, "a"},
		"the loser of replacing conflicts":     {conflicting, []step{overwrite(0, "old"), replace(1, "old", "a", ""), replace(5, "old", "b", "ConditionalRequestConflict")}, "a"},
		"replacing what is deleted meanwhile":  {nil, []step{overwrite(0, "old"), replace(1, "old", "a", "NoSuchKey"), remove(5)}, ""},
		"replacing what is created meanwhile":  {nil, []step{replace(0, "new", "a", ""), overwrite(5, "new")}, "a"},
		"another key's deletion is no concern": {nil, []step{create(0, "a", ""), {5, "delete other", func(ctx context.Context, a account) error { return a.delete(ctx, "other") }, ""}}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t, func(cfg *s3.Config) {
				cfg.CommitDelay = time.Second
				if c.change != nil {
					c.change(cfg)
				}
			})
			runSteps(t, a, c.steps)
			got, err := a.get(t.Context(), "k")
			if c.holds == "" && answered(err) == "NoSuchKey" {
				return
			}
			if err != nil || got != c.holds {
				t.Errorf("holds %q, %v, want %q", got, err, c.holds)
			}
		})
	}
}

func runSteps(t *testing.T, a account, steps []step) {
	t.Helper()
	_, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
		g := task.NewGroup(ctx, 0)
		for _, s := range steps {
			g.Go(s.what, func(ctx context.Context) error {
				if err := task.Sleep(ctx, time.Duration(s.at)*time.Second/10); err != nil {
					return err
				}
				if got := answered(s.run(ctx, a)); got != s.want {
					return fmt.Errorf("%s at %d: got %q, want %q", s.what, s.at, got, s.want)
				}
				return nil
			})
		}
		return g.Wait()
	})
	if err != nil {
		t.Error(err)
	}
}

// The service finishes a write whose caller has gone.
func TestWriteOutlivesItsCaller(t *testing.T) {
	a := newAccount(t, func(c *s3.Config) { c.CommitDelay = time.Second })
	if _, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
		short, cancel := task.WithTimeout(ctx, time.Second/2)
		defer cancel()
		if err := a.put(short, "k", "body", ifAbsent); !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("want the end of the context, got %w", err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got, err := a.get(t.Context(), "k"); err != nil || got != "body" {
		t.Errorf("holds %q, %v", got, err)
	}
}

// A completion that a deletion overtook has to begin again (User Guide, "How to
// prevent object overwrites with conditional writes").
func TestUploadThatConflictsIsGone(t *testing.T) {
	a := newAccount(t, func(c *s3.Config) { c.CommitDelay = time.Second })
	if err := a.put(t.Context(), "k", "old"); err != nil {
		t.Fatal(err)
	}
	bucket, key := aws.String(lake), aws.String("k")
	begun, _, err := a.do(t.Context(), &awss3.CreateMultipartUploadInput{Bucket: bucket, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	id := begun.(*awss3.CreateMultipartUploadOutput).UploadId
	part := &awss3.UploadPartInput{Bucket: bucket, Key: key, UploadId: id, PartNumber: aws.Int32(1), Body: strings.NewReader("new")}
	if _, _, err := a.do(t.Context(), part); err != nil {
		t.Fatal(err)
	}
	complete := func(ctx context.Context, a account) error {
		_, _, err := a.do(ctx, &awss3.CompleteMultipartUploadInput{
			Bucket: bucket, Key: key, UploadId: id, IfNoneMatch: aws.String("*"),
			MultipartUpload: &types.CompletedMultipartUpload{Parts: []types.CompletedPart{{PartNumber: aws.Int32(1), ETag: aws.String(md5Of("new"))}}},
		})
		return err
	}
	runSteps(t, a, []step{{0, "complete", complete, "ConditionalRequestConflict"}, remove(5), {20, "again", complete, "NoSuchUpload"}})
}

// On real goroutines and without a delay one of many creators wins too.
func TestRealRaces(t *testing.T) {
	a := newAccount(t, nil)
	for race := range 200 {
		errs := make([]error, 16)
		g := task.NewGroup(t.Context(), 0)
		for i := range errs {
			g.Go("racer", func(ctx context.Context) error {
				errs[i] = a.put(ctx, fmt.Sprint(race), fmt.Sprint(i), ifAbsent)
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		winners := 0
		for i, err := range errs {
			switch answered(err) {
			case "":
				winners++
				if got, err := a.get(t.Context(), fmt.Sprint(race)); err != nil || got != fmt.Sprint(i) {
					t.Errorf("race %d: holds %q, %v, and %d won", race, got, err, i)
				}
			case "PreconditionFailed":
			default:
				t.Errorf("race %d: %v", race, err)
			}
		}
		if winners != 1 {
			t.Errorf("race %d: %d winners", race, winners)
		}
	}
}

// Without s3:ListBucket nobody learns which keys exist (HeadObject and GetObject,
// API reference, "Permissions").
func TestWithoutListPermission(t *testing.T) {
	a := newAccount(t, func(c *s3.Config) { c.ListPermission = false })
	if err := a.put(t.Context(), "k", "body"); err != nil {
		t.Fatal(err)
	}
	bucket, key, none := aws.String(lake), aws.String("k"), aws.String("none")
	for _, c := range []struct {
		in   any
		want string
	}{
		{&awss3.GetObjectInput{Bucket: bucket, Key: key}, ""}, {&awss3.GetObjectInput{Bucket: bucket, Key: none}, "AccessDenied"},
		{&awss3.HeadObjectInput{Bucket: bucket, Key: key}, ""}, {&awss3.HeadObjectInput{Bucket: bucket, Key: none}, "Forbidden"},
		{&awss3.ListObjectsV2Input{Bucket: bucket}, "AccessDenied"}, {&awss3.HeadBucketInput{Bucket: bucket}, "Forbidden"},
		{&awss3.GetObjectInput{Bucket: none, Key: key}, "NoSuchBucket"}, {&awss3.DeleteObjectInput{Bucket: bucket, Key: none}, ""},
	} {
		_, served, err := a.do(t.Context(), c.in)
		if got := answered(err); got != c.want {
			t.Errorf("%T: got %q, want %q", c.in, got, c.want)
		}
		if c.want == "AccessDenied" && served.Outcome != s3.OutcomeOther {
			t.Errorf("%T: outcome %s", c.in, served.Outcome)
		}
	}
	var response interface{ HTTPStatusCode() int }
	_, _, err := a.do(t.Context(), &awss3.HeadObjectInput{Bucket: bucket, Key: none})
	if !errors.As(err, &response) || response.HTTPStatusCode() != 403 {
		t.Errorf("status of %v", err)
	}
}
