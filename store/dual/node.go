package dual

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
)

// join records the node, and then finds out whether it may serve. If not, it puts
// the record back that it replaced.
func (s *Store) join(ctx context.Context) error {
	if err := s.recording.Lock(ctx); err != nil {
		return err
	}
	defer s.recording.Unlock()
	me := s.self(ctx)
	var replaced *control.Peer
	recorded := false
	err := s.announce(ctx, func() (err error) {
		replaced, err = s.records.Register(ctx, me)
		recorded = err == nil
		return err
	})
	if err == nil && s.Mode() == control.ModeV2Only {
		err = s.peersReadV2(ctx)
	}
	if err != nil && recorded {
		if stays := s.records.Withdraw(ctx, me, replaced); stays != nil {
			err = fmt.Errorf("%w; the record of node %q stays: %w", err, s.cfg.Node, stays)
		}
	}
	return err
}

// Heartbeat renews the node's record, and then reads the control records and turns
// to what they say: here, and at the beginning of each drain, a node that does not
// write learns of the marker. If they forbid the mode the error is a
// *ForbiddenError, and the node refuses to serve until a later heartbeat finds it
// fit. After any other error it serves as before.
func (s *Store) Heartbeat(ctx context.Context) error {
	if err := s.recording.Lock(ctx); err != nil {
		return err
	}
	defer s.recording.Unlock()
	if err := s.serving(); errors.Is(err, ErrClosed) {
		return err
	}
	err := s.announce(ctx, func() error { return s.records.PutPeer(ctx, s.self(ctx)) })
	if errors.Is(err, control.ErrPeerChanged) {
		err = s.forbidden(s.Mode(), err, "stop one of the two processes, or give it another id")
	}
	switch {
	case err == nil:
		s.unfit.Store(nil)
	case errors.Is(err, ErrForbidden):
		s.unfit.Store(&err)
	}
	return err
}

// announce writes the node's record, then reads the control records and turns to
// what they say. The order is what finalization relies on: a finalizer installs
// its barrier and then reads the peers, so either it sees this record, or its
// barrier is there before we look (docs/spec/metadata-store.md §4, "peers").
func (s *Store) announce(ctx context.Context, write func() error) error {
	for {
		err := write()
		// Before init there is no table for the record of a v1 node.
		early := errors.Is(err, store.ErrNoTable) && s.Mode() == control.ModeV1
		if err != nil && !early {
			return err
		}
		// The mode as it was before the records are read: a drain may turn the node
		// meanwhile, and records without the marker forbid nothing to it then.
		asked := s.Mode()
		state, err := s.records.State(ctx)
		if err != nil {
			return err
		}
		if early && state.TableExists {
			continue
		}
		return s.comply(ctx, asked, state)
	}
}

// comply turns to the layout that the control records demand of a node in the mode
// that it had before they were read.
func (s *Store) comply(ctx context.Context, asked control.Mode, state control.State) error {
	mode, err := s.admit(asked, state)
	if err != nil {
		return err
	}
	if s.turn(mode) {
		return s.records.PutPeer(ctx, s.self(ctx))
	}
	return nil
}

// turn lets a dual node read v2 from now on, and reports whether it did not before.
func (s *Store) turn(to control.Mode) bool {
	return to == control.ModeV2Authoritative && s.mode.CompareAndSwap(int64(control.ModeDual), int64(to))
}

// look reads the completion marker, and turns to v2 if it is there. That the node
// cannot say so in its record does no harm: it keeps v2-only nodes waiting until
// its next heartbeat.
func (s *Store) look(ctx context.Context) (final bool, err error) {
	marker, err := s.records.Marker(ctx)
	if err != nil || marker == nil {
		return false, err
	}
	if s.turn(control.ModeV2Authoritative) && s.recording.Lock(ctx) == nil {
		defer s.recording.Unlock()
		_ = s.records.PutPeer(ctx, s.self(ctx))
	}
	return true, nil
}

// self is the node's record as of now. It reports that the node has observed the
// marker only once the node reads v2.
func (s *Store) self(ctx context.Context) control.Peer {
	mode := s.Mode()
	return control.Peer{
		Node: s.cfg.Node, Incarnation: s.incarnation, Mode: mode, MarkerObserved: mode.ReadsV2(), Heartbeat: task.Now(ctx),
	}
}

// admit returns the mode in which a node that asks for one may serve.
func (s *Store) admit(asked control.Mode, state control.State) (control.Mode, error) {
	final := state.Marker != nil
	switch {
	case state.Retired != nil && asked != control.ModeV2Only:
		return 0, s.forbidden(asked, ErrRetired, "open it in mode v2-only")
	case asked == control.ModeV1 && final:
		return 0, s.forbidden(asked, control.ErrFinalized, "open it in mode dual or v2-authoritative; v1 is not the authority any more")
	case asked == control.ModeV1 && state.Barrier != nil:
		return 0, s.forbidden(asked, ErrFinalizing, "wait until it is over, or open the node in mode dual; "+state.Barrier.Lift())
	case asked == control.ModeV1:
		return asked, nil
	case !state.TableExists:
		return 0, s.forbidden(asked, ErrNotInitialized, "run `lakebench migrate init` first, or open it in mode v1")
	case asked == control.ModeDual && final:
		return control.ModeV2Authoritative, nil
	case asked != control.ModeDual && !final:
		return 0, s.forbidden(asked, control.ErrNotFinalized, "open it in mode dual, and run `lakebench migrate finalize` once every node is dual")
	}
	return asked, nil
}

// peersReadV2 refuses while another node may read v1, which this one will not
// write.
func (s *Store) peersReadV2(ctx context.Context) error {
	peers, err := s.records.Peers(ctx)
	if err != nil {
		return err
	}
	var behind []string
	for _, p := range peers {
		if !p.MarkerObserved {
			behind = append(behind, fmt.Sprintf("%s (%v)", p.Node, p.Mode))
		}
	}
	if len(behind) == 0 {
		return nil
	}
	return s.forbidden(control.ModeV2Only, fmt.Errorf("%w: %s", ErrPeersBehind, strings.Join(behind, ", ")),
		"restart them, or, if they are gone for good, run `lakebench migrate peers remove`")
}

func (s *Store) forbidden(mode control.Mode, reason error, advice string) error {
	return &ForbiddenError{Table: s.cfg.Table, Node: s.cfg.Node, Mode: mode, Reason: reason, Advice: advice}
}
