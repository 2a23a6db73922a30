package lint

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// A lockWalker follows the statements of a function along every way through
// them, and keeps book of the sync locks that may be held: from x.Lock() on, to
// x.Unlock() or to the end. Two names for one lock are two locks to it. Function
// literals are walked by themselves unless they are called on the spot.
type lockWalker struct {
	info   *types.Info
	yields yields
	found  []heldCall
}

// heldCall is a call that may yield while locks are held.
type heldCall struct {
	call  *ast.CallExpr
	locks held
}

// held are locks, by the expressions that name them.
type held map[string]bool

func (h held) String() string { return strings.Join(slices.Sorted(maps.Keys(h)), ", ") }

// or returns the locks that are held on one of two ways.
func (h held) or(other held) held {
	both := maps.Clone(h)
	maps.Copy(both, other)
	return both
}

func walkLocks(info *types.Info, y yields, body *ast.BlockStmt) []heldCall {
	w := &lockWalker{info: info, yields: y}
	w.block(body, held{})
	ast.Inspect(body, func(n ast.Node) bool {
		if literal, ok := n.(*ast.FuncLit); ok {
			w.block(literal.Body, held{})
		}
		return true
	})
	return w.found
}

// block and statement return the locks held after it, and whether the way ends
// there.
func (w *lockWalker) block(b *ast.BlockStmt, h held) (held, bool) { return w.statements(b.List, h) }

func (w *lockWalker) statements(list []ast.Stmt, h held) (held, bool) {
	for _, s := range list {
		var ends bool
		if h, ends = w.statement(s, h); ends {
			return h, true
		}
	}
	return h, false
}

func (w *lockWalker) statement(s ast.Stmt, h held) (held, bool) {
	switch s := s.(type) {
	case nil:
		return h, false
	case *ast.ExprStmt:
		return w.expressionStatement(s, h)
	case *ast.DeferStmt:
		if name, unlocks := w.lockCall(s.Call); name != "" && unlocks {
			return h, false // held to the end
		}
		w.check(s.Call, h)
	case *ast.BlockStmt:
		return w.block(s, h)
	case *ast.LabeledStmt:
		return w.statement(s.Stmt, h)
	case *ast.IfStmt:
		h, _ = w.statement(s.Init, h)
		w.check(s.Cond, h)
		return w.ways(h, s.Else == nil, s.Body, s.Else)
	case *ast.ForStmt:
		h, _ = w.statement(s.Init, h)
		w.check(s.Cond, h)
		return w.loop(h, s.Body, s.Post), false
	case *ast.RangeStmt:
		w.check(s.X, h)
		return w.loop(h, s.Body), false
	case *ast.SwitchStmt:
		h, _ = w.statement(s.Init, h)
		w.check(s.Tag, h)
		return w.clauses(s.Body, h)
	case *ast.TypeSwitchStmt:
		h, _ = w.statement(s.Init, h)
		h, _ = w.statement(s.Assign, h)
		return w.clauses(s.Body, h)
	case *ast.SelectStmt:
		return w.clauses(s.Body, h)
	case *ast.CaseClause:
		return w.statements(s.Body, h)
	case *ast.CommClause:
		h, _ = w.statement(s.Comm, h)
		return w.statements(s.Body, h)
	case *ast.ReturnStmt, *ast.BranchStmt:
		w.check(s, h)
		return h, true
	default: // assignments, declarations: no statements within
		w.check(s, h)
	}
	return h, false
}

// expressionStatement is where locks are taken and freed.
func (w *lockWalker) expressionStatement(s *ast.ExprStmt, h held) (held, bool) {
	call, ok := s.X.(*ast.CallExpr)
	if !ok {
		w.check(s.X, h)
		return h, false
	}
	switch name, unlocks := w.lockCall(call); {
	case name == "":
		w.check(call, h)
		id, ok := call.Fun.(*ast.Ident)
		return h, ok && id.Name == "panic"
	case unlocks:
		h = maps.Clone(h)
		delete(h, name)
		return h, false
	default:
		return h.or(held{name: true}), false
	}
}

// ways joins the ways through some statements, one of which is taken, or none if
// none is true.
func (w *lockWalker) ways(h held, none bool, ways ...ast.Stmt) (held, bool) {
	after, ends := held{}, !none
	if none {
		after = h
	}
	for _, s := range ways {
		if s == nil {
			continue
		}
		if end, ended := w.statement(s, h); !ended {
			after, ends = after.or(end), false
		}
	}
	return after, ends
}

// loop goes round twice, so that what is held at the end of a round is held at
// the beginning of the next.
func (w *lockWalker) loop(h held, body *ast.BlockStmt, post ...ast.Stmt) held {
	for range 2 {
		end, _ := w.block(body, h)
		end, _ = w.statements(post, end)
		h = h.or(end)
	}
	return h
}

func (w *lockWalker) clauses(body *ast.BlockStmt, h held) (held, bool) {
	none := !slices.ContainsFunc(body.List, func(s ast.Stmt) bool {
		c, ok := s.(*ast.CaseClause)
		return ok && c.List == nil
	})
	after, ends := w.ways(h, none, body.List...)
	// A break out of a clause goes on behind the switch with what is held there,
	// which the clause's own end does not show.
	ast.Inspect(body, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Label == nil {
			after, ends = after.or(h), false
		}
		return true
	})
	return after, ends
}

// check reports the calls within n that may yield, if a lock is held.
func (w *lockWalker) check(n ast.Node, h held) {
	if len(h) == 0 || n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if literal, ok := n.Fun.(*ast.FuncLit); ok {
				w.block(literal.Body, h)
			} else if w.yields.mayYield(w.info, n) {
				w.add(n, h)
			}
		}
		return true
	})
}

func (w *lockWalker) add(call *ast.CallExpr, h held) {
	if !slices.ContainsFunc(w.found, func(f heldCall) bool { return f.call == call }) {
		w.found = append(w.found, heldCall{call, h})
	}
}

// lockCall returns the name of the sync lock that call takes or frees, "" if it
// does neither.
func (w *lockWalker) lockCall(call *ast.CallExpr) (name string, unlocks bool) {
	fn := called(w.info, call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "sync" {
		return "", false
	}
	lock := types.ExprString(call.Fun.(*ast.SelectorExpr).X)
	switch fn.Name() {
	case "Lock":
		return lock, false
	case "Unlock":
		return lock, true
	case "RLock":
		return lock + " (for reading)", false
	case "RUnlock":
		return lock + " (for reading)", true
	}
	return "", false
}
