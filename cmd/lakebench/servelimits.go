package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
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
		failed <- server.Serve(newBoundedListener(l, s.connections))
	}()
	select {
	case err := <-failed:
		return usagef("serving on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.stop)
	defer cancel()
	if err := server.Shutdown(stop); err != nil {
		_ = server.Close() // who is still there has had his time
		return fmt.Errorf("stopping: requests still in flight after %v: %w", s.stop, err)
	}
	return nil
}

// boundedListener accepts as many connections as there are places.
type boundedListener struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	close  func() // closes closed, once
}

func newBoundedListener(l net.Listener, connections int) *boundedListener {
	closed := make(chan struct{})
	return &boundedListener{
		Listener: l, places: make(chan struct{}, connections),
		closed: closed, close: sync.OnceFunc(func() { close(closed) }),
	}
}

func (l *boundedListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed: // while all places are taken; a server that stops waits for this
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &boundedConn{Conn: c, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

func (l *boundedListener) Close() error {
	l.close()
	return l.Listener.Close()
}

type boundedConn struct {
	net.Conn
	leave func()
}

func (c *boundedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
