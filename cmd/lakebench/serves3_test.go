package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// Both services at once, on ports of their own; when they are stopped each says
// what was requested of it.
func TestServeBoth(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--dynamodb", "127.0.0.1:0", "--s3", "127.0.0.1:0"}, strings.NewReader(""), in, io.Discard)
		_ = in.Close()
	}()
	lines := bufio.NewReader(out)
	address := ""
	for range 2 {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, "S3 on ") {
			address = regexp.MustCompile(`http://\S+`).FindString(line)
		}
	}
	for _, c := range []struct {
		method, path string
		status       int
	}{{"PUT", "/lake", 200}, {"PUT", "/lake/k", 200}, {"PUT", "/lake/k", 412}, {"GET", "/lake/k", 200}, {"GET", "/lake?acl", 501}} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, address+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.path == "/lake/k" && c.method == "PUT" {
			req.Header.Set("If-None-Match", "*")
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil || resp.StatusCode != c.status {
			t.Errorf("%s %s: %d, %v, want %d", c.method, c.path, resp.StatusCode, err, c.status)
		}
	}
	stop()
	var rest bytes.Buffer
	if _, err := rest.ReadFrom(lines); err != nil {
		t.Fatal(err)
	}
	if code := <-ended; code != exitInterrupted && code != exitOK {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"S3 served\n", "  PutObject                condition-failed              1\n", "billed 3 class A and 1 class B requests; 0 bytes written, 0 bytes read\n", "billed 0 read and 0 write request units\n"} {
		if !strings.Contains(rest.String(), want) {
			t.Errorf("no %q in:\n%s", want, rest.String())
		}
	}
}

func TestServeS3Flags(t *testing.T) {
	for _, args := range [][]string{
		{"--s3", "0.0.0.0:9000"}, {"--s3", "127.0.0.1:0", "--data-dir", "x"}, {"--s3", "127.0.0.1:0", "--listen-any"}, {"--s3", "127.0.0.1:x"},
	} {
		var stderr bytes.Buffer
		if code := run(t.Context(), append([]string{"serve"}, args...), strings.NewReader(""), io.Discard, &stderr); code != exitUsage || !strings.Contains(stderr.String(), "--s3") && !strings.Contains(stderr.String(), "--dynamodb") {
			t.Errorf("%v: exit code %d, %s", args, code, stderr.String())
		}
	}
}
