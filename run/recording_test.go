package run

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
)

// scripted is a store whose drains are given and whose other operations fail
// with err.
type scripted struct {
	store.MetaStore
	entries []store.Entry
	err     error // at the end of a drain
}

func (s scripted) Get(context.Context, string) ([]byte, error) {
	if s.err != nil {
		return nil, s.err
	}
	return []byte("v"), nil
}

func (s scripted) CAS(context.Context, string, store.Expectation, []byte) error { return s.err }

func (s scripted) Delete(context.Context, string, []byte) error { return s.err }

func (s scripted) GuardedMutate(context.Context, store.Guard, store.Mutation) error { return s.err }

func (s scripted) List(context.Context, string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for _, e := range s.entries {
			if !yield(e, nil) {
				return
			}
		}
		if s.err != nil {
			yield(store.Entry{}, s.err)
		}
	}
}

func (s scripted) ListFamily(ctx context.Context, _ string) iter.Seq2[store.Entry, error] {
	return s.List(ctx, "")
}

// recorded returns what the checker is told of what do does with a store.
func recorded(t *testing.T, s store.MetaStore, do func(ctx context.Context, s store.MetaStore)) []string {
	t.Helper()
	ctx := cause.WithActor(t.Context(), "a")
	r := checker.NewRecorder(ctx)
	do(ctx, Record(s, r, []string{"tbl/1", "tbl/2", "lease/1"}))
	h := r.History()
	if err := h.Validate(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, o := range h.Operations {
		lines = append(lines, o.String())
	}
	return lines
}

func drainAll(entries iter.Seq2[store.Entry, error]) {
	for _, err := range entries {
		_ = err // what it yields does not matter
	}
}

// A drain says of each key that it is about whether it was there; one that was
// broken off only of those that came.
func TestDrainsAreRecordedAsReads(t *testing.T) {
	one := []store.Entry{{Key: "tbl/1", Value: []byte("v")}}
	list := func(ctx context.Context, s store.MetaStore) { drainAll(s.List(ctx, "tbl/")) }
	there, absent, unseen := `a: get "tbl/1": ok, found "v"`, `a: get "tbl/2": not-found`, `a: get "tbl/2": refused`
	for name, test := range map[string]struct {
		store scripted
		Do    func(ctx context.Context, s store.MetaStore)
		want  []string
	}{
		"to its end": {scripted{entries: one}, list, []string{there, absent}},
		"fails":      {scripted{entries: one, err: errors.New("down")}, list, []string{there, unseen}},
		"given up": {scripted{entries: one}, func(ctx context.Context, s store.MetaStore) {
			for _, err := range s.List(ctx, "tbl/") {
				_ = err // one is enough
				break
			}
		}, []string{there, unseen}},
		"a family":  {scripted{entries: one}, func(ctx context.Context, s store.MetaStore) { drainAll(s.ListFamily(ctx, "tbl")) }, []string{there, absent}},
		"no prefix": {scripted{entries: one}, func(ctx context.Context, s store.MetaStore) { drainAll(s.List(ctx, "lease/")) }, []string{`a: get "lease/1": not-found`}},
		"not drawn": {scripted{entries: one}, func(ctx context.Context, s store.MetaStore) { _ = s.List(ctx, "tbl/") }, nil},
	} {
		if got := recorded(t, test.store, test.Do); fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%s: recorded %q, want %q", name, got, test.want)
		}
	}
}

