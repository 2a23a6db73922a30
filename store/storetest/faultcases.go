package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/store"
)

// unanswered are the ways in which an attempt gets no answer, and whether the
// service acts.
var unanswered = []struct {
	name  string
	fault Fault
	acts  bool
}{
	{"lost reply", LostReply, true},
	{"cut reply", CutReply, true},
	{"fails after", FailsAfter, true},
	{"never arrives", NeverArrives, false},
	{"fails before", FailsBefore, false},
	{"unavailable", Unavailable, false},
}

// A mutation is one call of the contract on the key "tbl/a".
type mutation struct {
	name   string
	before *string // what the key holds; nil: nothing
	after  *string
	do     func(ctx context.Context, s store.MetaStore) error
}

const target, lease = "tbl/a", "lease/a"

// singles are the mutations that v1 and v2 send as one conditional write.
func singles() []mutation {
	return []mutation{
		{"create", nil, ptr("new"), func(ctx context.Context, s store.MetaStore) error {
			return s.CAS(ctx, target, store.Absent(), []byte("new"))
		}},
		{"replace", ptr("old"), ptr("new"), func(ctx context.Context, s store.MetaStore) error {
			return s.CAS(ctx, target, store.Exactly([]byte("old")), []byte("new"))
		}},
		{"delete", ptr("old"), nil, func(ctx context.Context, s store.MetaStore) error {
			return s.Delete(ctx, target, []byte("old"))
		}},
	}
}

// guardedReplace replaces "old" by "new" under a lease that is held.
func guardedReplace(ctx context.Context, s store.MetaStore) error {
	return s.GuardedMutate(ctx, store.Guard{Key: lease, Expect: store.Exactly([]byte("held"))},
		store.Mutation{Key: target, Expect: store.Exactly([]byte("old")), Next: []byte("new")})
}

func testFaults(t *testing.T, open func(t *testing.T) Fixture) {
	if open(t).Faults == nil {
		t.Skip("requests to this service cannot be made to fail")
	}
	for _, m := range singles() {
		t.Run(m.name, func(t *testing.T) { testSingleFaults(t, open, m) })
	}
	t.Run("guarded", func(t *testing.T) {
		testTransactionUnanswered(t, open)
		testTransactionToken(t, open)
		testTransactionReasons(t, open)
	})
	t.Run("reads", func(t *testing.T) { testReadFaults(t, open(t)) })
}

// testSingleFaults: a conditional write is never sent again after an attempt
// without an answer (spec §6, hazard 5), and refusals for contention are no failed
// conditions (hazard 6).
func testSingleFaults(t *testing.T, open func(t *testing.T) Fixture, m mutation) {
	api := "PutItem"
	if m.after == nil {
		api = "DeleteItem"
	}
	throttle, conflict := Refused("ThrottlingException"), Refused("TransactionConflictException")
	try := func(name string, wantSent int, want error, holds *string, faults ...Fault) {
		t.Run(name, func(t *testing.T) {
			f := prepared(t, open, m.before)
			f.Faults.Next(api, faults...)
			wantOutcome(t, m.do(context.Background(), f.Store), want)
			if sent := len(f.Faults.Sent(api)); wantSent > 0 && sent != wantSent {
				t.Errorf("%d requests sent, want %d", sent, wantSent)
			}
			wantHeld(t, f.Peer, target, holds)
		})
	}
	for _, u := range unanswered {
		holds := m.before
		if u.acts {
			holds = m.after
		}
		try(u.name, 1, store.ErrUnknown, holds, u.fault)
		try("throttled, then "+u.name, 2, store.ErrUnknown, holds, throttle, u.fault)
		try("conflict, then "+u.name, 2, store.ErrUnknown, holds, conflict, u.fault)
	}
	try("throttled twice", 3, nil, m.after, throttle, throttle)
	try("over capacity", 2, nil, m.after, Refused("ProvisionedThroughputExceededException"))
	try("over the account's limit", 2, nil, m.after, Refused("RequestLimitExceeded"))
	try("conflict twice", 3, nil, m.after, conflict, conflict)
	try("throttled on and on", Attempts, store.ErrContention, m.before, repeat(throttle)...)
	try("conflict on and on", 0, store.ErrContention, m.before, repeat(conflict)...)
	try("refused otherwise", 1, errService, m.before, Refused("ValidationException"))

	t.Run("never arrives while another writes the same", func(t *testing.T) {
		f := prepared(t, open, m.before)
		f.Faults.Next(api, After(NeverArrives, func() {
			if err := m.do(context.Background(), f.Peer); err != nil {
				t.Errorf("the other writer: %v", err)
			}
		}))
		wantOutcome(t, m.do(context.Background(), f.Store), store.ErrUnknown)
	})
}

