package meter

import (
	"context"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
)

// APIOptions returns the two counting points above the HTTP client, for the
// APIOptions of a client: one where a call begins, before its input is checked,
// and one inside the retry loop, where the answer of each attempt is seen with
// its type (docs/facts/s3.md §3.7 has the order of the steps).
//
// The SDK puts a stack together for each call, so the two can be one value that
// belongs to the call.
func (m *Meter) APIOptions() []func(*middleware.Stack) error {
	return []func(*middleware.Stack) error{func(s *middleware.Stack) error {
		c := &call{m: m}
		if err := s.Initialize.Add((*callMiddleware)(c), middleware.Before); err != nil {
			return err
		}
		return s.Finalize.Insert((*attemptMiddleware)(c), "Retry", middleware.After)
	}}
}

type callMiddleware call

func (*callMiddleware) ID() string { return "lakebench:MeterCall" }

func (w *callMiddleware) HandleInitialize(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	out middleware.InitializeOutput, metadata middleware.Metadata, err error,
) {
	c := (*call)(w)
	in.Parameters = c.begin(ctx, awsmiddleware.GetServiceID(ctx), awsmiddleware.GetOperationName(ctx), in.Parameters)
	out, metadata, err = next.HandleInitialize(ctx, in)
	c.end(err)
	return out, metadata, err
}

type attemptMiddleware call

func (*attemptMiddleware) ID() string { return "lakebench:MeterAttempt" }

func (w *attemptMiddleware) HandleFinalize(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
	out middleware.FinalizeOutput, metadata middleware.Metadata, err error,
) {
	a := (*call)(w).attempt(ctx)
	out, metadata, err = next.HandleFinalize(a, in)
	a.end(out.Result, err)
	return out, metadata, err
}

// HTTPClient returns the counting point below the retry loop: a client that
// counts what it hands to inner, and that loses no reply which arrived. A request
// whose context is already done is not handed on.
func (m *Meter) HTTPClient(inner aws.HTTPClient) aws.HTTPClient {
	return &httpClient{m, inner}
}

type httpClient struct {
	m     *Meter
	inner aws.HTTPClient
}

func (h *httpClient) Do(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	a := attemptFrom(ctx)
	if a == nil {
		h.m.stray(ctx, req)
		return h.inner.Do(req)
	}
	a.send()
	var resp *http.Response
	var err error
	if h.m.cfg.ReportCapacity { // a service on an endpoint
		resp, err = h.overSocket(a, req)
	} else {
		resp, err = h.inner.Do(req)
	}
	if err == nil && a.streams(resp) {
		a.watchStream(ctx, resp)
	}
	return resp, err
}

// stray counts a request of a client that has the meter's HTTPClient but not its
// APIOptions. No call is counted for it, so Reconcile will tell.
func (m *Meter) stray(ctx context.Context, req *http.Request) {
	_, api, found := strings.Cut(req.Header.Get("X-Amz-Target"), ".")
	if !found {
		api = req.Method
	}
	c := m.cell(ctx, "unmetered", api)
	c.mu.Lock()
	c.Attempts++
	c.mu.Unlock()
}
