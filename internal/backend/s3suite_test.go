package backend

import (
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/lakebench/lakebench/internal/backend/s3"
	"github.com/lakebench/lakebench/internal/backend/s3/s3test"
)

// s3Endpoint leads to an S3 on this machine.
func s3Endpoint(address string) Config {
	cfg := DefaultConfig()
	cfg.Kind, cfg.Uses = Endpoint, Uses{S3: true}
	cfg.AWS = aws.Config{Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("testkey", "testsecret", "")}
	cfg.S3Endpoint = address
	cfg.RunID = "test"
	return cfg
}

// serveS3 serves an embedded S3 over HTTP.
func serveS3(t *testing.T, cfg s3.Config) (*s3.Service, string) {
	t.Helper()
	service, err := s3.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(service.HTTPHandler())
	t.Cleanup(server.Close)
	return service, server.URL
}

// TestS3Suite: the suite on each transport, with ledgers that agree.
func TestS3Suite(t *testing.T) {
	_, loopback := serveS3(t, s3.DefaultConfig())
	for name, cfg := range map[string]Config{"memory": DefaultConfig(), "loopback": s3Endpoint(loopback)} {
		t.Run(name, func(t *testing.T) {
			b := open(t, cfg)
			bucket, err := b.Bucket(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			m := newMeter(t, b)
			s3test.Run(t, s3test.Target{Client: b.S3(m), Bucket: bucket, Prefix: "suite/"})
			if err := m.Reconcile(); err != nil {
				t.Error(err)
			}
			if err := b.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