// testTransactionUnanswered: a transaction is sent again under its token, and only
// a success settles it.
func testTransactionUnanswered(t *testing.T, open func(t *testing.T) Fixture) {
	for _, u := range unanswered {
		t.Run(u.name+", then through", func(t *testing.T) {
			f := prepared(t, open, ptr("old"))
			f.Faults.Next(transact, u.fault)
			wantOutcome(t, guardedReplace(context.Background(), f.Store), nil)
			wantOneToken(t, f.Faults, 2)
			wantHeld(t, f.Peer, target, ptr("new"))
		})
		t.Run(u.name+" on and on", func(t *testing.T) {
			f := prepared(t, open, ptr("old"))
			f.Faults.Next(transact, repeat(u.fault)...)
			wantOutcome(t, guardedReplace(context.Background(), f.Store), store.ErrUnknown)
			wantOneToken(t, f.Faults, Attempts)
		})
		t.Run(u.name+", then refused", func(t *testing.T) {
			f := prepared(t, open, ptr("old"))
			f.Faults.Next(transact, u.fault, Cancelled("None", "ConditionalCheckFailed"))
			wantOutcome(t, guardedReplace(context.Background(), f.Store), store.ErrUnknown)
			wantOneToken(t, f.Faults, 2)
		})
		t.Run(u.name+", then contention, then through", func(t *testing.T) {
			f := prepared(t, open, ptr("old"))
			f.Faults.Next(transact, u.fault, Cancelled("TransactionConflict", "None"), Refused("TransactionInProgressException"))
			wantOutcome(t, guardedReplace(context.Background(), f.Store), nil)
			wantOneToken(t, f.Faults, 4)
			wantHeld(t, f.Peer, target, ptr("new"))
		})
		t.Run(u.name+", then contention on and on", func(t *testing.T) {
			f := prepared(t, open, ptr("old"))
			f.Faults.Next(transact, append([]Fault{u.fault}, repeat(Cancelled("None", "TransactionConflict"))...)...)
			wantOutcome(t, guardedReplace(context.Background(), f.Store), store.ErrUnknown)
			wantOneToken(t, f.Faults, 0)
		})
	}
	for what, key := range map[string]string{"target": target, "guard": lease} {
		t.Run("never arrives while another changes the "+what, func(t *testing.T) {
			f := prepared(t, open, ptr("old"))
			f.Faults.Next(transact, After(NeverArrives, func() { put(t, f.Peer, key, []byte("theirs")) }))
			wantOutcome(t, guardedReplace(context.Background(), f.Store), store.ErrUnknown)
			wantHeld(t, f.Peer, key, ptr("theirs"))
		})
	}
}

