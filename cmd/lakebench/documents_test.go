package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var (
	commandInDocument = regexp.MustCompile("(?m)(?:^ {4}|`|\\| )(?:\\$ )?(?:lakebench|go run \\./cmd/lakebench) +([a-z][^`\n|#]*)")
	flagInDocument    = regexp.MustCompile("`(--[a-z][a-z0-9-]*)[^`]*`")
	flagInCommand     = regexp.MustCompile(`(?:^| )--([a-z][a-z0-9-]*)`)
)

// TestDocumentsNameVerbsAndFlags: every command line of a document names a verb, with
// flags that this verb has, and a flag in the text is one of some verb.
func TestDocumentsNameVerbsAndFlags(t *testing.T) {
	root := newRoot()
	all := map[string]bool{"--help": true}
	collectFlags(root, all)
	commands := 0
	for _, name := range documents(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range commandInDocument.FindAllStringSubmatch(string(text), -1) {
			commands++
			verb, _, err := root.Find(strings.Fields(m[1]))
			if err != nil || verb == root {
				t.Errorf("%s: %q names no verb (%v)", name, m[0], err)
				continue
			}
			for _, flag := range flagInCommand.FindAllStringSubmatch(m[1], -1) {
				if flag[1] != "help" && verb.Flag(flag[1]) == nil {
					t.Errorf("%s: %q: %s has no flag --%s", name, m[0], verb.CommandPath(), flag[1])
				}
			}
		}
		for _, m := range flagInDocument.FindAllStringSubmatch(string(text), -1) {
			if !all[m[1]] {
				t.Errorf("%s: no verb has the flag %s", name, m[1])
			}
		}
	}
	if commands < 20 {
		t.Errorf("found %d commands: are the documents elsewhere?", commands)
	}
}

func collectFlags(cmd *cobra.Command, all map[string]bool) {
	add := func(f *pflag.Flag) { all["--"+f.Name] = true }
	cmd.Flags().VisitAll(add)
	cmd.PersistentFlags().VisitAll(add)
	for _, c := range cmd.Commands() {
		collectFlags(c, all)
	}
}

// documents lists the files that show how to use the command.
func documents(t *testing.T) []string {
	t.Helper()
	names := []string{"../../README.md", "../../CONTRIBUTING.md", "../../deploy/kubernetes/README.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/spec/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no documents %s (%v)", pattern, err)
		}
		names = append(names, found...)
	}
	return names
}
