package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
)

// An interrupted search prints what it covered, and exits as interrupted.
func TestExploreInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"explore", "--schedules", "1000000", "--operations", "5", "--policy", "random"}, strings.NewReader(""), &stdout, &stderr)
	if code != exitInterrupted || !strings.Contains(stdout.String(), "of 1000000 schedules were run.") {
		t.Errorf("exit code %d, want %d\n%s\n%s", code, exitInterrupted, stdout.String(), stderr.String())
	}
}
