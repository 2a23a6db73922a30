package s3test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func listChecks() []check {
	return []check{
		{"list-order", func(ctx context.Context, p place) error {
			// Keys are in the order of their bytes in UTF-8 (ListObjectsV2, API
			// reference), in which capitals come before and ü behind all letters.
			names := []string{"B", "a", "a!", "a0", "b", "ü"}
			return p.lists(ctx, names, names, nil)
		}},
		{"list-pages", func(ctx context.Context, p place) error {
			names := []string{"1", "2", "3", "4", "5"}
			return p.lists(ctx, names, names, func(in *s3.ListObjectsV2Input) { in.MaxKeys = aws.Int32(2) })
		}},
		{"list-full-last-page", func(ctx context.Context, p place) error {
			names := []string{"1", "2", "3", "4"}
			return p.lists(ctx, names, names, func(in *s3.ListObjectsV2Input) { in.MaxKeys = aws.Int32(2) })
		}},
		{"list-start-after", func(ctx context.Context, p place) error {
			after := *p.key("2")
			return p.lists(ctx, []string{"1", "2", "3", "4"}, []string{"3", "4"}, func(in *s3.ListObjectsV2Input) { in.StartAfter = &after })
		}},
		{"list-start-after-absent", func(ctx context.Context, p place) error {
			after := *p.key("25")
			return p.lists(ctx, []string{"1", "2", "3", "4"}, []string{"3", "4"}, func(in *s3.ListObjectsV2Input) { in.StartAfter = &after })
		}},
		{"list-delimiter", func(ctx context.Context, p place) error {
			return p.lists(ctx, []string{"a", "d/1", "d/2", "e/x/1", "f"}, []string{"a", "d/", "e/", "f"},
				func(in *s3.ListObjectsV2Input) { in.Delimiter = aws.String("/") })
		}},
		{"list-delimiter-pages", func(ctx context.Context, p place) error {
			return p.lists(ctx, []string{"a", "d/1", "d/2", "d/3", "e/x/1", "f"}, []string{"a", "d/", "e/", "f"},
				func(in *s3.ListObjectsV2Input) { in.Delimiter, in.MaxKeys = aws.String("/"), aws.Int32(1) })
		}},
		{"list-nothing", func(ctx context.Context, p place) error { return p.lists(ctx, nil, nil, nil) }},
		{"list-thousand", func(ctx context.Context, p place) error {
			names := make([]string, 1001)
			for i := range names {
				names[i] = fmt.Sprintf("%04d", i)
			}
			return p.lists(ctx, names, names, nil)
		}},
		{"list-deleted-between-pages", listDeleted},
		{"list-facts", listFacts},
	}
}

// lists puts objects of the given names and wants a list to have names, and
// common prefixes, in order, on pages that are full but for the last.
func (p place) lists(ctx context.Context, names, want []string, change func(*s3.ListObjectsV2Input)) error {
	for _, name := range names {
		if _, err := p.put(ctx, name, name); err != nil {
			return err
		}
	}
	in := &s3.ListObjectsV2Input{Bucket: &p.bucket, Prefix: &p.prefix}
	if change != nil {
		change(in)
	}
	most := 1000
	if in.MaxKeys != nil {
		most = int(*in.MaxKeys)
	}
	var got []string
	for pages := 1; ; pages++ {
		page, err := p.ListObjectsV2(ctx, in)
		if err != nil {
			return err
		}
		on := p.names(page)
		got = append(got, on...)
		truncated := aws.ToBool(page.IsTruncated)
		if err := errors.Join(
			same("keys counted", int(aws.ToInt32(page.KeyCount)), len(on)),
			same("token with truncation", page.NextContinuationToken != nil, truncated),
			same("a full page before others", !truncated || len(on) == most, true),
		); err != nil {
			return fmt.Errorf("page %d: %w", pages, err)
		}
		if !truncated {
			if full := (len(want) + most - 1) / most; pages != max(full, 1) {
				return fmt.Errorf("%d pages, want %d", pages, full)
			}
			break
		}
		in.ContinuationToken = page.NextContinuationToken
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("listed %.10q, want %.10q", got, want)
	}
	return nil
}

// names returns keys and common prefixes of a page, without the place's prefix, in
// order.
func (p place) names(page *s3.ListObjectsV2Output) (names []string) {
	for _, o := range page.Contents {
		names = append(names, strings.TrimPrefix(aws.ToString(o.Key), p.prefix))
	}
	for _, c := range page.CommonPrefixes {
		names = append(names, strings.TrimPrefix(aws.ToString(c.Prefix), p.prefix))
	}
	slices.Sort(names)
	return names
}

