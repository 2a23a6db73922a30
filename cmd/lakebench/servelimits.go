package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"
)

// serveLimits bound what clients can take of the process that serves them,
// whatever they send or fail to send.
type serveLimits struct {
	connections int           // open at a time; others wait to be accepted
	header      time.Duration // to send the header of a request
	request     time.Duration // to send all of it
	answer      time.Duration // to take the answer, from the end of the header on
	idle        time.Duration // between two requests of a connection
	headerBytes int
	stop        time.Duration // that requests in flight get when the service stops
}

func defaultServeLimits() serveLimits {
	return serveLimits{
		connections: 512,
		header:      10 * time.Second,
		request:     time.Minute,
		answer:      2 * time.Minute,
		idle:        5 * time.Minute,
		headerBytes: 64 << 10,
		stop:        5 * time.Second,
	}
}

// serve answers the requests that come in at l until ctx ends, and closes l. The
// requests in flight are answered still.
func (s serveLimits) serve(ctx context.Context, l net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: s.header,
		ReadTimeout:       s.request,
		WriteTimeout:      s.answer,
		IdleTimeout:       s.idle,
		MaxHeaderBytes:    s.headerBytes,
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	failed := make(chan error, 1)
	go func() {
		failed <- server.Serve(netutil.LimitListener(l, s.connections))
	}()
	select {
	case err := <-failed:
		return usagef("serving on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.stop)
	defer cancel()
	if err := server.Shutdown(stop); err != nil {
		_ = server.Close() // the time of the requests that are left is up
		return fmt.Errorf("stopping: requests still in flight after %v: %w", s.stop, err)
	}
	return nil
}
