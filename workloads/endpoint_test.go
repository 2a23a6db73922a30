package workloads

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

// testTokens are what the command takes: nobody else draws the same.
type testTokens struct{}

func (testTokens) Uint64() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return binary.LittleEndian.Uint64(b[:])
}

// onEndpoint makes a configuration's services those at an address; run tells its
// tables from those of others.
func onEndpoint(cfg Config, address string, run int) Config {
	b := backend.DefaultConfig()
	b.Kind, b.DynamoDBEndpoint, b.RunID = backend.Endpoint, address, "run"+strconv.Itoa(run)
	b.AWS = aws.Config{Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", "")}
	cfg.Open = func(ctx context.Context) (*backend.Backend, error) { return backend.Open(ctx, b) }
	cfg.Tokens = testTokens{}
	return cfg
}

// TestTwoRunsOfOneSeedOnOneEndpoint: an account remembers request tokens for ten
// minutes, whatever they were for. Were they made from the seed, it would take the
// second run's transactions for the first's.
func TestTwoRunsOfOneSeedOnOneEndpoint(t *testing.T) {
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(engine.HTTPHandler())
	defer server.Close()
	for n := range 2 {
		cfg := embedded(t, dualWrite(), map[string]string{"item_bytes": "300", "operations": "3", "tables": "2"})
		shadow, err := RunShadow(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		cfg = onEndpoint(cfg, server.URL, n)
		doc := run1(t, cfg)
		if d, err := shadow.Compare(doc); err != nil || len(d) > 0 || !passed(doc) {
			t.Errorf("run %d: differences %v, %v; expected none", n, d, err)
		}
		cfg.Tokens = nil
		if _, err := Run(t.Context(), cfg); err == nil {
			t.Error("an endpoint was used without a source of request tokens")
		}
	}
}