// listDeleted: a token stays good when the keys around it go.
func listDeleted(ctx context.Context, p place) error {
	for _, name := range []string{"1", "2", "3", "4"} {
		if _, err := p.put(ctx, name, name); err != nil {
			return err
		}
	}
	in := &s3.ListObjectsV2Input{Bucket: &p.bucket, Prefix: &p.prefix, MaxKeys: aws.Int32(2)}
	page, err := p.ListObjectsV2(ctx, in)
	if err != nil {
		return err
	}
	for _, name := range []string{"2", "3"} {
		if _, err := p.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &p.bucket, Key: p.key(name)}); err != nil {
			return err
		}
	}
	in.ContinuationToken = page.NextContinuationToken
	if page, err = p.ListObjectsV2(ctx, in); err != nil {
		return err
	}
	if got := p.names(page); !slices.Equal(got, []string{"4"}) {
		return fmt.Errorf("second page %q, want 4", got)
	}
	return nil
}

// listFacts checks what a list shows of an object.
func listFacts(ctx context.Context, p place) error {
	etag, err := p.put(ctx, "k", "four")
	if err != nil {
		return err
	}
	head, err := p.head(ctx, "k")
	if err != nil {
		return err
	}
	page, err := p.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &p.bucket, Prefix: &p.prefix})
	if err != nil {
		return err
	}
	if len(page.Contents) != 1 {
		return fmt.Errorf("%d objects, want 1", len(page.Contents))
	}
	o := page.Contents[0]
	return errors.Join(
		same("size", aws.ToInt64(o.Size), 4), same("ETag", aws.ToString(o.ETag), etag),
		same("second of the last change", aws.ToTime(o.LastModified).Unix(), aws.ToTime(head.LastModified).Unix()),
	)
}

func deleteChecks() []check {
	return []check{
		{"delete", func(ctx context.Context, p place) error {
			if _, err := p.put(ctx, "k", "x"); err != nil {
				return err
			}
			for range 2 { // the second time it is absent, which is no error
				if _, err := p.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &p.bucket, Key: p.key("k")}); err != nil {
					return err
				}
			}
			_, err := p.head(ctx, "k")
			return refused("HEAD", err, 404, "NotFound")
		}},
		{"delete-if-match", func(ctx context.Context, p place) error {
			etag, err := p.put(ctx, "k", "x")
			if err != nil {
				return err
			}
			other := etagOf("other")
			_, mismatch := p.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &p.bucket, Key: p.key("k"), IfMatch: &other})
			_, matching := p.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &p.bucket, Key: p.key("k"), IfMatch: &etag})
			return errors.Join(refused("with another ETag", mismatch, 412, "PreconditionFailed"), matching)
		}},
		{"delete-objects", func(ctx context.Context, p place) error { return deleteMany(ctx, p, false, 3) }},
		{"delete-objects-quiet", func(ctx context.Context, p place) error { return deleteMany(ctx, p, true, 0) }},
	}
}

// deleteMany deletes two objects and one that is absent, and wants so many in the
// answer.
func deleteMany(ctx context.Context, p place, quiet bool, listed int) error {
	d := &types.Delete{Quiet: &quiet, Objects: []types.ObjectIdentifier{{Key: p.key("a")}, {Key: p.key("b")}, {Key: p.key("none")}}}
	for _, name := range []string{"a", "b", "c"} {
		if _, err := p.put(ctx, name, "x"); err != nil {
			return err
		}
	}
	out, err := p.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: &p.bucket, Delete: d})
	if err != nil {
		return err
	}
	page, err := p.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &p.bucket, Prefix: &p.prefix})
	if err != nil {
		return err
	}
	return errors.Join(same("deleted", len(out.Deleted), listed), same("failed", len(out.Errors), 0), same("left", strings.Join(p.names(page), " "), "c"))
}

func keyChecks() []check {
	exist := func(names ...string) func(context.Context, place) error {
		return func(ctx context.Context, p place) error {
			for _, name := range names {
				if _, err := p.put(ctx, name, "of "+name); err != nil {
					return fmt.Errorf("%q: %w", name, err)
				}
			}
			for _, name := range names {
				if err := p.holds(ctx, name, "of "+name); err != nil {
					return fmt.Errorf("%q: %w", name, err)
				}
			}
			return nil
		}
	}
	return []check{
		{"key-characters", exist("a b", "a+b", "a%20b", "a=b&c", "ü/€/😀", "a;b:c@d", "~'()*!$,", "#?", `"<>`)},
		{"key-and-folder", exist("a", "a/b")},
		{"key-slashes", exist("a/b", "a//b", "a/b/c//d")},
		{"key-long", func(ctx context.Context, p place) error {
			// The short one takes the folder with it that a file system makes for the
			// long one, when it is deleted.
			return exist("k", strings.Repeat("k", 1024-len(p.prefix)))(ctx, p)
		}},
		{"key-too-long", func(ctx context.Context, p place) error {
			_, err := p.put(ctx, strings.Repeat("k/", 513)+"k", "x")
			return refused("PUT", err, 400, "KeyTooLongError")
		}},
	}
}
