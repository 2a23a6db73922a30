package workloads

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/run"
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
func onEndpoint(cfg run.Config, address string, run int) run.Config {
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
		shadow, err := run.MeasureShadow(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		cfg = onEndpoint(cfg, server.URL, n)
		doc := run1(t, cfg)
		if d, err := shadow.Compare(doc); err != nil || len(d) > 0 || !passed(doc) {
			t.Errorf("run %d: differences %v, %v; expected none", n, d, err)
		}
		cfg.Tokens = nil
		if _, err := run.Run(t.Context(), cfg); err == nil {
			t.Error("an endpoint was used without a source of request tokens")
		}
	}
}

// A run on an endpoint that loses 1 reply in 20 proves nothing, and says why.
func TestLostRepliesInvalidate(t *testing.T) {
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	handler := engine.HTTPHandler()
	var served atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r)
		if served.Add(1)%20 == 0 {
			panic(http.ErrAbortHandler) // ends the connection
		}
	}))
	defer server.Close()
	cfg := onEndpoint(embedded(t, catalogRefresh(), map[string]string{"history_records": "1000", "tables": "2"}), server.URL, 1)
	doc, err := run.Run(t.Context(), cfg)
	var invalid *run.InvalidError
	if !errors.As(err, &invalid) || !strings.Contains(err.Error(), "lost their reply") {
		t.Fatalf("got %v, want an invalid run that lost replies", err)
	}
	lost := false
	for _, s := range doc.Series {
		for _, a := range s.Attempts {
			lost = lost || a.Outcome == "reply-lost"
		}
	}
	if !lost {
		t.Error("no series counts an attempt that is reply-lost")
	}
	if err := doc.Validate(); err != nil {
		t.Error(err)
	}
}
