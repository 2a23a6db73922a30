package meter

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
)

// breaking serves over a socket: the first reply ends, with its connection, after
// a number of bytes; every other one arrives whole.
func breaking(t *testing.T, reply string, after int) *httptest.Server {
	t.Helper()
	var broken atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if !broken.CompareAndSwap(false, true) {
			_, _ = io.WriteString(w, reply)
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		head := "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
		_, _ = io.WriteString(conn, (head + reply)[:after])
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// toEndpoint are the options of a client that m counts, and that leads to a server.
func toEndpoint(m *Meter, server *httptest.Server) dynamodb.Options {
	o := options(m, nil)
	o.BaseEndpoint = aws.String(server.URL)
	o.HTTPClient = m.HTTPClient(server.Client())
	return o
}

// A reply that ends before its head, in it or in its body is lost: an outcome of
// its own, with unreported units and its error in the trace. The SDK repeats it.
func TestLostReplies(t *testing.T) {
	const reply = `{"Item":{"pk":{"S":"k"}},"ConsumedCapacity":{"TableName":"t","CapacityUnits":2}}`
	for name, after := range map[string]int{"before the head": 0, "in the head": 20, "in the body": 60} {
		var records []TraceRecord
		m := newMeter(t, reportCapacity, traced(&records))
		if err := get(t.Context(), dynamodb.New(toEndpoint(m, breaking(t, reply, after)))); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := m.Ledger(PhaseSetup).Total()
		if want := (Outcomes{OK: 1, ReplyLost: 1}); got.Outcomes != want {
			t.Errorf("%s: outcomes %v, want %v", name, got.Outcomes, want)
		}
		if got.Attempts != 2 || got.Retries != 1 || got.Lost != 1 || got.Unreported != 1 || got.RRU != 2 {
			t.Errorf("%s: got %+v", name, got)
		}
		if err := m.Reconcile(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if records[0].Outcome != "reply-lost" || records[0].Error == "" || records[1].Error != "" {
			t.Errorf("%s: trace %+v", name, records)
		}
	}
}

// What was never sent, what took too long and what its caller gave up is not lost.
func TestNotLost(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	ctx, cancel := context.WithCancel(t.Context())
	givenUp := &sends{err: io.ErrUnexpectedEOF, before: cancel}
	timeout := &sends{err: timeoutError{errors.New("slow")}}
	for name, c := range map[string]struct {
		ctx    context.Context
		client aws.HTTPClient
		want   Outcome
	}{
		"no connection": {t.Context(), http.DefaultClient, Other},
		"given up":      {ctx, givenUp, Other},
		"timeout":       {t.Context(), timeout, Timeout},
	} {
		m := newMeter(t, reportCapacity)
		o := options(m, nil)
		o.BaseEndpoint, o.HTTPClient, o.RetryMaxAttempts = &closed.URL, m.HTTPClient(c.client), 1
		if err := get(c.ctx, dynamodb.New(o)); err == nil {
			t.Errorf("%s: no error", name)
		}
		if got := m.Ledger(PhaseSetup).Total(); got.Outcomes != one(c.want) || got.Lost != 0 {
			t.Errorf("%s: got %+v, want one %v", name, got, c.want)
		}
	}
}

// sends is a client that has a connection and ends with an answer or an error.
type sends struct {
	body   io.ReadCloser
	err    error
	before func()
	seen   http.Request
}

func (s *sends) Do(req *http.Request) (*http.Response, error) {
	s.seen = *req
	if s.before != nil {
		s.before()
	}
	httptrace.ContextClientTrace(req.Context()).GotConn(httptrace.GotConnInfo{})
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: s.body}, s.err
}

// do sends one request of an API through a meter's client.
func do(t *testing.T, m *Meter, inner aws.HTTPClient, serviceID, api string) (*http.Response, *attempt, error) {
	t.Helper()
	c := &call{m: m}
	c.begin(t.Context(), serviceID, api, nil)
	a := c.attempt(t.Context())
	req, err := http.NewRequestWithContext(a, http.MethodPost, "http://endpoint.invalid", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := m.HTTPClient(inner).Do(req)
	return resp, a, err
}

// The SDK gets a reply that nothing can happen to any more, and net/http a body
// that cannot fail by being closed (see overSocket).
func TestRepliesAreReadWhole(t *testing.T) {
	body := &closing{Reader: strings.NewReader("answer")}
	inner := &sends{body: body}
	resp, _, err := do(t, newMeter(t, reportCapacity), inner, "DynamoDB", "Query")
	if err != nil {
		t.Fatal(err)
	}
	if !body.closed || body.Len() != 0 {
		t.Errorf("closed: %v, %d bytes left", body.closed, body.Len())
	}
	defer func() { _ = resp.Body.Close() }() // it is in memory
	if got, err := io.ReadAll(resp.Body); string(got) != "answer" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, writes := inner.seen.Body.(io.WriterTo); writes {
		t.Errorf("net/http sees a body of type %T, which has WriteTo", inner.seen.Body)
	}
}

type closing struct {
	*strings.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

// A reply longer than any of DynamoDB's does not fill the memory.
func TestRepliesAreBounded(t *testing.T) {
	endless := &zeros{}
	resp, _, err := do(t, newMeter(t, reportCapacity), &sends{body: endless}, "DynamoDB", "Query")
	if resp != nil {
		defer func() { _ = resp.Body.Close() }() // there should be none
	}
	var lost *ReplyLostError
	if !errors.As(err, &lost) || lost.Status != 200 || !errors.Is(err, errReplyTooLong) {
		t.Errorf("got %v", err)
	}
	if most := int64(maxReply) + 1<<10; endless.read > most {
		t.Errorf("%d bytes read, want at most %d", endless.read, most)
	}
}

type zeros struct{ read int64 }

func (z *zeros) Read(p []byte) (int, error) { z.read += int64(len(p)); return len(p), nil }

func (*zeros) Close() error { return nil }

// The body of an S3 object is handed on as a stream. If it breaks off, the attempt
// is booked as lost after all.
func TestLostObjects(t *testing.T) {
	for _, after := range []int{45, 55} { // in the body
		m := newMeter(t, reportCapacity)
		server := breaking(t, "an object's bytes", after)
		client := awss3.New(awss3.Options{
			Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""),
			BaseEndpoint: aws.String(server.URL), UsePathStyle: true,
			HTTPClient: m.HTTPClient(server.Client()), APIOptions: m.APIOptions(),
		})
		for _, want := range []Counts{
			{Flow: Flow{Calls: 1, Attempts: 1, Lost: 1}, Outcomes: Outcomes{ReplyLost: 1}},
			{Flow: Flow{Calls: 2, Attempts: 2, Lost: 1}, Outcomes: Outcomes{OK: 1, ReplyLost: 1}},
		} {
			out, err := client.GetObject(t.Context(), &awss3.GetObjectInput{Bucket: aws.String("b"), Key: aws.String("k")})
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.ReadAll(out.Body)
			if (err != nil) != (want.Calls == 1) {
				t.Errorf("reading gave %v", err)
			}
			_, _ = out.Body.Read(make([]byte, 1)) // fails again, counts no more
			_ = out.Body.Close()
			got := m.Ledger(PhaseSetup).Total()
			if got.Flow != want.Flow || got.Outcomes != want.Outcomes {
				t.Errorf("got %+v, want %+v", got, want)
			}
		}
		if err := m.Reconcile(); err != nil {
			t.Error(err)
		}
	}
}

// injectedLossError is what an injected fault returns for a reply.
type injectedLossError struct{ error }

func (injectedLossError) ReplyLost() bool { return true }

func (injectedLossError) Injected() bool { return true }

// A reply that a fault took is lost like any other, but says nothing against the
// network.
func TestInjectedLosses(t *testing.T) {
	m := newMeter(t)
	c, _ := newClient(m, fakeAnswer{after: injectedLossError{io.ErrUnexpectedEOF}})
	if err := get(t.Context(), c); err == nil {
		t.Fatal("no error")
	}
	got := m.Ledger(PhaseSetup).Total()
	if got.Outcomes[ReplyLost] == 0 || got.Lost != 0 {
		t.Errorf("got %+v", got)
	}
}
