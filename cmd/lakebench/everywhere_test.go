package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/lakebench/lakebench/results"
)

// TestVirtualRunIsTheSameEverywhere runs the command built with and without the
// race detector, on one and on two processors, and expects one and the same result
// of all, latencies included.
func TestVirtualRunIsTheSameEverywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command with the race detector")
	}
	dir := t.TempDir()
	raced := filepath.Join(dir, "lakebench")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-race", "-o", raced, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build -race: %v\n%s", err, out)
	}
	first := virtualRun(t, builtCommand(t), "1", dir)
	if got := virtualRun(t, builtCommand(t), "2", dir); !bytes.Equal(first, got) {
		t.Error("two processors: another result than on one")
	}
	if got := virtualRun(t, raced, "2", dir); !bytes.Equal(first, got) {
		t.Error("with the race detector: another result than without")
	}
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
