//go:build real

package manifest_test

import (
	"context"
	"os"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/backendtest"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest"
)

// openLab opens a bucket, which the test removes, on the server that
// LAKEBENCH_TEST_S3 names.
func openLab(t *testing.T) *service {
	return openService(t, backendtest.S3Server(t, os.Getenv("LAKEBENCH_TEST_S3")))
}

// TestReal runs the suite on a real server: the same requests, the same answers to
// the same faults, which happen on this side of the wire.
func TestReal(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"Requests": TestRequests, "Counts": TestCounts, "FailedProbeIsNotTheEnd": TestFailedProbeIsNotTheEnd,
		"FencedThroughHeldPosition": TestFencedThroughHeldPosition, "Gap": TestGap, "LostReply": TestLostReply,
		"LostRequestAndEqualBytes": TestLostRequestAndEqualBytes, "UnknownOutcome": TestUnknownOutcome,
		"ConflictIsNotACollision": TestConflictIsNotACollision, "Polling": TestPolling, "Sealed": TestSealed,
		"UnknownStatus": TestUnknownStatus, "LateAnswer": TestLateAnswer, "Hints": TestHints, "Claims": TestClaims, "Spec": TestSpec,
	} {
		t.Run(name, test)
	}
}

// TestRealCommitsAtOnce: the commits of one store on real time; all land, and take
// 2n requests when they are serialized.
func TestRealCommitsAtOnce(t *testing.T) {
	const n = 8
	for _, kind := range manifest.Kinds() {
		t.Run(kind.String(), func(t *testing.T) {
			l := newLog(t, kind)
			s := l.store()
			if _, err := s.ClaimEpoch(t.Context()); err != nil {
				t.Fatal(err)
			}
			l.recorder.Take()
			g := task.NewGroup(t.Context(), 0)
			for range n {
				g.Go("commit", func(ctx context.Context) error {
					_, err := s.CommitUpdate(ctx, 1, flushed)
					return err
				})
			}
			if err := g.Wait(); err != nil {
				t.Error(err)
			}
			_, requests := l.recorder.Take()
			if want := 2 * n; kind == manifest.Serialized && requests != want {
				t.Errorf("%d commits take %d requests, want %d", n, requests, want)
			}
			if m, err := s.RefreshLatest(t.Context()); err != nil || m.Version != 1+n || len(m.Generations) != n {
				t.Errorf("version %d with %d generations, %v; want %d and %d", m.Version, len(m.Generations), err, 1+n, n)
			}
			t.Logf("%d commits: %d requests, %+v", n, requests, s.Stats())
		})
	}
}
