package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// scratch is a folder of this process, which TestMain makes and removes.
var scratch string

func TestMain(m *testing.M) {
	os.Exit(inScratch(m.Run))
}

func inScratch(run func() int) (code int) {
	var err error
	if scratch, err = os.MkdirTemp("", "lakebench-test-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := os.RemoveAll(scratch); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}()
	return run()
}

// built is the command as users have it, built once for all tests: without the
// race detector, under which the pictures of one run take half a minute. What the
// command calls is raced where it is tested.
var built = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(scratch, "lakebench")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return binary, nil
})

// builtCommand is the file of the command as users have it.
func builtCommand(t *testing.T) string {
	t.Helper()
	binary, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// printed runs the built command to its end, and returns what it printed.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), builtCommand(t), args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, &stderr)
	}
	return string(stdout)
}
