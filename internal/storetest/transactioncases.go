package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/store"
)

const transact = "TransactWriteItems"

// A transaction is a mutation that the store sends as one, and its actions.
type transaction struct {
	mutation
	roles []Role
}

func (f Fixture) guarded() transaction {
	roles := f.Guarded
	if roles == nil {
		roles = []Role{Guard, Target}
	}
	return transaction{mutation{"guarded", ptr("old"), ptr("new"), guardedReplace}, roles}
}

// reasons are the codes of a cancelled transaction: one for the action of each
// role that codes names, none for the others.
func (tx transaction) reasons(codes map[Role]string) []string {
	reasons := make([]string, len(tx.roles))
	for i, role := range tx.roles {
		reasons[i] = "None"
		if code, ok := codes[role]; ok {
			reasons[i] = code
		}
	}
	return reasons
}

// refused answers that the action of one role had this code.
func (tx transaction) refused(role Role, code string) Fault {
	return Cancelled(tx.reasons(map[Role]string{role: code})...)
}

func testTransactionFaults(t *testing.T, open func(t *testing.T) Fixture, tx transaction) {
	testTransactionUnanswered(t, open, tx)
	testTransactionToken(t, open, tx)
	testTransactionReasons(t, open, tx)
}

// testTransactionUnanswered: a transaction is sent again under its token, and only
// a success settles it.
func testTransactionUnanswered(t *testing.T, open func(t *testing.T) Fixture, tx transaction) {
	conflict := tx.refused(Target, "TransactionConflict")
	for _, u := range unanswered {
		t.Run(u.name+", then through", func(t *testing.T) {
			f := prepared(t, open, tx.before)
			f.Faults.Next(transact, u.fault)
			wantOutcome(t, tx.do(context.Background(), f.Store), nil)
			wantOneToken(t, f.Faults, 2)
			wantHeld(t, f.Peer, target, tx.after)
		})
		t.Run(u.name+" on and on", func(t *testing.T) {
			f := prepared(t, open, tx.before)
			f.Faults.Next(transact, repeat(u.fault)...)
			wantOutcome(t, tx.do(context.Background(), f.Store), store.ErrUnknown)
			wantOneToken(t, f.Faults, Attempts)
		})
		t.Run(u.name+", then refused", func(t *testing.T) {
			f := prepared(t, open, tx.before)
			f.Faults.Next(transact, u.fault, tx.refused(Target, "ConditionalCheckFailed"))
			wantOutcome(t, tx.do(context.Background(), f.Store), store.ErrUnknown)
			wantOneToken(t, f.Faults, 2)
		})
		t.Run(u.name+", then contention, then through", func(t *testing.T) {
			f := prepared(t, open, tx.before)
			f.Faults.Next(transact, u.fault, conflict, Refused("TransactionInProgressException"))
			wantOutcome(t, tx.do(context.Background(), f.Store), nil)
			wantOneToken(t, f.Faults, 4)
			wantHeld(t, f.Peer, target, tx.after)
		})
		t.Run(u.name+", then contention on and on", func(t *testing.T) {
			f := prepared(t, open, tx.before)
			f.Faults.Next(transact, append([]Fault{u.fault}, repeat(conflict)...)...)
			wantOutcome(t, tx.do(context.Background(), f.Store), store.ErrUnknown)
			wantOneToken(t, f.Faults, 0)
		})
	}
	changed := map[string]string{"target": target}
	if slices.Contains(tx.roles, Guard) {
		changed["guard"] = lease
	}
	for what, key := range changed {
		t.Run("never arrives while another changes the "+what, func(t *testing.T) {
			f := prepared(t, open, tx.before)
			f.Faults.Next(transact, After(NeverArrives, func() { put(t, f.Peer, key, []byte("theirs")) }))
			wantOutcome(t, tx.do(context.Background(), f.Store), store.ErrUnknown)
			wantHeld(t, f.Peer, key, ptr("theirs"))
		})
	}
}

