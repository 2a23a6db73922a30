package difftest_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/backend/dynamo/difftest"
)

// engine is our own service.
type engine struct{ *dynamo.Engine }

func newEngine(t *testing.T) engine {
	t.Helper()
	e, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	return engine{e}
}

func (e engine) Serve(ctx context.Context, operation, body string) (int, []byte, error) {
	resp := e.Engine.Serve(ctx, operation, []byte(body))
	return resp.Status, resp.Body, nil
}

// forgetful acknowledges every deletion and carries none out.
type forgetful struct{ engine }

func (f forgetful) Serve(ctx context.Context, operation, body string) (int, []byte, error) {
	if operation == "DeleteItem" {
		return 200, []byte("{}"), nil
	}
	return f.engine.Serve(ctx, operation, body)
}

// A service agrees with itself, on requests that are mostly good and of every kind.
func TestSelf(t *testing.T) {
	tally := difftest.Tally{}
	for seed := range uint64(5) {
		if err := difftest.Compare(t.Context(), newEngine(t), newEngine(t), difftest.Sequence(seed, 200), &tally); err != nil {
			t.Fatal(err)
		}
	}
	if tally.Requests != 1000 || tally.Failed < 100 || tally.Failed > 600 || len(tally.Explained) > 0 {
		t.Errorf("compared %+v, want 1,000 requests of which some fail", tally)
	}
}

func TestSequencesArePure(t *testing.T) {
	if !slices.Equal(difftest.Sequence(1, 300), difftest.Sequence(1, 300)) {
		t.Error("one seed makes two sequences")
	}
	if slices.Equal(difftest.Sequence(1, 300), difftest.Sequence(2, 300)) {
		t.Error("two seeds make one sequence")
	}
}

// What differs is found, shrunk to what is needed, and printed such that it can be
// read again.
func TestDefectIsFoundAndShrunk(t *testing.T) {
	ours, theirs := newEngine(t), forgetful{newEngine(t)}
	found := new(difftest.MismatchError)
	for seed := range uint64(20) {
		err := difftest.Compare(t.Context(), ours, theirs, difftest.Sequence(seed, 200), &difftest.Tally{})
		if errors.As(err, &found) {
			break
		}
	}
	if found.Steps == nil {
		t.Fatal("no sequence shows that deletions are forgotten")
	}
	smaller, err := difftest.Shrink(t.Context(), ours, theirs, found)
	if err != nil {
		t.Fatal(err)
	}
	if len(smaller.Steps) > 4 {
		t.Errorf("shrunk from %d steps to %d, want at most 4:\n%v", len(found.Steps), len(smaller.Steps), smaller)
	}
	var lines []string
	for line := range strings.Lines(smaller.Error()) {
		if strings.Contains(line, "\t") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	steps, err := difftest.ReadSteps("# a comment\n" + strings.Join(lines, "\n") + "\n")
	if err != nil || !slices.Equal(steps, smaller.Steps) {
		t.Errorf("what is printed reads as %v, %v, want %v", steps, err, smaller.Steps)
	}
}
