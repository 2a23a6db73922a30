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
	"github.com/lakebench/lakebench/workloads"
)

// TestVirtualRunIsTheSameEverywhere runs every workload on one and on two processors,
// and expects the same result from both, latencies included. Under the race detector it
// expects that result also from the command without it.
func TestVirtualRunIsTheSameEverywhere(t *testing.T) {
	dir := t.TempDir()
	plain := ""
	if raced() {
		plain = filepath.Join(dir, "lakebench")
		if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", plain, ".").CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
	}
	for _, w := range workloads.All() {
		t.Run(w.Name, func(t *testing.T) {
			first := virtualRun(t, "lakebench", "1", dir, w.Name)
			if got := virtualRun(t, "lakebench", "2", dir, w.Name); !bytes.Equal(first, got) {
				t.Error("two processors: another result than on one")
			}
			if plain == "" {
				return
			}
			if got := virtualRun(t, plain, "2", dir, w.Name); !bytes.Equal(first, got) {
				t.Error("with the race detector: another result than without")
			}
		})
	}
}

// clients are parameters of a small run of each workload, with several clients at
// work where it has them.
var clients = map[string][]string{
	"catalog-refresh":    {"tables=40", "history_records=0,300", "refreshes=4"},
	"append-history":     {"days=1", "commits_per_second=0.001", "operations=100", "tables=10", "refreshes=1"},
	"metadata-mix":       {"concurrency=4", "operations=60", "tables=5", "history_records=20"},
	"dual-write":         {"item_bytes=300", "operations=5", "tables=2"},
	"migration":          {"records=60", "writers=2", "after=3", "tables=10"},
	"fresh-read":         {"generations=2", "reads=2", "rows=2"},
	"flush":              {"generations=2", "manifest_polls=1", "rows=2", "operations=2"},
	"compaction":         {"generations=2", "rows=2", "operations=2"},
	"wal-append":         {"entries=30", "group_commit=4"},
	"wal-replay":         {"entries=3", "hint_lag=0,5"},
	"concurrent-commits": {"committers=8", "rounds=2"},
	"failover":           {"entries=3", "opens=2"},
}

// raced reports whether this binary has the race detector.
func raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

func virtualRun(t *testing.T, binary, processors, dir, workload string) []byte {
	t.Helper()
	args := []string{"run", "--workload", workload, "--seed", "3", "--repeats", "2", "--json", "--out", dir}
	for _, set := range clients[workload] {
		args = append(args, "--set", set)
	}
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+processors)
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := results.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if doc.Clock != results.VirtualClock || !doc.Deterministic {
		t.Errorf("clock %s, deterministic %v, expected the virtual clock by default", doc.Clock, doc.Deterministic)
	}
	text, err = results.Encode(withoutHead(doc))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
