// Package backendtest opens services for the tests of what runs on them.
package backendtest

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/meter"
)

// A Bucket is one of a test's own on an S3 service.
type Bucket struct {
	Name    string
	Backend *backend.Backend
	Meter   *meter.Meter
}

// OpenBucket makes a bucket on the service of cfg, and removes it when the test has
// ended.
func OpenBucket(ctx context.Context, t testing.TB, cfg backend.Config) *Bucket {
	t.Helper()
	b, err := backend.Open(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	name, err := b.Bucket(ctx)
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.NewMeter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Bucket{Name: name, Backend: b, Meter: m}
}

// S3Server is the configuration of a server, which the environment variable
// LAKEBENCH_TEST_S3 names.
func S3Server(t testing.TB, endpoint string) backend.Config {
	t.Helper()
	cfg := backend.DefaultConfig()
	cfg.Kind, cfg.Uses = backend.Endpoint, backend.Uses{S3: true}
	cfg.S3Endpoint = endpoint
	if endpoint == "" {
		t.Fatal("LAKEBENCH_TEST_S3 names no server, such as http://127.0.0.1:7070")
	}
	cfg.AWS = aws.Config{Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("testkey", "testsecret", "")}
	cfg.RunID = fmt.Sprint(time.Now().UnixNano())
	return cfg
}

// SDK returns the SDK's client, which b.Meter counts.
func (b *Bucket) SDK() *s3.Client { return b.Backend.S3(b.Meter) }

// Put stores an object.
func (b *Bucket) Put(t testing.TB, key string, body []byte) {
	t.Helper()
	if _, err := b.SDK().PutObject(t.Context(), &s3.PutObjectInput{Bucket: &b.Name, Key: &key, Body: bytes.NewReader(body)}); err != nil {
		t.Fatal(err)
	}
}

// Remove removes an object.
func (b *Bucket) Remove(t testing.TB, key string) {
	t.Helper()
	if _, err := b.SDK().DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &b.Name, Key: &key}); err != nil {
		t.Fatal(err)
	}
}

// Load stores files below a prefix, which has no slash at its end.
func (b *Bucket) Load(t testing.TB, files fs.FS, prefix string) {
	t.Helper()
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		b.Put(t, prefix+"/"+name, body)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Files returns what is below a prefix, by the rest of its key.
func (b *Bucket) Files(t testing.TB, prefix string) fstest.MapFS {
	t.Helper()
	client, below := b.SDK(), prefix+"/"
	pages := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{Bucket: &b.Name, Prefix: &below})
	files := fstest.MapFS{}
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range page.Contents {
			out, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: &b.Name, Key: o.Key})
			if err != nil {
				t.Fatal(err)
			}
			var body bytes.Buffer
			if _, err := body.ReadFrom(out.Body); err != nil {
				t.Fatal(err)
			}
			files[strings.TrimPrefix(*o.Key, below)] = &fstest.MapFile{Data: body.Bytes()}
		}
	}
	return files
}
