//go:build real

package difftest_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/backend/dynamo/difftest"
)

var (
	requests = flag.Int("requests", 4000, "how many requests TestRealDifferential compares")
	seed     = flag.Uint64("seed", 1, "the first sequence's seed")
)

// sequenceLength is how many requests are made on one set of tables.
const sequenceLength = 200

// remote is a service behind HTTP.
type remote struct{ address string }

func (r *remote) Serve(ctx context.Context, operation, body string) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.address, bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=difftest/20200101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

func local(t *testing.T) *remote {
	t.Helper()
	address := os.Getenv("LAKEBENCH_TEST_DYNAMODB")
	if address == "" {
		t.Skip("LAKEBENCH_TEST_DYNAMODB names no server")
	}
	return &remote{address}
}

// compare runs one sequence, and shrinks what it finds.
func compare(t *testing.T, theirs difftest.Service, steps []difftest.Step, tally *difftest.Tally) {
	t.Helper()
	ours := newEngine(t)
	err := difftest.Compare(t.Context(), ours, theirs, steps, tally)
	if found := new(difftest.MismatchError); errors.As(err, &found) {
		smaller, shrinkErr := difftest.Shrink(t.Context(), ours, theirs, found)
		err = errors.Join(smaller, shrinkErr)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestRealDifferential compares random sequences.
func TestRealDifferential(t *testing.T) {
	theirs := local(t)
	began, tally := time.Now(), difftest.Tally{}
	for s := *seed; tally.Requests < *requests; s++ {
		t.Logf("seed %d", s)
		compare(t, theirs, difftest.Sequence(s, sequenceLength), &tally)
	}
	t.Logf("%d requests in %v, %d refused by both; explained: %v", tally.Requests, time.Since(began), tally.Failed, tally.Explained)
}

// TestRealSequences compares the sequences that once differed.
func TestRealSequences(t *testing.T) {
	theirs := local(t)
	files, err := filepath.Glob("testdata/sequences/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			steps, err := difftest.ReadSteps(string(text))
			if err != nil {
				t.Fatal(err)
			}
			compare(t, theirs, steps, &difftest.Tally{})
		})
	}
}