// testTransactionToken: a repeated transaction is applied once (hazard 14),
// however others change its target meanwhile.
func testTransactionToken(t *testing.T, open func(t *testing.T) Fixture, tx transaction) {
	// Another node undoes what the transaction did.
	undo := func(t *testing.T, f Fixture) {
		t.Helper()
		if tx.before != nil {
			put(t, f.Peer, target, []byte(*tx.before))
		} else if err := f.Peer.Delete(context.Background(), target, []byte(*tx.after)); err != nil {
			t.Errorf("undo: %v", err)
		}
	}
	t.Run("lost reply, undone by another", func(t *testing.T) {
		f := prepared(t, open, tx.before)
		f.Faults.Next(transact, After(LostReply, func() { undo(t, f) }))
		wantOutcome(t, tx.do(context.Background(), f.Store), nil)
		wantHeld(t, f.Peer, target, tx.before)
	})
	t.Run("the first attempt lands after the second", func(t *testing.T) {
		f := prepared(t, open, tx.before)
		late, deliver := Delayed()
		f.Faults.Next(transact, late)
		wantOutcome(t, tx.do(context.Background(), f.Store), nil)
		undo(t, f)
		if err := deliver(); err != nil {
			t.Fatal(err)
		}
		wantHeld(t, f.Peer, target, tx.before)
	})
	t.Run("two mutations, two tokens", func(t *testing.T) {
		f := prepared(t, open, tx.before)
		f.Faults.Next(transact)
		for range 2 {
			wantOutcome(t, tx.do(context.Background(), f.Store), nil)
			undo(t, f)
		}
		if tokens := sentTokens(t, f.Faults); tokens[0] == tokens[1] {
			t.Errorf("both used token %q", tokens[0])
		}
	})
	t.Run("contention, all answered", func(t *testing.T) {
		f := prepared(t, open, tx.before)
		f.Faults.Next(transact, tx.refused(Target, "TransactionConflict"))
		wantOutcome(t, tx.do(context.Background(), f.Store), nil)
		if tokens := sentTokens(t, f.Faults); len(tokens) != 2 || tokens[0] == tokens[1] {
			t.Errorf("tokens %q, want a new one after a refusal", tokens)
		}
	})
}

// testTransactionReasons: the reasons of a cancelled transaction are read by
// action, the guard's before the target's (hazard 6).
func testTransactionReasons(t *testing.T, open func(t *testing.T) Fixture, tx transaction) {
	const (
		none      = "None"
		condition = "ConditionalCheckFailed"
		conflict  = "TransactionConflict"
	)
	cases := []struct {
		guard, target string
		want          error // nil: sent again, and then it goes through
	}{
		{none, condition, store.ErrConflict},
		{none, conflict, nil},
		{none, "ThrottlingError", nil},
		{none, "ProvisionedThroughputExceeded", nil},
		{none, "ValidationError", errService},
		{none, none, errService},
		{condition, none, store.ErrGuard},
		{condition, condition, store.ErrGuard},
		{condition, conflict, store.ErrGuard},
		{conflict, condition, nil},
		{conflict, none, nil},
		{conflict, conflict, nil},
		{"ThrottlingError", none, nil},
		{"ItemCollectionSizeLimitExceeded", condition, errService},
	}
	for _, c := range cases {
		if c.guard != none && !slices.Contains(tx.roles, Guard) {
			continue
		}
		if c.want == store.ErrConflict && tx.after == nil { //nolint:errorlint // the sentinel itself
			c.want = store.ErrNotFound // the suite's refusals name no item
		}
		t.Run(c.guard+" "+c.target, func(t *testing.T) {
			f := prepared(t, open, tx.before)
			f.Faults.Next(transact, Cancelled(tx.reasons(map[Role]string{Guard: c.guard, Target: c.target})...))
			wantOutcome(t, tx.do(context.Background(), f.Store), c.want)
			holds, sent := tx.before, 1
			if c.want == nil {
				holds, sent = tx.after, 2
			}
			wantHeld(t, f.Peer, target, holds)
			if got := len(f.Faults.Sent(transact)); got != sent {
				t.Errorf("%d requests sent, want %d", got, sent)
			}
		})
	}
	for what, fault := range map[string]Fault{"contention": tx.refused(Target, conflict), "throttled": Refused("ThrottlingException")} {
		t.Run(what+" on and on", func(t *testing.T) {
			f := prepared(t, open, tx.before)
			f.Faults.Next(transact, repeat(fault)...)
			wantOutcome(t, tx.do(context.Background(), f.Store), store.ErrContention)
			wantHeld(t, f.Peer, target, tx.before)
		})
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
