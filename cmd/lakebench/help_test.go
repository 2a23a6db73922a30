package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// TestHelpFitsATerminal reads the help of every verb: no line is wider than 80
// columns, except examples, which must stay on one line to be copied.
func TestHelpFitsATerminal(t *testing.T) {
	var visit func(cmd *cobra.Command, path []string)
	visit = func(cmd *cobra.Command, path []string) {
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), append(path, "--help"), strings.NewReader(""), &stdout, &stderr); code != exitOK {
			t.Fatalf("%q --help: exit code %d: %s", path, code, stderr.String())
		}
		for line := range strings.Lines(stdout.String()) {
			line = strings.TrimRight(line, "\n")
			if utf8.RuneCountInString(line) > 80 && !strings.Contains(cmd.Example, line) && !strings.HasPrefix(line, "Use ") {
				t.Errorf("%q --help: line of %d columns: %s", path, utf8.RuneCountInString(line), line)
			}
		}
		for _, sub := range cmd.Commands() {
			if sub.Name() != "help" && sub.Name() != "completion" {
				visit(sub, append(path[:len(path):len(path)], sub.Name()))
			}
		}
	}
	visit(newRoot(), nil)
}
