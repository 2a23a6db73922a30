package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/lakebench/lakebench/results"
)

// TestVirtualRunIsTheSameEverywhere builds the command with and without the race
// detector, runs it on one and on two processors, and expects one and the same
// result of all, latencies included.
func TestVirtualRunIsTheSameEverywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command twice")
	}
	dir := t.TempDir()
	var first []byte
	for _, build := range [][]string{nil, {"-race"}} {
		binary := filepath.Join(dir, "lakebench")
		args := append([]string{"build", "-o", binary}, append(build, ".")...)
		if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
		for _, processors := range []string{"1", "2", "2"} {
			got := virtualRun(t, binary, processors, dir)
			if first == nil {
				first = got
			}
			if !bytes.Equal(first, got) {
				t.Errorf("build %v with GOMAXPROCS=%s: another result than the first run's", build, processors)
			}
		}
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
