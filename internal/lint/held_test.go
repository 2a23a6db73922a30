package lint

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// ruleHeld: a lock of package sync must not be held where another task could
// run. On virtual time that task would wait for the lock without the runtime
// knowing, and the run would hang; task.Mutex is for that.
const ruleHeld = "held"

// heldExceptions are the places that hold a sync lock over a call that may
// yield, and why they may.
var heldExceptions = []exception{
	{"internal/backend/fault", "(*Injector).land", ruleHeld, 1, "the group has no limit, so Go does not wait"},
}

func TestNoSyncLockIsHeldOverAYield(t *testing.T) {
	if testing.Short() {
		t.Skip("checks the types of the whole module")
	}
	loaded := load(t, "./...")
	y := newYields(loaded)
	var breaches []breach
	for _, c := range loaded {
		if runsOnVirtualTime(c.pkg) && !isForTests(c.pkg) {
			breaches = append(breaches, heldLocks(c, y)...)
		}
	}
	enforce(t, breaches, heldExceptions)
}

func TestHeldLocksAreFound(t *testing.T) {
	loaded := load(t, "./internal/lint/testdata/held")
	checkWanted(t, loaded[0].src, heldLocks(loaded[0], newYields(loaded)))
}

// heldLocks finds the calls of a package that may yield while a sync lock is
// held. It does not see a lock that a called function leaves held.
func heldLocks(c checked, y yields) []breach {
	var found []breach
	for _, s := range c.src {
		for _, decl := range s.file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			for _, f := range walkLocks(c.info, y, fn.Body) {
				found = append(found, breach{
					pkg: c.pkg, fn: functionName(fn), rule: ruleHeld, file: s.name, line: c.fset.Position(f.call.Pos()).Line,
					detail: fmt.Sprintf("%s may yield while %s is locked; use task.Mutex", types.ExprString(f.call.Fun), f.locks),
				})
			}
		}
	}
	return found
}

// yields knows the functions of the module in which another task may run.
type yields struct{ functions map[string]bool }

const taskPath = module + "/internal/sim/task"

// yielding are the functions of package task in which another task may run.
var yielding = set(
	"Sleep", "Yield", "Run", "(*Group).Go", "(*Group).Wait", "(*Semaphore).Acquire", "(*Mutex).Lock", "(*Queue[T]).Put", "(*Queue[T]).Get",
)

// quiet are packages whose functions take a context and do not yield.
var quiet = set("context", "log/slog", module+"/internal/cause")

// newYields follows calls from package task upwards, to the functions that may
// come to it. What a function literal calls counts as called by the function
// around it.
func newYields(loaded []checked) yields {
	y := yields{map[string]bool{}}
	callers := map[string][]string{} // by callee
	for _, c := range loaded {
		if c.path == taskPath {
			continue
		}
		for _, s := range c.src {
			for _, decl := range s.file.Decls {
				fn, ok := decl.(*ast.FuncDecl)
				if !ok || fn.Body == nil {
					continue
				}
				name := c.info.Defs[fn.Name].(*types.Func).FullName()
				ast.Inspect(fn.Body, func(n ast.Node) bool {
					call, ok := n.(*ast.CallExpr)
					if !ok {
						return true
					}
					if own := ownFunction(c.info, call); own != "" {
						callers[own] = append(callers[own], name)
					} else if y.mayYield(c.info, call) {
						y.functions[name] = true
					}
					return true
				})
			}
		}
	}
	var spread func(callee string)
	spread = func(callee string) {
		for _, caller := range callers[callee] {
			if !y.functions[caller] {
				y.functions[caller] = true
				spread(caller)
			}
		}
	}
	for callee := range callers {
		if y.functions[callee] {
			spread(callee)
		}
	}
	return y
}

// mayYield reports whether another task may run during call. A function that is
// not known, such as a method of an interface, may yield if it takes a context:
// everything that yields needs one.
func (y yields) mayYield(info *types.Info, call *ast.CallExpr) bool {
	if own := ownFunction(info, call); own != "" {
		return y.functions[own]
	}
	if fn := called(info, call); fn != nil && fn.Pkg() != nil {
		switch path := fn.Pkg().Path(); {
		case path == taskPath:
			return yielding[strings.ReplaceAll(fn.FullName(), path+".", "")]
		case quiet[path]:
			return false
		}
	}
	signature, ok := info.TypeOf(call.Fun).Underlying().(*types.Signature)
	return ok && slices.ContainsFunc(slices.Collect(signature.Params().Variables()), func(v *types.Var) bool {
		return v.Type().String() == "context.Context"
	})
}

// ownFunction returns the name of the function that call calls if it is one of
// the module whose body decides whether it yields, else "".
func ownFunction(info *types.Info, call *ast.CallExpr) string {
	fn := called(info, call)
	if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() == taskPath || !below(fn.Pkg().Path(), module) {
		return ""
	}
	if receiver := fn.Signature().Recv(); receiver != nil && types.IsInterface(receiver.Type()) {
		return ""
	}
	return fn.FullName()
}

// called returns the function or method that call names, nil if it calls a value
// or converts.
func called(info *types.Info, call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch index := fun.(type) { // type arguments
	case *ast.IndexExpr:
		fun = index.X
	case *ast.IndexListExpr:
		fun = index.X
	}
	var id *ast.Ident
	switch f := fun.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return nil
	}
	fn, ok := info.Uses[id].(*types.Func)
	if !ok {
		return nil
	}
	return fn.Origin()
}
