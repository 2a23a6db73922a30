package main

import (
	"bytes"
	"os/exec"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary the command lakebench where a test starts it by that
// name, so that the command is not compiled a second time.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"lakebench": main})
}

// printed runs the command as a process of its own to its end and returns what it
// printed.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "lakebench", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, &stderr)
	}
	return string(stdout)
}
