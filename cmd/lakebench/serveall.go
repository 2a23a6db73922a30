package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// listen opens the address given by a flag and prints it.
func listen(ctx context.Context, out io.Writer, what, flag, address string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, usagef("%s: %w", flag, err)
	}
	fmt.Fprintf(out, "%s on http://%s (interrupt to stop)\n", what, l.Addr())
	return l, nil
}

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
