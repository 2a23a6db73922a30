package s3test

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// sums are the checksums of "123456789", in base64 of the published check values:
// cbf43926 (CRC-32), e3069283 (CRC-32C), ae8b14860a799888 (CRC-64/NVME), and of what
// sha1sum and sha256sum print.
var sums = map[types.ChecksumAlgorithm]string{
	types.ChecksumAlgorithmCrc32:     "y/Q5Jg==",
	types.ChecksumAlgorithmCrc32c:    "4waSgw==",
	types.ChecksumAlgorithmCrc64nvme: "rosUhgp5mIg=",
	types.ChecksumAlgorithmSha1:      "98O8HYCOBHMq32eZZczDTKeuNEE=",
	types.ChecksumAlgorithmSha256:    "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU=",
}

const nine = "123456789"

func checksumChecks() []check {
	return []check{
		{"checksum-default", func(ctx context.Context, p place) error {
			if _, err := p.put(ctx, "k", nine); err != nil {
				return err
			}
			got, _, err := p.get(ctx, "k")
			if err != nil {
				return err
			}
			head, err := p.head(ctx, "k", withChecksum)
			if err != nil {
				return err
			}
			want := sums[types.ChecksumAlgorithmCrc32]
			return errors.Join(same("of GET", aws.ToString(got.ChecksumCRC32), want), same("of HEAD", aws.ToString(head.ChecksumCRC32), want))
		}},
		{"checksum-not-of-a-range", func(ctx context.Context, p place) error {
			if _, err := p.put(ctx, "k", nine); err != nil {
				return err
			}
			got, _, err := p.get(ctx, "k", func(in *s3.GetObjectInput) { in.Range = aws.String("bytes=1-2") })
			if err != nil {
				return err
			}
			return same("a checksum", got.ChecksumCRC32 == nil, true)
		}},
		{"checksum-algorithms", func(ctx context.Context, p place) error {
			for a, want := range sums {
				if _, err := p.put(ctx, string(a), nine, func(in *s3.PutObjectInput) { in.ChecksumAlgorithm = a }); err != nil {
					return fmt.Errorf("%s: %w", a, err)
				}
				head, err := p.head(ctx, string(a), withChecksum)
				if err != nil {
					return fmt.Errorf("%s: %w", a, err)
				}
				if got := shown(head); got != want {
					return fmt.Errorf("%s: got %q, want %q", a, got, want)
				}
			}
			return nil
		}},
		{"checksum-wrong", func(ctx context.Context, p place) error {
			_, err := p.put(ctx, "k", nine, func(in *s3.PutObjectInput) { in.ChecksumCRC32 = aws.String("AAAAAA==") })
			_, headErr := p.head(ctx, "k")
			return errors.Join(refused("PUT", err, 400, "BadDigest"), refused("HEAD", headErr, 404, "NotFound"))
		}},
		{"md5-wrong", func(ctx context.Context, p place) error {
			_, err := p.put(ctx, "k", nine, func(in *s3.PutObjectInput) { in.ContentMD5 = aws.String("AAAAAAAAAAAAAAAAAAAAAA==") })
			return refused("PUT", err, 400, "BadDigest")
		}},
	}
}

func withChecksum(in *s3.HeadObjectInput) { in.ChecksumMode = types.ChecksumModeEnabled }

// shown returns the one checksum of an answer.
func shown(head *s3.HeadObjectOutput) string {
	var all string
	for _, sum := range []*string{head.ChecksumCRC32, head.ChecksumCRC32C, head.ChecksumCRC64NVME, head.ChecksumSHA1, head.ChecksumSHA256} {
		all += aws.ToString(sum)
	}
	return all
}

