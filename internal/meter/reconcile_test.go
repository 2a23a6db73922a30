package meter

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/cause"
)

// One of everything that can happen to a request.
func TestCountingPoints(t *testing.T) {
	m := newMeter(t)
	steady := cause.With(InPhase(t.Context(), PhaseSteady), cause.Point)

	do := func(ctx context.Context, wantError bool, call func(context.Context, *dynamodb.Client) error, answers ...fakeAnswer) {
		t.Helper()
		c, _ := newClient(m, answers...)
		if err := call(ctx, c); (err != nil) != wantError {
			t.Errorf("error %v", err)
		}
	}
	do(steady, false, get, answerItem)
	do(steady, false, get, answerEmpty)
	do(steady, false, get, answerFault, answerFault, answerItem)
	do(steady, true, get, answerFault) // three attempts
	do(steady, true, get, fakeAnswer{after: io.ErrUnexpectedEOF})
	do(cause.With(InPhase(t.Context(), PhaseSteady), cause.Mutate), true, put, refusal("ConditionalCheckFailedException"))
	// Refused by the SDK: no table.
	do(steady, true, func(ctx context.Context, c *dynamodb.Client) error {
		_, err := c.GetItem(ctx, &dynamodb.GetItemInput{})
		return err
	})
	// Cancelled before the first attempt.
	cancelled, cancel := context.WithCancel(steady)
	cancel()
	do(cancelled, true, get)
	// Nobody said in which phase, nor why.
	do(t.Context(), false, put)

	if err := m.Reconcile(); err != nil {
		t.Error(err)
	}
	if got, want := m.Phases(), []string{PhaseSetup, PhaseSteady}; !cmp.Equal(got, want) {
		t.Errorf("phases %v", got)
	}
	want := []Row{
		{Key{"dynamodb", "GetItem", cause.Point}, Counts{
			// 1 + 1 + 3 + 3 + 3 attempts of 5 calls, and 2 calls unsent.
			Flow:     Flow{Calls: 7, Retries: 6, Unsent: 2, Attempts: 11, Served: 11},
			Outcomes: Outcomes{OK: 2, Absent: 1, ServerError: 5, Other: 3},
		}},
		{Key{"dynamodb", "PutItem", cause.Mutate}, Counts{
			Flow:     Flow{Calls: 1, Attempts: 1, Served: 1},
			Outcomes: Outcomes{ConditionFailed: 1},
		}},
	}
	if diff := cmp.Diff(want, m.Ledger(PhaseSteady).Rows); diff != "" {
		t.Errorf("steady (-want +got):\n%s", diff)
	}
	want = []Row{{Key{"dynamodb", "PutItem", cause.None}, Counts{
		Flow:     Flow{Calls: 1, Attempts: 1, Served: 1},
		Outcomes: Outcomes{OK: 1},
	}}}
	if diff := cmp.Diff(want, m.Ledger(PhaseSetup).Rows); diff != "" {
		t.Errorf("setup (-want +got):\n%s", diff)
	}
}

// A retry that dies between the retry loop and the HTTP client was never sent.
func TestUnsentRetry(t *testing.T) {
	m := newMeter(t)
	s := &fakeService{served: m.Served, answers: []fakeAnswer{answerFault}}
	o := options(m, s)
	signed := 0
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		return stack.Finalize.Insert(middleware.FinalizeMiddlewareFunc("expiring", func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
			if signed++; signed == 2 {
				return middleware.FinalizeOutput{}, middleware.Metadata{}, errors.New("credentials have expired")
			}
			return next.HandleFinalize(ctx, in)
		}), "Signing", middleware.Before)
	})
	if err := get(t.Context(), dynamodb.New(o)); err == nil {
		t.Fatal("no error")
	}
	if got, want := m.Ledger(PhaseSetup).Total().Flow, (Flow{Calls: 1, Retries: 1, Unsent: 1, Attempts: 1, Served: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if err := m.Reconcile(); err != nil {
		t.Error(err)
	}
}

// The request of a context that ended in the SDK, after the retry loop looked,
// is not handed on: the service behind the client may or may not serve it.
func TestCancelledBeforeTheWire(t *testing.T) {
	m := newMeter(t)
	s := &fakeService{served: m.Served}
	o := options(m, s)
	why := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		return stack.Finalize.Insert(middleware.FinalizeMiddlewareFunc("late", func(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
			cancel(why)
			return next.HandleFinalize(ctx, in)
		}), "Signing", middleware.After)
	})
	if err := get(ctx, dynamodb.New(o)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got, want := m.Ledger(PhaseSetup).Total().Flow, (Flow{Calls: 1, Unsent: 1}); got != want || len(s.bodies) != 0 {
		t.Errorf("got %+v, want %+v, %d requests", got, want, len(s.bodies))
	}
	if err := m.Reconcile(); err != nil {
		t.Error(err)
	}
}

