package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

// served starts an engine behind limits on a loopback address; done waits for its
// end.
func served(t *testing.T, limits serveLimits) (address string, stop context.CancelFunc, done func() error) {
	t.Helper()
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	ended := make(chan error, 1)
	go func() { ended <- limits.serve(ctx, l, engine.HTTPHandler()) }()
	return l.Addr().String(), stop, func() error { return <-ended }
}

// head is the beginning of a request with a body of n bytes.
func head(n int) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Length: %d\r\n\r\n", n)
}

func dial(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// listTables asks for the tables and returns the status.
func listTables(t *testing.T, address string) int {
	t.Helper()
	c := dial(t, address)
	if _, err := io.WriteString(c, head(2)+"{}"); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	return resp.StatusCode
}

// Requests that are cut off or never end are given up, and do not keep others from
// being answered.
func TestSlowAndCutRequests(t *testing.T) {
	limits := defaultServeLimits()
	limits.header, limits.request = 100*time.Millisecond, 200*time.Millisecond
	address, stop, done := served(t, limits)
	for name, sent := range map[string]string{
		"nothing":              "",
		"half a header":        head(2)[:20],
		"half a body":          head(20) + `{"Limit":`,
		"half a large body":    head(20<<20) + strings.Repeat(" ", 1<<20),
		"a chunked body's end": strings.Replace(head(0), "Content-Length: 0", "Transfer-Encoding: chunked", 1) + "1\r\n{\r\n",
	} {
		cut, slow := dial(t, address), dial(t, address)
		for _, c := range []net.Conn{cut, slow} {
			if _, err := io.WriteString(c, sent); err != nil {
				t.Fatal(err)
			}
		}
		_ = cut.Close()
		if status := listTables(t, address); status != http.StatusOK {
			t.Errorf("%s: another request got status %d", name, status)
		}
		// The service hangs up; what it may say before is no answer.
		if answer, err := io.ReadAll(slow); err == nil && bytes.Contains(answer, []byte("200 OK")) {
			t.Errorf("%s: answered %q", name, answer)
		}
	}
	stop()
	if err := done(); err != nil {
		t.Error(err)
	}
}

// A body over the limit is refused, one below it that is no JSON too.
func TestLargeBodies(t *testing.T) {
	address, _, _ := served(t, defaultServeLimits())
	for _, c := range []struct{ size, status int }{{16 << 20, http.StatusBadRequest}, {40 << 20, http.StatusRequestEntityTooLarge}} {
		resp, err := http.Post("http://"+address, "application/x-amz-json-1.0", bytes.NewReader(bytes.Repeat([]byte("["), c.size)))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != c.status {
			t.Errorf("%d bytes of brackets: status %d, want %d", c.size, resp.StatusCode, c.status)
		}
	}
}

// Connections beyond the limit wait until one is closed. The service also stops while
// all places are taken.
func TestConnectionsAreBounded(t *testing.T) {
	limits := defaultServeLimits()
	limits.connections = 2
	address, stop, done := served(t, limits)
	first := dial(t, address)
	second := dial(t, address)
	answered := make(chan int)
	third := dial(t, address)
	go func() {
		_, _ = io.WriteString(third, head(2)+"{}")
		resp, err := http.ReadResponse(bufio.NewReader(third), nil)
		if err != nil {
			answered <- 0
			return
		}
		_ = resp.Body.Close()
		answered <- resp.StatusCode
	}()
	for _, c := range []net.Conn{first, second} { // they are served
		if _, err := io.WriteString(c, head(2)+"{}"); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	select {
	case status := <-answered:
		t.Errorf("a third connection was answered with status %d", status)
	case <-time.After(50 * time.Millisecond):
	}
	_ = first.Close()
	if status := <-answered; status != http.StatusOK {
		t.Errorf("the third connection, once there was a place: status %d", status)
	}
	stop()
	if err := done(); err != nil {
		t.Error(err)
	}
}

// What is kept in a data directory is there when it is served again; a second
// process, or another engine, is kept out meanwhile.
func TestServeKeepsTables(t *testing.T) {
	dir := t.TempDir()
	for life, want := range []string{"0 tables with 0 items", "1 tables with 0 items"} {
		ctx, stop := context.WithCancel(t.Context())
		r, w := io.Pipe()
		o := serveOptions{dynamodb: "127.0.0.1:0", dataDir: dir, limits: defaultServeLimits()}
		ended := make(chan error, 1)
		go func() {
			ended <- o.serveDynamoDB(ctx, w)
			_ = w.Close()
		}()
		lines := bufio.NewScanner(r)
		var address string
		for address == "" && lines.Scan() {
			if rest, ok := strings.CutPrefix(lines.Text(), "DynamoDB on "); ok {
				address, _, _ = strings.Cut(rest, " ")
			} else if !strings.HasSuffix(lines.Text(), want) {
				t.Errorf("life %d: printed %q, want %s", life, lines.Text(), want)
			}
		}
		if _, err := o.openEngine(io.Discard); err == nil || exitCode(t.Context(), err) != exitUsage || !strings.Contains(err.Error(), "is in use by another process") {
			t.Errorf("life %d: a second engine on the directory: error %v", life, err)
		}
		if life == 0 {
			createTable(t, address)
		}
		stop()
		for lines.Scan() { // what it prints at its end
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}

func createTable(t *testing.T, address string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(`{"TableName":"tbl","BillingMode":"PAY_PER_REQUEST",
		"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],"KeySchema":[{"AttributeName":"k","KeyType":"HASH"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Amz-Target", "DynamoDB_20120810.CreateTable")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
}