func uploadChecks() []check {
	return []check{
		{"upload", func(ctx context.Context, p place) error {
			return p.upload(ctx, "k", nil, func(etag string) error { return same("ETag", etag, etagOfParts(parts())) })
		}},
		{"upload-if-absent", func(ctx context.Context, p place) error {
			if _, err := p.put(ctx, "k", "first"); err != nil {
				return err
			}
			err := p.upload(ctx, "k", func(in *s3.CompleteMultipartUploadInput) { in.IfNoneMatch = aws.String("*") }, nil)
			return errors.Join(refused("completing", err, 412, "PreconditionFailed"), p.holds(ctx, "k", "first"))
		}},
		{"upload-small-part", func(ctx context.Context, p place) error {
			up, err := p.begin(ctx, "k")
			if err != nil {
				return err
			}
			defer up.abandon(ctx)
			var done []types.CompletedPart
			for i := range 2 {
				if done, err = up.add(ctx, done, i+1, []byte("small")); err != nil {
					return err
				}
			}
			_, err = up.complete(ctx, done, nil)
			return refused("completing", err, 400, "EntityTooSmall")
		}},
		{"upload-abort", func(ctx context.Context, p place) error {
			up, err := p.begin(ctx, "k")
			if err != nil {
				return err
			}
			if _, err := p.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &p.bucket, Key: p.key("k"), UploadId: up.id}); err != nil {
				return err
			}
			_, err = up.add(ctx, nil, 1, []byte("late"))
			return refused("a part after it", err, 404, "NoSuchUpload")
		}},
		{"upload-unseen", func(ctx context.Context, p place) error {
			up, err := p.begin(ctx, "k")
			if err != nil {
				return err
			}
			defer up.abandon(ctx)
			if _, err := up.add(ctx, nil, 1, []byte("some")); err != nil {
				return err
			}
			_, absent := p.head(ctx, "k")
			_, created := p.put(ctx, "k", "meanwhile", ifAbsent)
			return errors.Join(refused("HEAD before the end", absent, 404, "NotFound"), created)
		}},
	}
}

func parts() [][]byte { return [][]byte{bytes.Repeat([]byte("x"), 5<<20), []byte("end")} }

// etagOfParts is the MD5 of the parts' MD5s, and their number.
func etagOfParts(parts [][]byte) string {
	var sums []byte
	for _, p := range parts {
		sum := md5.Sum(p)
		sums = append(sums, sum[:]...)
	}
	sum := md5.Sum(sums)
	return fmt.Sprintf(`"%s-%d"`, hex.EncodeToString(sum[:]), len(parts))
}

// upload writes an object in parts and checks it.
func (p place) upload(ctx context.Context, name string, change func(*s3.CompleteMultipartUploadInput), etag func(string) error) error {
	up, err := p.begin(ctx, name)
	if err != nil {
		return err
	}
	defer up.abandon(ctx)
	var done []types.CompletedPart
	for i, body := range parts() {
		if done, err = up.add(ctx, done, i+1, body); err != nil {
			return err
		}
	}
	out, err := up.complete(ctx, done, change)
	if err != nil {
		return err
	}
	head, err := p.head(ctx, name)
	if err != nil {
		return err
	}
	return errors.Join(
		etag(aws.ToString(out.ETag)), p.holds(ctx, name, string(bytes.Join(parts(), nil))),
		same("metadata", head.Metadata["a"], "b"), same("ETag of HEAD", aws.ToString(head.ETag), aws.ToString(out.ETag)),
	)
}

// An upload under way.
type upload struct {
	place
	name string
	id   *string
}

func (p place) begin(ctx context.Context, name string) (*upload, error) {
	out, err := p.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{
		Bucket: &p.bucket, Key: p.key(name), ChecksumAlgorithm: types.ChecksumAlgorithmCrc32, Metadata: map[string]string{"a": "b"},
	})
	if err != nil {
		return nil, err
	}
	return &upload{p, name, out.UploadId}, nil
}

// abandon ends an upload, if it has not ended: a bucket may not go before.
func (u *upload) abandon(ctx context.Context) {
	_, _ = u.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &u.bucket, Key: u.key(u.name), UploadId: u.id})
}

func (u *upload) add(ctx context.Context, done []types.CompletedPart, number int, body []byte) ([]types.CompletedPart, error) {
	n := int32(number)
	out, err := u.UploadPart(ctx, &s3.UploadPartInput{
		Bucket: &u.bucket, Key: u.key(u.name), UploadId: u.id, PartNumber: &n,
		Body: bytes.NewReader(body), ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	})
	if err != nil {
		return nil, err
	}
	return append(done, types.CompletedPart{PartNumber: &n, ETag: out.ETag, ChecksumCRC32: out.ChecksumCRC32}), nil
}

func (u *upload) complete(ctx context.Context, done []types.CompletedPart, change func(*s3.CompleteMultipartUploadInput)) (*s3.CompleteMultipartUploadOutput, error) {
	in := &s3.CompleteMultipartUploadInput{
		Bucket: &u.bucket, Key: u.key(u.name), UploadId: u.id, MultipartUpload: &types.CompletedMultipartUpload{Parts: done},
	}
	if change != nil {
		change(in)
	}
	return u.CompleteMultipartUpload(ctx, in)
}
