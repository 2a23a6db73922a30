package dual

import (
	"errors"
	"fmt"

	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
)

// Why a node may not serve in its mode, beside control.ErrFinalized,
// control.ErrNotFinalized and control.ErrPeerChanged.
var (
	// ErrForbidden reports that the control records forbid the node's mode. The error
	// is a *ForbiddenError.
	ErrForbidden = errors.New("mode is forbidden")
	// ErrNotInitialized reports that there is no v2 table.
	ErrNotInitialized = errors.New("there is no v2 table")
	// ErrFinalizing reports that a finalization holds the write barrier.
	ErrFinalizing = errors.New("a finalization is under way")
	// ErrRetired reports that v1 is being removed, or is gone.
	ErrRetired = errors.New("v1 is retired")
	// ErrPeersBehind reports that other nodes may still read v1.
	ErrPeersBehind = errors.New("not every peer has observed the completion marker")
	// ErrClosed reports that the node was closed.
	ErrClosed = errors.New("node is closed")
)

// A ForbiddenError is why a node may not serve in its mode, and what its
// operator can do. It is an ErrForbidden and its Reason.
type ForbiddenError struct {
	Table, Node string
	Mode        control.Mode
	Reason      error
	Advice      string
}

func (e *ForbiddenError) Error() string {
	return fmt.Sprintf("%v: node %q in mode %v on table %s: %v; %s", ErrForbidden, e.Node, e.Mode, e.Table, e.Reason, e.Advice)
}

// Unwrap returns ErrForbidden and the reason.
func (e *ForbiddenError) Unwrap() []error { return []error{ErrForbidden, e.Reason} }

// A MirrorConflictError reports that v1 was as a mutation expected and v2 was not. It
// is a store.ErrMirrorConflict.
type MirrorConflictError struct {
	Table, Key string // of v2
	Expected   store.Expectation
	Found      store.Found
}

func (e *MirrorConflictError) Error() string {
	return fmt.Sprintf("%v: table %s: expected %v or none, found %v; run `lakebench migrate repair`, or open the node with mirror heal",
		store.ErrMirrorConflict, e.Table, e.Expected, e.Found)
}

// Unwrap returns store.ErrMirrorConflict.
func (e *MirrorConflictError) Unwrap() error { return store.ErrMirrorConflict }
