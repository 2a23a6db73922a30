package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/location"
)

// serving runs lakebench serve until the test ends and returns its address.
func serving(t *testing.T) string {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--dynamodb", "127.0.0.1:0"}, strings.NewReader(""), in, io.Discard)
		_ = in.Close()
	}()
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return regexp.MustCompile(`http://\S+`).FindString(line)
}

// measured runs a small catalog refresh with more arguments, and returns the
// result. It is one of a single point, which has no pictures: they take their time.
func measured(t *testing.T, args ...string) results.Named {
	t.Helper()
	dir := t.TempDir()
	args = append([]string{"run", "--workload", "catalog-refresh", "--set", "tables=30", "--set", "history_records=50", "--set", "page_limit=10",
		"--set", "refreshes=10", "--repeats", "2", "--out", dir}, args...)
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr); code != 0 {
		t.Errorf("%v: exit code %d\n%s%s", args, code, stdout.String(), stderr.String())
		return results.Named{}
	}
	all, err := location.Sources{}.Load(t.Context(), dir)
	if err != nil || len(all) != 1 {
		t.Fatalf("%s: %d results, %v", dir, len(all), err)
	}
	return all[0]
}

// The parts of four workers on one server, which start together on tables that one
// of them makes, put together are the run of one: every operation, request and
// unit, retries apart (docs/spec/results.md §6). That this holds of every workload is
// shown in package workloads.
func TestFourWorkersAreOneRun(t *testing.T) {
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	address := serving(t)
	endpoint := []string{"--backend", "endpoint", "--dynamodb-endpoint", address}
	one := measured(t, endpoint...)
	parts := make([]results.Named, 4)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			parts[i] = measured(t, append([]string{"--worker", fmt.Sprintf("%d/4", i+1), "--start", "together"}, endpoint...)...)
		}()
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	merged, err := results.Merge("merged", parts...)
	if err != nil {
		t.Fatal(err)
	}
	if merged.Partial {
		t.Errorf("the whole is partial: %q", merged.Warnings)
	}
	if d := cmp.Diff(resultstest.Counts(&one.Document), resultstest.Counts(&merged)); d != "" {
		t.Errorf("(-one worker +four workers):\n%s", d)
	}
	for _, p := range parts {
		for i := range p.Document.Series {
			if s := &p.Document.Series[i]; s.Phase == results.Steady && (s.OperationCount() < 2 || s.OperationCount() > 3) {
				t.Errorf("%s has %d of 10 operations, expected a quarter", filepath.Base(p.Name), s.OperationCount())
			}
		}
	}
	// The tables are gone: the name is free for other workers to start under.
	measured(t, append([]string{"--worker", "1/1", "--start", "together"}, endpoint...)...)
}

// A pod of an Indexed Job is the worker that Kubernetes says, from 0.
func TestWorkerOfAJob(t *testing.T) {
	for _, c := range []struct{ index, text, want string }{
		{"0", "job/4", "1/4"}, {"3", "job/4", "4/4"}, {"3", "2/4", "2/4"}, {"", "job/4", ""}, {"x", "job/4", ""},
	} {
		t.Setenv(indexVariable, c.index)
		got, err := jobWorker(c.text)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s with index %q: %q, %v, want %q", c.text, c.index, got, err, c.want)
		}
	}
}
