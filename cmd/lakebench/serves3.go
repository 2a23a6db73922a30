package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/lakebench/lakebench/backend/s3"
)

// serveAll serves each until ctx ends, or until one of them fails.
func serveAll(ctx context.Context, services ...func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, len(services))
	for _, serve := range services {
		go func() { ended <- serve(ctx) }()
	}
	var all error
	for range services {
		if err := <-ended; err != nil {
			all = errors.Join(all, err)
			cancel()
		}
	}
	return all
}

// linesWriter lets several services write, one text at a time.
type linesWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *linesWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

func (o *serveOptions) serveS3(ctx context.Context, out io.Writer) error {
	service, err := s3.New(s3.DefaultConfig())
	if err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.s3)
	if err != nil {
		return usagef("--s3: %w", err)
	}
	fmt.Fprintf(out, "S3 on http://%s (interrupt to stop)\n", l.Addr())
	if err := o.limits.serve(ctx, l, service.HTTPHandler()); err != nil {
		return err
	}
	fmt.Fprint(out, s3Totals(service.Totals()))
	return nil
}

// s3Totals says what was requested of the service, and what that is billed.
func s3Totals(t s3.Totals) string {
	kinds := slices.SortedFunc(maps.Keys(t.Requests), func(a, b s3.Request) int {
		return cmp.Or(cmp.Compare(a.API, b.API), cmp.Compare(a.Outcome, b.Outcome))
	})
	var text strings.Builder
	fmt.Fprintln(&text, "S3 served")
	for _, k := range kinds {
		fmt.Fprintf(&text, "  %-24s %-18s %12d\n", k.API, k.Outcome, t.Requests[k])
	}
	fmt.Fprintf(&text, "billed %d class A and %d class B requests; %d bytes written, %d bytes read\n", t.ClassA, t.ClassB, t.WrittenBytes, t.ReadBytes)
	return text.String()
}
