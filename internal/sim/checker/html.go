package checker

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/anishathalye/porcupine"
)

// MaxDrawn bounds the operations of a drawing: porcupine keeps up to n² numbers
// for it, and a browser shows no more either.
const MaxDrawn = 2000

// drawLimits bounds the search for orders to draw to some seconds.
func drawLimits() Limits { return Limits{Steps: 1_000_000, Bytes: 1 << 28} }

// WriteHTML draws h as a page of its own: a lane for each actor, what each
// operation asked and was told, and the longest orders of operations that a
// store could have had, with the store's state after each. A history that is not
// linearizable has no order with all of them; the page marks the operation that
// does not fit. Result.Failing is what it is meant for. It refuses histories of
// more than 2,000 operations, which are for WriteJSON, and draws the orders that
// it finds within a million steps. Equally long orders may come in any order.
func WriteHTML(w io.Writer, h History) error {
	if err := h.Validate(); err != nil {
		return err
	}
	if n := len(h.Operations); n > MaxDrawn {
		return fmt.Errorf("checker: a history of %d operations is too large to draw, at most %d are", n, MaxDrawn)
	}
	p := compile(h)
	p.assignLanes()
	b := &budget{ctx: context.Background(), limits: drawLimits()}
	_, info := porcupine.CheckOperationsVerbose(b.model(p), p.ops, 0)
	// Drawing walks the orders found once more, each of which is short.
	if err := porcupine.Visualize(p.model(), info, w); err != nil {
		return fmt.Errorf("checker: drawing a history: %w", err)
	}
	return nil
}

// assignLanes gives every actor lanes of its own, as many as it had operations
// at a time, in the order in which actors first appear. An open operation keeps
// its lane to the end.
func (p *program) assignLanes() {
	type lane struct {
		actor string
		until int64
	}
	var actors []string
	lanes := map[string][]*lane{}
	of := make([]*lane, len(p.ops))
	for i := range p.ops {
		o := &p.ops[i]
		s := o.Input.(*step)
		actor := ""
		if s.op != nil {
			actor, o.Metadata = s.op.Actor, s.op
		}
		if lanes[actor] == nil {
			actors = append(actors, actor)
		}
		free := slices.IndexFunc(lanes[actor], func(l *lane) bool { return l.until < o.Call })
		if free < 0 {
			free = len(lanes[actor])
			lanes[actor] = append(lanes[actor], &lane{actor: actor, until: math.MinInt64})
		}
		of[i] = lanes[actor][free]
		of[i].until = o.Return
	}
	number, next := map[*lane]int{}, 0
	for _, a := range actors {
		for _, l := range lanes[a] {
			number[l] = next
			next++
		}
	}
	for i := range p.ops {
		p.ops[i].ClientId = number[of[i]]
	}
}
