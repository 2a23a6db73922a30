package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
)

// peerPrefix begins the sort key of every peer record; the node id follows.
const peerPrefix = "peer/"

// MaxNodeBytes is the longest node id.
const MaxNodeBytes = 256

// A Peer is what a node records about itself (docs/spec/metadata-store.md §4, "peers").
type Peer struct {
	Node string `json:"node"`
	// Incarnation is unique to one opening of the node: a record tells nothing
	// about another process under the same node id.
	Incarnation string `json:"incarnation"`
	Mode        Mode   `json:"mode"`
	// MarkerObserved is recorded only after the node has turned to v2.
	MarkerObserved bool      `json:"markerObserved"`
	Heartbeat      time.Time `json:"heartbeat"`
}

// ErrPeerChanged reports that a node's record is not the one that was to be changed:
// the node is alive, or another process uses its id. The error is a
// *PeerChangedError.
var ErrPeerChanged = errors.New("the node's record has changed")

// A PeerChangedError tells which record was found. It is an ErrPeerChanged.
type PeerChangedError struct {
	Table, Node string
	Found       *Peer // nil: none
}

func (e *PeerChangedError) Error() string {
	if e.Found == nil {
		return fmt.Sprintf("%v: table %s: node %q has none", ErrPeerChanged, e.Table, e.Node)
	}
	return fmt.Sprintf("%v: table %s: node %q: found incarnation %s in mode %v, heartbeat %s; each process needs a node id of its own",
		ErrPeerChanged, e.Table, e.Node, e.Found.Incarnation, e.Found.Mode, e.Found.Heartbeat.Format(time.RFC3339))
}

// Unwrap returns ErrPeerChanged.
func (e *PeerChangedError) Unwrap() error { return ErrPeerChanged }

// CheckNode refuses what cannot be a node id.
func CheckNode(node string) error {
	if node == "" || len(node) > MaxNodeBytes || !utf8.ValidString(node) {
		return fmt.Errorf("%w: node id %.80q; it is a UTF-8 text of 1 to %d bytes", store.ErrInvalid, node, MaxNodeBytes)
	}
	return nil
}

// Register writes p in place of whatever record its node has, and returns that
// record, nil if none.
func (r *Records) Register(ctx context.Context, p Peer) (replaced *Peer, err error) {
	const tries = 10 // each fails only if another process writes the record meanwhile
	for range tries {
		if replaced, err = r.Peer(ctx, p.Node); err != nil {
			return nil, err
		}
		if err = r.swapPeer(ctx, p.Node, replaced, &p); !errors.Is(err, ErrPeerChanged) {
			return replaced, err
		}
	}
	return nil, err
}

// PutPeer writes p where its node has no record or one of the same incarnation.
// Otherwise the error is a *PeerChangedError.
func (r *Records) PutPeer(ctx context.Context, p Peer) error {
	held, err := r.Peer(ctx, p.Node)
	if err != nil {
		return err
	}
	if held != nil && held.Incarnation != p.Incarnation {
		return &PeerChangedError{Table: r.table, Node: p.Node, Found: held}
	}
	return r.swapPeer(ctx, p.Node, held, &p)
}

// Withdraw puts back what Register returned in place of the record of p's
// incarnation, if that is still there; with nil the node has none afterwards.
func (r *Records) Withdraw(ctx context.Context, p Peer, replaced *Peer) error {
	held, err := r.Peer(ctx, p.Node)
	if err != nil || held == nil || held.Incarnation != p.Incarnation {
		return err
	}
	return r.swapPeer(ctx, p.Node, held, replaced)
}

// Peer returns a node's record, nil if it has none.
func (r *Records) Peer(ctx context.Context, node string) (*Peer, error) {
	if err := CheckNode(node); err != nil {
		return nil, err
	}
	return load[Peer](ctx, r, peerPrefix+node)
}

// RemovePeer removes exactly the record that was seen of a node which will not come
// back; only its operator can know that. One that has changed since stays, and the
// error is a *PeerChangedError.
func (r *Records) RemovePeer(ctx context.Context, seen Peer) error {
	if err := CheckNode(seen.Node); err != nil {
		return err
	}
	return r.swapPeer(ctx, seen.Node, &seen, nil)
}

// swapPeer replaces one record of a node by another; nil is none. A v1-only node
// voids the backfill (docs/spec/metadata-store.md §4): once its record is there,
// so that a backfill which begins meanwhile sees one or is seen; and once more
// before another record takes its place, should the first time not have come to
// pass.
func (r *Records) swapPeer(ctx context.Context, node string, from, to *Peer) error {
	was, is := from != nil && from.Mode == ModeV1, to != nil && to.Mode == ModeV1
	if was && !is {
		if err := r.VoidBackfill(ctx, node); err != nil {
			return err
		}
	}
	if err := r.replacePeer(ctx, node, from, to); err != nil {
		return err
	}
	if renewed := from != nil && is && from.Incarnation == to.Incarnation; is && !renewed {
		return r.VoidBackfill(ctx, node)
	}
	return nil
}

func (r *Records) replacePeer(ctx context.Context, node string, from, to *Peer) error {
	expected, err := peerBytes(from)
	if err != nil {
		return err
	}
	name := peerPrefix + node
	switch {
	case to != nil:
		err = r.put(ctx, name, expected, to.stamped())
	case from != nil:
		err = r.transact(ctx, name, []types.TransactWriteItem{at(r.table, name).Delete(expected)}, store.Absent())
	}
	var refusal *item.RefusedError
	if !errors.As(err, &refusal) {
		return err
	}
	changed := &PeerChangedError{Table: r.table, Node: node}
	found, err := at(r.table, name).Found(refusal.Item)
	if err == nil && found.Exists {
		changed.Found, err = parse[Peer](r, name, found.Value)
	}
	if err != nil {
		return err
	}
	return changed
}

// Peers returns every node's record, by node id.
func (r *Records) Peers(ctx context.Context) ([]Peer, error) {
	var peers []Peer
	err := r.each(ctx, peerPrefix, func(name string, value []byte) error {
		p, err := parse[Peer](r, name, value)
		if err != nil {
			return err
		}
		if name != peerPrefix+p.Node {
			return fmt.Errorf("control record %s of table %s: %w: it is of node %q", name, r.table, store.ErrMalformed, p.Node)
		}
		peers = append(peers, *p)
		return nil
	})
	return peers, err
}

// peerBytes is what the table holds for a record.
func peerBytes(p *Peer) (store.Expectation, error) {
	if p == nil {
		return store.Absent(), nil
	}
	value, err := json.Marshal(p.stamped())
	if err != nil {
		return store.Expectation{}, fmt.Errorf("record of node %q: %w", p.Node, err)
	}
	return store.Exactly(value), nil
}

func (p Peer) stamped() Peer {
	p.Heartbeat = p.Heartbeat.Round(0).UTC() // without the monotonic reading
	return p
}