// wantDisagreements checks that Reconcile finds exactly these checks broken.
func wantDisagreements(t *testing.T, what string, err error, want ...Check) {
	t.Helper()
	var e *ReconcileError
	if !errors.As(err, &e) {
		t.Errorf("%s: got %v, want a *ReconcileError", what, err)
		return
	}
	var got []Check
	for _, d := range e.Disagreements {
		got = append(got, d.Check)
	}
	if !cmp.Equal(got, want) {
		t.Errorf("%s: got %v, want %v (%v)", what, got, want, err)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: more than one line: %v", what, err)
	}
}

// Each way to put a client together wrongly leaves one counting point out.
func TestReconcileFindsAnUnmeteredClient(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(m *Meter, s *fakeService, o *dynamodb.Options)
		want   []Check
	}{
		{"a client without the middleware", func(_ *Meter, _ *fakeService, o *dynamodb.Options) {
			o.APIOptions = nil
		}, []Check{CheckServed, CheckSent, CheckClassified, CheckServed}},
		{"a client without the HTTP client", func(_ *Meter, s *fakeService, o *dynamodb.Options) {
			o.HTTPClient = s
		}, []Check{CheckSent, CheckServed}},
		{"the same, refused by the service", func(_ *Meter, s *fakeService, o *dynamodb.Options) {
			o.HTTPClient = s
			s.answers = []fakeAnswer{refusal("ValidationException")}
		}, []Check{CheckSent, CheckServed}},
		{"an answer that never was on the wire", func(_ *Meter, _ *fakeService, o *dynamodb.Options) {
			o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
				return stack.Serialize.Add(middleware.SerializeMiddlewareFunc("cache", func(context.Context, middleware.SerializeInput, middleware.SerializeHandler) (middleware.SerializeOutput, middleware.Metadata, error) {
					return middleware.SerializeOutput{Result: &dynamodb.GetItemOutput{}}, middleware.Metadata{}, nil
				}), middleware.Before)
			})
		}, []Check{CheckSent}},
		{"a service that reports nothing", func(_ *Meter, s *fakeService, _ *dynamodb.Options) {
			s.served = nil
		}, []Check{CheckServed}},
		{"a service that reports to another meter", func(_ *Meter, s *fakeService, _ *dynamodb.Options) {
			s.served = newMeter(t).Served
		}, []Check{CheckServed}},
		{"a request sent again below the meter", func(m *Meter, s *fakeService, o *dynamodb.Options) {
			o.HTTPClient = m.HTTPClient(twice{s})
		}, []Check{CheckServed}},
		{"a request sent again above the meter", func(m *Meter, s *fakeService, o *dynamodb.Options) {
			o.HTTPClient = twice{m.HTTPClient(s)}
		}, []Check{CheckSent, CheckClassified}},
	} {
		m := newMeter(t)
		s := &fakeService{served: m.Served, answers: []fakeAnswer{answerItem}}
		o := options(m, s)
		c.change(m, s, &o)
		_ = get(InPhase(t.Context(), PhaseSteady), dynamodb.New(o))
		wantDisagreements(t, c.what, m.Reconcile(), c.want...)
	}
}

type twice struct {
	inner interface {
		Do(*http.Request) (*http.Response, error)
	}
}

func (c twice) Do(req *http.Request) (*http.Response, error) {
	first := req.Clone(req.Context())
	first.Body = http.NoBody
	if _, err := c.inner.Do(first); err != nil {
		return nil, err
	}
	return c.inner.Do(req)
}

