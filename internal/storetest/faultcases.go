package storetest

import (
	"context"
	"errors"
	"testing"

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
	f := open(t)
	if f.Faults == nil {
		t.Skip("requests to this service cannot be made to fail")
	}
	for _, m := range singles() {
		t.Run(m.name, func(t *testing.T) {
			if f.Single == nil {
				testSingleFaults(t, open, m)
			} else {
				testTransactionFaults(t, open, transaction{m, f.Single})
			}
		})
	}
	t.Run("guarded", func(t *testing.T) { testTransactionFaults(t, open, f.guarded()) })
	t.Run("reads", func(t *testing.T) { testReadFaults(t, open(t)) })
}

// testSingleFaults: a conditional write is never sent again after an attempt
// without an answer (hazard 5), and refusals for contention are no failed
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

// testReadFaults: reads are sent again.
func testReadFaults(t *testing.T, f Fixture) {
	create(t, f.Peer, tables(10)...)
	f.Faults.Next("GetItem", LostReply, Refused("ThrottlingException"), FailsBefore)
	wantValue(t, f.Store, "tbl/001", []byte("tbl/001"))
	f.Faults.Next("GetItem", repeat(FailsBefore)...)
	_, err := f.Store.Get(context.Background(), "tbl/001")
	wantOutcome(t, err, errService)
	f.Faults.Next("GetItem")
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
