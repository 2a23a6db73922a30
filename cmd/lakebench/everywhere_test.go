package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/lakebench/lakebench/results"
)

// TestVirtualRunIsTheSameEverywhere runs the command on one and on two processors, and
// expects the same result from both, latencies included. Under the race detector it
// expects that result also from the command without it.
func TestVirtualRunIsTheSameEverywhere(t *testing.T) {
	dir := t.TempDir()
	first := virtualRun(t, "lakebench", "1", dir)
	if got := virtualRun(t, "lakebench", "2", dir); !bytes.Equal(first, got) {
		t.Error("two processors: another result than on one")
	}
	if !raced() {
		return
	}
	plain := filepath.Join(dir, "lakebench")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", plain, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if got := virtualRun(t, plain, "2", dir); !bytes.Equal(first, got) {
		t.Error("with the race detector: another result than without")
	}
}

// raced reports whether this binary has the race detector.
func raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

func virtualRun(t *testing.T, binary, processors, dir string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, "run", "--workload", "catalog-refresh", "--clock", "virtual", "--seed", "3",
		"--set", "tables=40", "--set", "history_records=0,30,300", "--set", "refreshes=4", "--repeats", "2", "--json", "--out", dir)
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+processors)
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := results.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	text, err = results.Encode(withoutHead(doc))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