// Every single count matters: one more or less of any is found, and named.
func TestReconcileFindsOneLostCount(t *testing.T) {
	m := newMeter(t)
	c, _ := newClient(m, answerFault, answerItem)
	ctx := InPhase(t.Context(), PhaseSteady)
	if err := m.Operation(ctx, "read", time.Time{}, func(ctx context.Context) error { return get(ctx, c) }); err != nil {
		t.Fatal(err)
	}
	for what, mutant := range map[string]struct {
		lose func(l *Ledger, n int64)
		want []Check
	}{
		"call":      {func(l *Ledger, n int64) { l.Rows[0].Calls += n }, []Check{CheckSent}},
		"retry":     {func(l *Ledger, n int64) { l.Rows[0].Retries += n }, []Check{CheckSent}},
		"unsent":    {func(l *Ledger, n int64) { l.Rows[0].Unsent += n }, []Check{CheckSent}},
		"attempt":   {func(l *Ledger, n int64) { l.Rows[0].Attempts += n }, []Check{CheckSent, CheckClassified, CheckServed}},
		"served":    {func(l *Ledger, n int64) { l.Rows[0].Served += n }, []Check{CheckServed}},
		"outcome":   {func(l *Ledger, n int64) { l.Rows[0].Outcomes[OK] += n }, []Check{CheckClassified}},
		"operation": {func(l *Ledger, n int64) { l.Operations[0].OK += n }, []Check{CheckTimed, CheckTimed}},
	} {
		for _, n := range []int64{-1, 1} {
			l := m.Ledger(PhaseSteady)
			mutant.lose(&l, n)
			wantDisagreements(t, what, &ReconcileError{l.Reconcile()}, mutant.want...)
		}
	}
	l := m.Ledger(PhaseSteady)
	l.Operations[0].Response.HDR.Reset()
	wantDisagreements(t, "time", &ReconcileError{l.Reconcile()}, CheckTimed)
	if err := m.Reconcile(); err != nil {
		t.Errorf("the ledgers themselves changed: %v", err)
	}
}

// What is too much in one API, phase or cause must not make up for what is
// missing in another.
func TestReconcileDoesNotMixRows(t *testing.T) {
	m := newMeter(t)
	c, s := newClient(m, answerEmpty)
	inner := s.served
	s.served = func(_ context.Context, served Served) { // a service that loses the context
		inner(cause.With(context.Background(), cause.Setup), served)
	}
	if err := get(cause.With(t.Context(), cause.Point), c); err != nil {
		t.Fatal(err)
	}
	wantDisagreements(t, "causes", m.Reconcile(), CheckServed, CheckServed)

	m = newMeter(t)
	c, _ = newClient(m, answerEmpty)
	for _, call := range []func(context.Context, *dynamodb.Client) error{get, put} {
		if err := call(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	l := m.Ledger(PhaseSetup)
	l.Rows[0].Served++
	l.Rows[1].Served--
	wantDisagreements(t, "APIs", &ReconcileError{l.Reconcile()}, CheckServed, CheckServed)
}

func TestReconcileErrorText(t *testing.T) {
	m := newMeter(t)
	c, s := newClient(m, answerItem)
	s.served = nil
	for _, phase := range []string{"a", "b", "c", "d", "e", "f"} {
		if err := get(InPhase(t.Context(), phase), c); err != nil {
			t.Fatal(err)
		}
	}
	want := "the ledgers disagree: a dynamodb GetItem (cause none): 1 attempts, but 0 served; b dynamodb GetItem (cause none): 1 attempts, but 0 served; " +
		"c dynamodb GetItem (cause none): 1 attempts, but 0 served; d dynamodb GetItem (cause none): 1 attempts, but 0 served; and 2 more"
	if err := m.Reconcile(); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// A call belongs to the phase in which it was made, at every counting point.
func TestPhaseChangesWhileACallIsUnderWay(t *testing.T) {
	m := newMeter(t)
	c, s := newClient(m, answerItem)
	phase := PhaseWarmUp
	inner := s.served
	s.served = func(ctx context.Context, served Served) {
		phase = PhaseSteady // somebody moves on meanwhile
		inner(ctx, served)
	}
	if err := get(InPhase(t.Context(), phase), c); err != nil {
		t.Fatal(err)
	}
	if got := m.Phases(); !cmp.Equal(got, []string{PhaseWarmUp}) {
		t.Errorf("phases %v", got)
	}
	if err := m.Reconcile(); err != nil {
		t.Error(err)
	}
}

func TestManyTasksCountExactly(t *testing.T) {
	m := newMeter(t)
	c, _ := newClient(m, answerItem)
	const tasks, calls = 8, 50
	var wg sync.WaitGroup
	for range tasks {
		wg.Go(func() {
			for i := range calls {
				ctx := InPhase(t.Context(), []string{PhaseWarmUp, PhaseSteady}[i%2])
				if err := m.Operation(ctx, "read", time.Time{}, func(ctx context.Context) error { return get(ctx, c) }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if err := m.Reconcile(); err != nil {
		t.Error(err)
	}
	for _, phase := range m.Phases() {
		l := m.Ledger(phase)
		if n := l.Total().Attempts; n != tasks*calls/2 || l.Operations[0].OK != n {
			t.Errorf("%s: %d attempts, %d operations", phase, n, l.Operations[0].OK)
		}
	}
}