// An operation of a node that crashed meanwhile has not returned, whatever its
// store makes of it.
func TestCrashedCallersAreToldNothing(t *testing.T) {
	_, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
		rules, err := fault.Parse("test", "on any nth 1 : crash-before")
		if err != nil {
			return err
		}
		ctx, done := fault.Node(ctx, "a")
		defer done()
		client := fault.New(ctx, rules, fault.DefaultConfig()).HTTPClient(nil)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://s3.invalid/b/k", nil)
		if err != nil {
			return err
		}
		r := checker.NewRecorder(ctx)
		s := Record(scripted{}, r, []string{"tbl/1"})
		_ = s.CAS(ctx, "k", store.Absent(), nil)
		if resp, err := client.Do(req); !errors.Is(err, fault.ErrCrashed) {
			_ = resp.Body.Close()
			t.Errorf("%v, want a crash", err)
		}
		_ = s.CAS(ctx, "k", store.Absent(), nil)
		_, _ = s.Get(ctx, "k")
		drainAll(s.List(ctx, "tbl/"))
		var got []string
		for _, o := range r.History().Operations {
			got = append(got, fmt.Sprintf("%s %s, returned: %v", o.Call.Kind, o.Answer.Outcome, o.Returned.Seq > 0))
		}
		want := []string{"cas ok, returned: true", "cas unknown, returned: false", "get refused, returned: false", "get refused, returned: false"}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("recorded %q, want %q", got, want)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// What a caller is told is definite only where the contract says so.
func TestAnswersAreRecorded(t *testing.T) {
	found := store.Found{Value: []byte("w"), Exists: true}
	conflict := &store.ConflictError{Found: found}
	for _, test := range []struct {
		err  error
		want string
	}{
		{nil, "ok"},
		{fmt.Errorf("x: %w", conflict), `conflict, found "w"`},
		{&store.ConflictError{}, "conflict"},
		{fmt.Errorf("x: %w", &store.GuardError{Found: found}), `guard, found "w"`},
		{fmt.Errorf("x: %w", store.ErrNotFound), "not-found"},
		{fmt.Errorf("x: %w", store.ErrContention), "refused"},
		{fmt.Errorf("x: %w", store.ErrInvalid), "refused"},
		{fmt.Errorf("x: %w", store.ErrWritesPaused), "refused"},
		{fmt.Errorf("x: %w", store.ErrMirrorConflict), "refused"},
		{fmt.Errorf("%w: %w", store.ErrUnknown, store.ErrWritesPaused), "unknown"},
		{fmt.Errorf("x: %w", store.ErrTooLarge), "refused"},
		{fmt.Errorf("%w: %w", store.ErrUnknown, conflict), "unknown"},
		{errors.New("a service's error"), "unknown"},
		{context.Canceled, "unknown"},
	} {
		if got := MutationAnswer(test.err).String(); got != test.want {
			t.Errorf("%v is recorded as %s, want %s", test.err, got, test.want)
		}
	}
	for err, want := range map[error]string{nil: `ok, found "v"`, store.ErrNotFound: "not-found", errors.New("down"): "refused"} {
		get := func(ctx context.Context, s store.MetaStore) { _, _ = s.Get(ctx, "k") }
		if got := recorded(t, scripted{err: err}, get); fmt.Sprint(got) != fmt.Sprintf("[a: get \"k\": %s]", want) {
			t.Errorf("a get that ends with %v is recorded as %q", err, got)
		}
	}
}

func TestCallsAreRecorded(t *testing.T) {
	got := recorded(t, scripted{}, func(ctx context.Context, s store.MetaStore) {
		_ = s.CAS(ctx, "k", store.Absent(), []byte("1"))
		_ = s.CAS(ctx, "k", store.Exactly(nil), []byte("2"))
		_ = s.Delete(ctx, "k", []byte("2"))
		g := store.Guard{Key: "g", Expect: store.Absent()}
		_ = s.GuardedMutate(ctx, g, store.Mutation{Key: "k", Next: []byte("3")})
		_ = s.GuardedMutate(ctx, g, store.Mutation{Key: "k", Expect: store.Exactly([]byte("3")), Delete: true})
	})
	want := []string{
		`a: cas "k" nothing → "1": ok`,
		`a: cas "k" "" → "2": ok`,
		`a: delete "k" "2": ok`,
		`a: guarded "k" nothing → "3" if "g" is nothing: ok`,
		`a: guarded "k" "3" → nothing if "g" is nothing: ok`,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
}
