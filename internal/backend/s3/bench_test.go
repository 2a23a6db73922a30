package s3_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
)

// Each benchmark through the SDK has two parts: the service, and a handler that
// gives the same answers without doing anything. The second is what the SDK alone
// allows on this machine at this moment.

var body1KB = strings.Repeat("0123456789abcdef", 64)

// replayer answers every request with what the service answered to the first.
type replayer struct {
	header http.Header
	body   []byte
}

func (r *replayer) Do(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_, _ = io.Copy(io.Discard, req.Body)
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: r.header, Request: req,
		Body: io.NopCloser(bytes.NewReader(r.body)), ContentLength: int64(len(r.body)),
	}, nil
}

// recorder keeps the last answer that passes through.
type recorder struct {
	inner awss3.HTTPClient
	replayer
}

func (r *recorder) Do(req *http.Request) (*http.Response, error) {
	resp, err := r.inner.Do(req)
	if err != nil {
		return nil, err
	}
	r.header = resp.Header.Clone()
	r.body, err = io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(r.body))
	return resp, err
}

func benchmark(b *testing.B, call func(ctx context.Context, c *awss3.Client, i int) error) {
	run := func(b *testing.B, transport awss3.HTTPClient) {
		client := newClient(transport)
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			if err := call(b.Context(), client, i); err != nil {
				b.Fatal(err)
			}
			i++
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
	}
	account := func(b *testing.B) account {
		a := newAccount(b, nil)
		for i := range 1000 {
			if err := a.put(b.Context(), fmt.Sprintf("read/%07d", i), body1KB); err != nil {
				b.Fatal(err)
			}
		}
		return a
	}
	b.Run("service", func(b *testing.B) { run(b, account(b).Client(nil)) })
	b.Run("sdk-ceiling", func(b *testing.B) {
		record := &recorder{inner: account(b).Client(nil)}
		if err := call(b.Context(), newClient(record), 0); err != nil {
			b.Fatal(err)
		}
		run(b, &record.replayer)
	})
}

func BenchmarkPutIfAbsent1KB(b *testing.B) {
	benchmark(b, func(ctx context.Context, c *awss3.Client, i int) error {
		_, err := c.PutObject(ctx, &awss3.PutObjectInput{
			Bucket: aws.String(lake), Key: aws.String(fmt.Sprintf("new/%012d", i)), Body: strings.NewReader(body1KB), IfNoneMatch: aws.String("*"),
		})
		return err
	})
}

func BenchmarkGet1KB(b *testing.B) {
	benchmark(b, func(ctx context.Context, c *awss3.Client, i int) error {
		out, err := c.GetObject(ctx, &awss3.GetObjectInput{Bucket: aws.String(lake), Key: aws.String(fmt.Sprintf("read/%07d", i%1000))})
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, out.Body); err != nil {
			return err
		}
		return out.Body.Close()
	})
}

func BenchmarkHead(b *testing.B) {
	benchmark(b, func(ctx context.Context, c *awss3.Client, i int) error {
		_, err := c.HeadObject(ctx, &awss3.HeadObjectInput{Bucket: aws.String(lake), Key: aws.String(fmt.Sprintf("read/%07d", i%1000))})
		return err
	})
}

func BenchmarkList1000(b *testing.B) {
	benchmark(b, func(ctx context.Context, c *awss3.Client, _ int) error {
		out, err := c.ListObjectsV2(ctx, &awss3.ListObjectsV2Input{Bucket: aws.String(lake), Prefix: aws.String("read/")})
		if err == nil && len(out.Contents) != 1000 {
			return fmt.Errorf("%d keys", len(out.Contents))
		}
		return err
	})
}

// BenchmarkDirect is the service's own cost, without the SDK.
func BenchmarkDirect(b *testing.B) {
	a := newAccount(b, nil)
	i := 0
	b.Run("PutIfAbsent1KB", func(b *testing.B) {
		b.ReportAllocs()
		body := []byte(body1KB)
		for b.Loop() {
			i++
			if err := a.put(b.Context(), fmt.Sprintf("new/%012d", i), string(body), ifAbsent); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Get1KB", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := a.get(b.Context(), "new/000000000001"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
