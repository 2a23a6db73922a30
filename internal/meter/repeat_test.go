package meter

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"sync/atomic"
	"testing"
)

// net/http sends a GET again by itself when the connection that it reused turns
// out to be dead: the client below the retry loop sees one request, the server
// two (docs/facts/s3.md §3.3).
func TestHiddenRepeats(t *testing.T) {
	var served atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if served.Add(1) != 2 {
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		if err := conn.Close(); err != nil { // after the request came, before any answer
			t.Error(err)
		}
	}))
	defer server.Close()

	m := newMeter(t, reportCapacity)
	client := m.HTTPClient(server.Client())
	for range 2 { // the first opens the connection that the second reuses
		c := &call{m: m}
		c.begin(t.Context(), "S3", "GetObject", nil)
		a := c.attempt(t.Context())
		req, err := http.NewRequestWithContext(a, http.MethodGet, server.URL, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		a.end(nil, nil)
		c.end(nil)
	}
	got := m.Ledger(PhaseSetup).Total().Flow
	if want := (Flow{Calls: 2, Attempts: 2, Repeats: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if n := served.Load(); n != got.Attempts+got.Repeats {
		t.Errorf("the server saw %d requests, expected attempts + repeats = %d", n, got.Attempts+got.Repeats)
	}
	if err := m.Reconcile(); err != nil {
		t.Error(err)
	}
}

// A request that could not be written, because the connection was gone, has not
// reached the server: sending it again is no repeat.
func TestFailedWritesAreNoRepeats(t *testing.T) {
	m := newMeter(t, reportCapacity)
	c := &call{m: m}
	c.begin(t.Context(), "S3", "GetObject", nil)
	a := c.attempt(t.Context())
	a.send()
	trace := httptrace.ContextClientTrace(a.watch(a))
	trace.WroteRequest(httptrace.WroteRequestInfo{Err: net.ErrClosed})
	trace.WroteRequest(httptrace.WroteRequestInfo{})
	a.end(nil, nil)
	c.end(nil)
	if got := m.Ledger(PhaseSetup).Total().Repeats; got != 0 {
		t.Errorf("%d repeats", got)
	}
}
