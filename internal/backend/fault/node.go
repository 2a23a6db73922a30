package fault

import (
	"context"
	"errors"
	"fmt"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// ErrCrashed is the cause of the contexts of a node that crashed.
var ErrCrashed = errors.New("node crashed")

// A CrashError names the node that crashed and the rule. It is an ErrCrashed.
type CrashError struct {
	Node string
	Rule Rule
}

func (e *CrashError) Error() string {
	return fmt.Sprintf("%v: %s, by fault %s", ErrCrashed, e.Node, e.Rule)
}

// Unwrap returns ErrCrashed.
func (e *CrashError) Unwrap() error { return ErrCrashed }

type nodeKey struct{}

type node struct {
	name  string
	ctx   context.Context
	crash context.CancelCauseFunc
}

// Node returns the context in which a node of the given name runs, which is also
// its name as an actor. The rules crash-before and crash-after crash the node
// that made the request: its context and all below it end with ErrCrashed as
// their cause, none of its requests, even under a context detached from it,
// reaches the service any more, and no answer still on its way arrives. Requests
// made under no node never match these rules. The function ends the context when
// the node is done.
func Node(ctx context.Context, name string) (context.Context, func()) {
	n := &node{name: name}
	n.ctx, n.crash = task.WithCancel(cause.WithActor(ctx, name))
	return context.WithValue(n.ctx, nodeKey{}, n), func() { n.crash(context.Canceled) }
}

func nodeOf(ctx context.Context) *node {
	n, _ := ctx.Value(nodeKey{}).(*node)
	return n
}

// crashed returns why the node of ctx cannot do anything any more, nil if it can
// or if there is none.
func crashed(ctx context.Context) error {
	n := nodeOf(ctx)
	if n == nil || n.ctx.Err() == nil {
		return nil
	}
	if err := context.Cause(n.ctx); errors.Is(err, ErrCrashed) {
		return err
	}
	return nil
}

// ended returns why a request under ctx is not made, nil if it is.
func ended(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return crashed(ctx)
}
