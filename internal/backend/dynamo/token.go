package dynamo

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/expr"
)

// tokenLife is how long a ClientRequestToken is good for once its transaction
// has completed (API reference, TransactWriteItems).
const tokenLife = 10 * time.Minute

// digest is the first half of a SHA-256: enough to tell tokens and requests
// apart, and small, since every transaction of ten minutes is remembered.
type digest [16]byte

// tokens remembers the transactions that completed under a token.
type tokens struct {
	mu    sync.Mutex // never held over a yield
	known map[digest]*tokenState
	// done is the order in which tokens completed, so that they can be
	// forgotten; its first skip entries are forgotten already.
	done []completion
	skip int
	// forgotten, unless nil, is called for every one that is forgotten, in order.
	forgotten func(completion)
}

type tokenState struct {
	request digest
	// images are the bytes that each action was charged for; nil while the
	// transaction runs.
	images []int32
}

type completion struct {
	token digest
	at    time.Time
}

// begin returns what a replay has to be charged for, or nil if the request is to
// be carried out, which end must follow.
func (k *tokens) begin(now time.Time, token string, request digest) ([]int32, *serviceError) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.forget(now)
	id := tokenDigest(token)
	state, ok := k.known[id]
	switch {
	case !ok:
		if k.known == nil {
			k.known = map[digest]*tokenState{}
		}
		k.known[id] = &tokenState{request: request}
		return nil, nil
	case state.request != request:
		return nil, &serviceError{code: idempotentParameterMismatch, message: "The request uses the same client token as a previous, but non-identical request. Do not reuse a client token with different requests, unless the requests are identical"}
	case state.images == nil:
		return nil, &serviceError{code: transactionInProgress, message: "The transaction with the given request token is already in progress."}
	default:
		return state.images, nil
	}
}

// completed is a transaction that has completed; the zero one had no token.
type completed struct {
	completion
	state *tokenState // does not change any more
}

// end remembers a completed transaction.
func (k *tokens) end(now time.Time, token string, images []int32) completed {
	k.mu.Lock()
	defer k.mu.Unlock()
	id := tokenDigest(token)
	k.known[id].images = images
	k.done = append(k.done, completion{id, now})
	return completed{completion{id, now}, k.known[id]}
}

// cancel forgets a cancelled transaction, which has changed nothing: its token may
// be used again.
func (k *tokens) cancel(token string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.known, tokenDigest(token))
}

// forget drops the tokens whose time is over.
func (k *tokens) forget(now time.Time) {
	for k.skip < len(k.done) && now.Sub(k.done[k.skip].at) > tokenLife {
		c := k.done[k.skip]
		delete(k.known, c.token)
		if k.forgotten != nil {
			k.forgotten(c)
		}
		k.skip++
	}
	if k.skip > len(k.done)/2 {
		k.done = slices.Clone(k.done[k.skip:])
		k.skip = 0
	}
}

func tokenDigest(token string) digest {
	sum := sha256.Sum256([]byte(token))
	return digest(sum[:16])
}

// fingerprint is equal for two requests that mean the same: neither the order of
// a map nor the spelling of a number matters, only what is asked for. All
// parameters count (API reference, "a change in other parameters") except
// ReturnConsumedCapacity, which changes the answer only.
func (in *transactWriteInput) fingerprint() digest {
	var few [2048]byte
	p := appendText(few[:0], in.metrics)
	for i := range in.actions {
		p = in.actions[i].appendMeaning(p)
	}
	sum := sha256.Sum256(p)
	return digest(sum[:16])
}

// appendMeaning appends everything that the action asks for such that no two
// different actions run together to the same bytes.
func (a *transactAction) appendMeaning(p []byte) []byte {
	p = appendText(p, string(a.kind))
	p = appendText(p, a.table)
	p = attr.AppendItem(p, a.item)
	p = attr.AppendItem(p, a.key)
	p = appendOptional(p, a.update)
	p = appendOptional(p, a.condition)
	p = appendText(p, a.returnOnFailure)
	p = attr.AppendItem(p, a.values)
	p = binary.AppendVarint(p, int64(len(a.names)))
	for _, n := range slices.SortedFunc(slices.Values(a.names), byPlaceholder) {
		p = appendText(p, n.Placeholder)
		p = appendText(p, n.Attribute)
	}
	return p
}

func byPlaceholder(a, b expr.Name) int { return strings.Compare(a.Placeholder, b.Placeholder) }

func appendText(p []byte, s string) []byte {
	p = binary.AppendVarint(p, int64(len(s)))
	return append(p, s...)
}

// appendOptional keeps apart empty and absent.
func appendOptional(p []byte, s *string) []byte {
	if s == nil {
		return binary.AppendVarint(p, -1)
	}
	return appendText(p, *s)
}
