//go:build real

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

// The AWS SDK for JavaScript, which npm fetches, holds a small session with serve,
// signed, on a data directory.
func TestRealJavaScriptSession(t *testing.T) {
	if os.Getenv("LAKEBENCH_TEST_DYNAMODB") == "" {
		t.Skip("with the other real servers only (make test-real)")
	}
	dir := t.TempDir()
	for _, name := range []string{"package.json", "session.js"} {
		text, err := os.ReadFile(filepath.Join("testdata/javascript", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		return string(out)
	}
	in("npm", "install", "--no-audit", "--no-fund", "--silent")

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r, w := io.Pipe()
	o := serveOptions{dynamodb: "127.0.0.1:0", dataDir: filepath.Join(dir, "data"), access: dynamo.Access{Key: "AKIDSESSION", Secret: "secret"}, limits: defaultServeLimits()}
	ended := make(chan error, 1)
	go func() { ended <- o.serveDynamoDB(ctx, w) }()
	address := addressPrinted(t, r)
	if out := in("node", "session.js", address, "AKIDSESSION", "secret"); !strings.Contains(out, "session complete") {
		t.Errorf("the session printed %s", out)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// addressPrinted reads what serve prints until it says where it is.
func addressPrinted(t *testing.T, r io.Reader) string {
	t.Helper()
	var printed bytes.Buffer
	buf := make([]byte, 256)
	for {
		n, err := r.Read(buf)
		printed.Write(buf[:n])
		if _, rest, ok := strings.Cut(printed.String(), "DynamoDB on "); ok {
			if address, _, ok := strings.Cut(rest, " "); ok {
				go func() { _, _ = io.Copy(io.Discard, r) }() // the rest, so that serve does not wait
				return address
			}
		}
		if err != nil {
			t.Fatalf("serve printed %q and no address", printed.String())
		}
	}
}
