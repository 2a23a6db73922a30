package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// code runs the command in the script's folder and expects an exit code; what it
// wrote to standard error, progress left out, must then be one line that begins
// with the program's name. Usage: code N lakebench ARG...; the streams go to the files out and err.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || args[1] != "lakebench" {
		ts.Fatalf("usage: code N lakebench ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got, stdout, stderr := runIn(ts, args[2:])
	if got != want {
		ts.Fatalf("exit code %d, expected %d\nstdout:\n%s\nstderr:\n%s", got, want, stdout, stderr)
	}
	stderr = progressLine.ReplaceAllString(stderr, "")
	if lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n"); want != 0 && (len(lines) != 1 || !strings.HasPrefix(lines[0], "lakebench: ")) {
		ts.Fatalf("standard error is not one line of the program:\n%s", stderr)
	}
	ts.Check(os.WriteFile(ts.MkAbs("out"), []byte(stdout), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("err"), []byte(stderr), 0o600))
}

// progressLine is what a command says of itself when it takes longer, as it may
// on any machine.
var progressLine = regexp.MustCompile(`(?m)^lakebench: .* \(\d+ s\)\n`)

// runIn executes the command; paths among the arguments are the script's.
func runIn(ts *testscript.TestScript, args []string) (code int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	for i, a := range args {
		if path := strings.TrimPrefix(a, "@"); strings.HasPrefix(path, "./") {
			args[i] = strings.TrimSuffix(a, path) + filepath.Join(ts.MkAbs("."), path)
		}
	}
	code = run(context.Background(), args, strings.NewReader(""), &out, &errOut)
	return code, out.String(), errOut.String()
}