// testTransactionToken: a repeated transaction is applied once (spec §6, hazard
// 14), however others change its target meanwhile.
func testTransactionToken(t *testing.T, open func(t *testing.T) Fixture) {
	t.Run("lost reply, undone by another", func(t *testing.T) {
		f := prepared(t, open, ptr("old"))
		f.Faults.Next(transact, After(LostReply, func() { put(t, f.Peer, target, []byte("old")) }))
		wantOutcome(t, guardedReplace(context.Background(), f.Store), nil)
		wantHeld(t, f.Peer, target, ptr("old"))
	})
	t.Run("the first attempt lands after the second", func(t *testing.T) {
		f := prepared(t, open, ptr("old"))
		late, deliver := Delayed()
		f.Faults.Next(transact, late)
		wantOutcome(t, guardedReplace(context.Background(), f.Store), nil)
		put(t, f.Peer, target, []byte("old"))
		if err := deliver(); err != nil {
			t.Fatal(err)
		}
		wantHeld(t, f.Peer, target, ptr("old"))
	})
	t.Run("two mutations, two tokens", func(t *testing.T) {
		f := prepared(t, open, ptr("old"))
		f.Faults.Next(transact)
		for range 2 {
			wantOutcome(t, guardedReplace(context.Background(), f.Store), nil)
			put(t, f.Peer, target, []byte("old"))
		}
		if tokens := sentTokens(t, f.Faults); tokens[0] == tokens[1] {
			t.Errorf("both used token %q", tokens[0])
		}
	})
	t.Run("contention, all answered", func(t *testing.T) {
		f := prepared(t, open, ptr("old"))
		f.Faults.Next(transact, Cancelled("None", "TransactionConflict"))
		wantOutcome(t, guardedReplace(context.Background(), f.Store), nil)
		if tokens := sentTokens(t, f.Faults); len(tokens) != 2 || tokens[0] == tokens[1] {
			t.Errorf("tokens %q, want a new one after a refusal", tokens)
		}
	})
}

// testTransactionReasons: the reasons of a cancelled transaction are read by
// action, the guard's first (spec §6, hazard 6).
func testTransactionReasons(t *testing.T, open func(t *testing.T) Fixture) {
	const (
		none      = "None"
		condition = "ConditionalCheckFailed"
		conflict  = "TransactionConflict"
	)
	for _, c := range []struct {
		guard, target string
		want          error // nil: sent again, and then it goes through
	}{
		{condition, none, store.ErrGuard},
		{condition, condition, store.ErrGuard},
		{condition, conflict, store.ErrGuard},
		{none, condition, store.ErrConflict},
		{conflict, condition, nil},
		{conflict, none, nil},
		{none, conflict, nil},
		{conflict, conflict, nil},
		{"ThrottlingError", none, nil},
		{none, "ThrottlingError", nil},
		{none, "ProvisionedThroughputExceeded", nil},
		{none, "ValidationError", errService},
		{"ItemCollectionSizeLimitExceeded", condition, errService},
		{none, none, errService},
	} {
		t.Run(c.guard+" "+c.target, func(t *testing.T) {
			f := prepared(t, open, ptr("old"))
			f.Faults.Next(transact, Cancelled(c.guard, c.target))
			wantOutcome(t, guardedReplace(context.Background(), f.Store), c.want)
			holds, sent := "old", 1
			if c.want == nil {
				holds, sent = "new", 2
			}
			wantHeld(t, f.Peer, target, &holds)
			if got := len(f.Faults.Sent(transact)); got != sent {
				t.Errorf("%d requests sent, want %d", got, sent)
			}
		})
	}
	t.Run("contention on and on", func(t *testing.T) {
		f := prepared(t, open, ptr("old"))
		f.Faults.Next(transact, repeat(Cancelled(conflict, none))...)
		wantOutcome(t, guardedReplace(context.Background(), f.Store), store.ErrContention)
		wantHeld(t, f.Peer, target, ptr("old"))
	})
	t.Run("throttled on and on", func(t *testing.T) {
		f := prepared(t, open, ptr("old"))
		f.Faults.Next(transact, repeat(Refused("ThrottlingException"))...)
		wantOutcome(t, guardedReplace(context.Background(), f.Store), store.ErrContention)
		wantHeld(t, f.Peer, target, ptr("old"))
	})
}

