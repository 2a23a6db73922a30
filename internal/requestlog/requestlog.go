// Package requestlog is for tests that say, in a file for people, what a client
// asks of a service: a log of its calls, and the golden file that the log is
// compared with.
package requestlog

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"
)

// A Log holds what was asked and answered. The zero value is empty.
type Log struct {
	mu       sync.Mutex // never held over a request
	lines    []string
	attempts int
	numbers  map[string]int
}

// Note writes down one call: what was asked, how often, and the answer.
func (l *Log) Note(request, answer string, attempts int) {
	if attempts > 1 {
		answer += fmt.Sprintf(" (%d attempts)", attempts)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, request+" -> "+answer)
	l.attempts += attempts
}

// Take returns what was noted since the last Take, one or more lines a call, and
// the number of attempts.
func (l *Log) Take() (lines []string, attempts int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines, attempts = l.lines, l.attempts
	l.lines, l.attempts = nil, 0
	return lines, attempts
}

// Number numbers ids as they appear, from 1, so that a log shows which requests
// share one and is the same whatever the ids are.
func (l *Log) Number(id string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.numbers == nil {
		l.numbers = make(map[string]int)
	}
	if l.numbers[id] == 0 {
		l.numbers[id] = len(l.numbers) + 1
	}
	return l.numbers[id]
}

// Counting returns the retryer of a call's options, counting the attempts of the
// call in n, for transports that ask it.
func Counting(r aws.Retryer, n *int) aws.Retryer {
	inner, ok := r.(aws.RetryerV2)
	if !ok {
		return r
	}
	return counter{inner, n}
}

type counter struct {
	aws.RetryerV2
	n *int
}

func (c counter) GetAttemptToken(ctx context.Context) (func(error) error, error) {
	release, err := c.RetryerV2.GetAttemptToken(ctx)
	if err == nil {
		*c.n++
	}
	return release, err
}

// Golden compares a log with the file that holds it, or writes the file.
func Golden(t *testing.T, file, log string, rewrite bool) {
	t.Helper()
	if rewrite {
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(log), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(log, "\n")); diff != "" {
		t.Errorf("other requests than %s has (-file +now); if that is meant, run with -rewrite and read the diff:\n%s", file, diff)
	}
}
