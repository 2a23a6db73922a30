package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the command as a user does: testdata/script/*.txtar.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code, "samecounts": samecounts, "samevirtual": samevirtual},
		// The environment of whoever runs the tests must not be what they pass on.
		Setup: func(e *testscript.Env) error {
			e.Setenv("LAKE_DYNAMODB_TABLE", "")
			e.Setenv("COLUMNS", "")
			e.Setenv("AWS_EC2_METADATA_DISABLED", "true")
			return nil
		},
	})
}
