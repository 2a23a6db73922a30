package run

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/backend/s3"
	"github.com/lakebench/lakebench/internal/price"
	"github.com/lakebench/lakebench/run/load"
)

// served returns how to open services under a run's name, on servers that the test
// starts.
func served(t *testing.T) func(name string) func(context.Context) (*backend.Backend, error) {
	t.Helper()
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	objects, err := s3.New(s3.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	serve := func(h http.Handler) string {
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		return server.URL
	}
	b := backend.DefaultConfig()
	b.Kind, b.DynamoDBEndpoint, b.S3Endpoint = backend.Endpoint, serve(engine.HTTPHandler()), serve(objects.HTTPHandler())
	b.AWS = aws.Config{Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", "")}
	return func(name string) func(context.Context) (*backend.Backend, error) {
		b := b
		b.RunID = name
		return func(ctx context.Context) (*backend.Backend, error) { return backend.Open(ctx, b) }
	}
}

// A worker that starts under a name that is taken is refused.
func TestNameOfAnotherStart(t *testing.T) {
	for name, w := range map[string]*Workload{
		"on DynamoDB": {Name: "w", Version: 1, Variants: []Variant{{Name: "v"}}, Deterministic: Always, Divisible: true},
		"on S3":       {Name: "w", Version: 1, Variants: []Variant{{Name: "v"}, {Name: "u"}}, Deterministic: Always, OnS3: true},
	} {
		t.Run(name, func(t *testing.T) {
			open := served(t)
			w.Prepare = func(context.Context, *Site) (Subject, error) { return nil, errors.New("it was prepared") }
			cfg := Config{
				Workload: w, Params: Params{}, Variants: w.Variants, Repeats: 1, Prices: price.Default(), RunID: "r",
				Meet: open("taken"), Open: open("taken-1"), Worker: Worker{Index: 1, Of: 2, Meet: true},
			}
			before, err := open("taken")(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = before.Close(t.Context()) }()
			m := &meeting{run: &run{cfg: cfg, axes: []load.Axis{}}, backend: before}
			if m.meter, err = before.NewMeter(nil); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			m.run.cfg.Progress = func(Progress) { cancel() } // it waits for the second one
			if err := m.begin(ctx); w.Division() == BySeries && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if _, err := Run(t.Context(), cfg); !errors.Is(err, ErrStarted) {
				t.Errorf("%v, want ErrStarted", err)
			}
		})
	}
}
