package wal_test

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lakebench/lakebench/internal/manifesttest"
)

// hooked is a client at whose requests something else happens: before it reaches
// the service, or after, when an error takes the place of its answer.
type hooked struct {
	manifesttest.Client
	before func(method, key string)
	after  func(method, key string) error
}

// around makes a request with what happens at it.
func around[Out any](h *hooked, method, key string, send func() (*Out, error)) (*Out, error) {
	if h.before != nil {
		h.before(method, key)
	}
	out, err := send()
	if h.after != nil && err == nil {
		err = h.after(method, key)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (h *hooked) GetObject(ctx context.Context, in *s3.GetObjectInput, o ...func(*s3.Options)) (*s3.GetObjectOutput, error) {
	return around(h, "GET", *in.Key, func() (*s3.GetObjectOutput, error) { return h.Client.GetObject(ctx, in, o...) })
}

func (h *hooked) HeadObject(ctx context.Context, in *s3.HeadObjectInput, o ...func(*s3.Options)) (*s3.HeadObjectOutput, error) {
	return around(h, "HEAD", *in.Key, func() (*s3.HeadObjectOutput, error) { return h.Client.HeadObject(ctx, in, o...) })
}

func (h *hooked) PutObject(ctx context.Context, in *s3.PutObjectInput, o ...func(*s3.Options)) (*s3.PutObjectOutput, error) {
	if h.after != nil {
		o = nil // who watches the attempts through the retryer must not see an answer
	}
	return around(h, "PUT", *in.Key, func() (*s3.PutObjectOutput, error) { return h.Client.PutObject(ctx, in, o...) })
}

func (h *hooked) ListObjectsV2(ctx context.Context, in *s3.ListObjectsV2Input, o ...func(*s3.Options)) (*s3.ListObjectsV2Output, error) {
	return around(h, "LIST", *in.Prefix, func() (*s3.ListObjectsV2Output, error) { return h.Client.ListObjectsV2(ctx, in, o...) })
}
