package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// TestHangUp: a finalization whose session is lost under the barrier lifts it, as one
// that is interrupted or terminated does.
func TestHangUp(t *testing.T) {
	t.Setenv(tableVariable, "lake")
	for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			h := newHand(t)
			h.load("lake", 3)
			h.migrate(exitOK, "init")
			h.migrate(exitOK, "backfill")
			scanning := newScanWatch(t, h.endpoint)
			cmd := exec.CommandContext(t.Context(), "lakebench", "migrate", "finalize", "--no-nodes", "--dynamodb-endpoint", scanning.URL)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-scanning.began // writes are paused by now
			says(t, h.json("status", "--json"), `"owner":`)
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			var ended *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != exitInterrupted {
				t.Errorf("%v: %s", err, &stderr)
			}
			says(t, h.migrate(exitOK, "status"), "barrier none", "marker none")
		})
	}
}

// A scanWatch is a way to a server on which scans get no answer until the test ends.
type scanWatch struct {
	*httptest.Server
	began chan struct{} // closed once one was sent
}

func newScanWatch(t *testing.T, endpoint string) *scanWatch {
	t.Helper()
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	w := &scanWatch{began: make(chan struct{})}
	var first sync.Once
	proxy := httputil.NewSingleHostReverseProxy(target)
	w.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		if strings.HasSuffix(in.Header.Get("X-Amz-Target"), ".Scan") {
			_, _ = io.Copy(io.Discard, in.Body) // else the end of the client goes unseen
			first.Do(func() { close(w.began) })
			<-in.Context().Done()
			return
		}
		in.Host = target.Host
		proxy.ServeHTTP(out, in)
	}))
	t.Cleanup(w.Close)
	return w
}