// testReadFaults: reads are sent again.
func testReadFaults(t *testing.T, f Fixture) {
	create(t, f.Peer, tables(10)...)
	f.Faults.Next("GetItem", LostReply, Refused("ThrottlingException"), FailsBefore)
	wantValue(t, f.Store, "tbl/001", []byte("tbl/001"))
	f.Faults.Next("GetItem", repeat(FailsBefore)...)
	_, err := f.Store.Get(context.Background(), "tbl/001")
	wantOutcome(t, err, errService)
	for _, api := range []string{"Scan", "Query"} {
		f.Faults.Next(api, CutReply, Unavailable)
	}
	wantListing(t, "List", f.Store.List(context.Background(), "tbl/"), named(tables(10)...))
	for _, api := range []string{"Scan", "Query"} {
		f.Faults.Next(api, append([]Fault{Through}, repeat(FailsBefore)...)...)
	}
	for _, err = range pages(t, f.Store, "tbl/", 1, func(int, store.Page) {}) {
	}
	wantOutcome(t, err, errService)
}

const transact = "TransactWriteItems"

// errService stands for an error of the service that is no outcome of the
// contract.
var errService = errors.New("an error of the service")

// prepared opens a fixture on which the lease is held and the target holds value.
func prepared(t *testing.T, open func(t *testing.T) Fixture, value *string) Fixture {
	t.Helper()
	f := open(t)
	put(t, f.Peer, lease, []byte("held"))
	if value != nil {
		put(t, f.Peer, target, []byte(*value))
	}
	return f
}

// repeat is a fault for more attempts than any mutation makes.
func repeat(fault Fault) []Fault {
	const many = 1000
	faults := make([]Fault, many)
	for i := range faults {
		faults[i] = fault
	}
	return faults
}

func wantOutcome(t *testing.T, err, want error) {
	t.Helper()
	switch {
	case want == nil:
		if err != nil {
			t.Errorf("error %v, want success", err)
		}
	case errors.Is(want, errService):
		if err == nil {
			t.Errorf("success, want an error of the service")
		}
		for _, outcome := range outcomes {
			if errors.Is(err, outcome) {
				t.Errorf("error %v is %v, want an error of the service only", err, outcome)
			}
		}
	default:
		wantError(t, "the mutation", err, want)
	}
}

func wantHeld(t *testing.T, s store.MetaStore, key string, want *string) {
	t.Helper()
	if want == nil {
		wantAbsent(t, s, key)
	} else {
		wantValue(t, s, key, []byte(*want))
	}
}

// wantOneToken checks that all attempts were one and the same request; want is
// their number, 0 for any.
func wantOneToken(t *testing.T, f *Faults, want int) {
	t.Helper()
	tokens := sentTokens(t, f)
	if want > 0 && len(tokens) != want {
		t.Errorf("%d requests sent, want %d", len(tokens), want)
	}
	for _, token := range tokens {
		if token != tokens[0] {
			t.Errorf("tokens %q, want one", tokens)
			return
		}
	}
	bodies := f.Sent(transact)
	for i := range bodies {
		if diff := cmp.Diff(decoded(t, bodies[0]), decoded(t, bodies[i])); diff != "" {
			t.Errorf("attempt %d is another request (-first +this):\n%s", i+1, diff)
		}
	}
}

func sentTokens(t *testing.T, f *Faults) []string {
	t.Helper()
	var tokens []string
	for _, body := range f.Sent(transact) {
		token, _ := decoded(t, body)["ClientRequestToken"].(string)
		if token == "" || len(token) > 36 {
			t.Fatalf("request token %q, want 1 to 36 characters", token)
		}
		tokens = append(tokens, token)
	}
	return tokens
}

func decoded(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatal(fmt.Errorf("request body: %w", err))
	}
	return m
}
