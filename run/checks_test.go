package run

import (
	"testing"

	"github.com/lakebench/lakebench/results"
)

func TestReplies(t *testing.T) {
	for _, c := range []struct {
		attempts, lost int64
		want           results.Status
	}{
		{0, 0, results.Passed}, {5000, 0, results.Passed}, {5000, 5, results.Passed}, {5000, 6, results.Failed}, {10, 1, results.Failed},
	} {
		if got := replies(c.attempts, c.lost); got.Status != c.want {
			t.Errorf("%d of %d: got %v, want %s", c.lost, c.attempts, got, c.want)
		}
	}
}
