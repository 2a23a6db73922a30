package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
)

// TestRunbook executes the commands of docs/migration.md, in their order, on an
// endpoint that is not taken for this machine. None of them changes anything without
// its --yes.
func TestRunbook(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "migration.md"))
	if err != nil {
		t.Fatal(err)
	}
	h := newHand(t)
	h.load("lake", 20)
	remotely(t, h)
	var nodes []*dual.Store
	metrics := filepath.Join(t.TempDir(), "lakebench.prom")
	names := strings.NewReplacer("NAME", "lake", "7d", "1ms", "/var/lib/node_exporter/lakebench.prom", metrics)
	verbs := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^    lakebench migrate (.*)$`).FindAllStringSubmatch(string(text), -1) {
		args := strings.Fields(names.Replace(line[1]))
		verbs[args[0]] = true
		dry := strings.HasSuffix(line[1], "--dry-run")
		if args[0] == "retire" && dry { // step 8: every node is restarted
			for _, n := range nodes {
				if err := n.Heartbeat(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			for i, n := range nodes {
				if err := n.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
				h.node(string(rune('a'+i)), control.ModeV2Only)
			}
		}
		if last := len(args) - 1; args[last] == "--yes" {
			says(t, h.migrate(exitUsage, args[:last]...), "Nothing was changed", "add --yes")
		} else if !dry {
			t.Errorf("%q has neither --yes nor --dry-run", line[0])
		}
		stop := func() {}
		if args[0] == "finalize" && !dry {
			stops := make([]func(), len(nodes))
			for i, n := range nodes {
				stops[i] = h.beats(n)
			}
			stop = func() {
				for _, s := range stops {
					s()
				}
			}
		}
		h.migrate(exitOK, args...)
		stop()
		if args[0] == "init" { // step 2
			for _, name := range []string{"a", "b", "c"} {
				nodes = append(nodes, h.node(name, control.ModeDual))
			}
		}
	}
	for _, verb := range []string{"init", "backfill", "verify", "finalize", "retire"} {
		if !verbs[verb] {
			t.Errorf("the runbook does not run %s", verb)
		}
	}
	says(t, h.migrate(exitOK, "status", "--table", "lake"), "mode v2-only", "0 dual, 0 v2-authoritative, 3 v2-only")
}

// remotely makes the server's address one that is not taken for this machine, though
// Linux and macOS carry it out there.
func remotely(t *testing.T, h *hand) {
	t.Helper()
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "x")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "x")
	h.endpoint = strings.Replace(h.endpoint, "127.0.0.1", "0.0.0.0", 1)
	if isLoopback(h.endpoint) {
		t.Fatalf("%s is taken for this machine", h.endpoint)
	}
}

// TestNothingWithoutYes: one rule for all verbs that change or cost something.
func TestNothingWithoutYes(t *testing.T) {
	t.Setenv(tableVariable, "lake")
	h := newHand(t)
	h.load("lake", 3)
	remotely(t, h)
	says(t, h.migrate(exitUsage, "init"), "Nothing was changed", "add --yes")
	says(t, h.migrate(exitOK, "status"), "mode v1")
	h.migrate(exitOK, "init", "--yes")
	for _, verb := range []string{"backfill", "verify", "abort", "repair", "peers remove a --incarnation i"} {
		says(t, h.migrate(exitUsage, strings.Fields(verb)...), "Nothing was changed", "add --yes")
		h.migrate(exitOK, append(strings.Fields(verb), "--dry-run")...)
	}
}

func TestAgrees(t *testing.T) {
	for answer, want := range map[string]bool{"yes\n": true, "\tyes \n": true, "yes": true, "": false, "\n": false, "y\n": false, "no\n": false, "yesterday\n": false} {
		if got := agrees(strings.NewReader(answer), io.Discard); got != want {
			t.Errorf("%q: %v", answer, got)
		}
	}
	if isTerminal(&bytes.Buffer{}) {
		t.Error("a buffer is a terminal")
	}
}
