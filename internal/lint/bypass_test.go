package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// bypassExceptions are the places that go around package task, and why they may.
var bypassExceptions = []exception{
	{"internal/backend/disk", "", ruleSync, 1, "who waits for the disk waits on real time: engines on virtual time have no directory"},
	{"internal/backend/dynamo/expr", "", ruleSync, 1, "reservedWords is a table made of a text: nothing in it can yield"},
	{"manifest/shardpb", "", ruleSync, 1, "generated: the Once guards a compression in memory, where nothing can yield"},
	{"internal/sim/checker", "WriteHTML", ruleContext, 1, "drawing is bounded by steps and waits for nothing, so callers have no context to give"},
}

func TestNothingGoesAroundTask(t *testing.T) {
	var breaches []breach
	for _, s := range ownSources(t) {
		if runsOnVirtualTime(s.pkg) && !isForTests(s.pkg) {
			breaches = append(breaches, bypasses(s)...)
		}
	}
	enforce(t, breaches, bypassExceptions)
}

func TestBypassesAreFound(t *testing.T) {
	names, err := filepath.Glob("testdata/bypass/*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("no files (%v)", err)
	}
	var files []source
	var breaches []breach
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		s := source{"bypass", name, fset, file}
		files = append(files, s)
		breaches = append(breaches, bypasses(s)...)
	}
	checkWanted(t, files, breaches)
}

// Rules, and what they are about. What they ban blocks outside of the runtime,
// runs beside its tasks, or differs from run to run.
const (
	ruleGo      = "go"      // tasks are started by groups
	ruleChannel = "channel" // tasks hand values on through queues
	ruleClock   = "clock"   // the clock is the runtime's
	ruleContext = "context" // contexts end on the runtime, and come with it
	ruleSync    = "sync"    // what waits for other goroutines
	ruleRandom  = "random"  // randomness comes from a seed
	ruleImport  = "import"  // packages that do one of these
	ruleDot     = "dot"     // imports that hide where a name comes from
)

// bannedNames are functions and types by package path and rule.
var bannedNames = map[string]struct {
	rule  string
	names map[string]bool
}{
	"time": {ruleClock, set("Now", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick", "Since", "Until", "Timer", "Ticker")},
	"context": {ruleContext, set("WithCancel", "WithCancelCause", "WithTimeout", "WithTimeoutCause", "WithDeadline",
		"WithDeadlineCause", "AfterFunc", "Background", "TODO")},
	// A Once is a lock held over the function that it calls.
	"sync":    {ruleSync, set("WaitGroup", "Cond", "NewCond", "Once", "OnceFunc", "OnceValue", "OnceValues")},
	"runtime": {ruleSync, set("Gosched", "Goexit", "LockOSThread")},
}

// allowedRandom is what math/rand/v2 has but for the functions on the global
// generator.
var allowedRandom = set("New", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "Source", "PCG", "ChaCha8", "Zipf")

// bannedImports are packages with nothing in them to use here.
var bannedImports = map[string]string{
	"math/rand":                      "its seed is global or of 32 bits; use math/rand/v2",
	"crypto/rand":                    "randomness comes from a seed",
	"hash/maphash":                   "its hashes differ from run to run",
	"os/signal":                      "signals are the command's",
	"testing/synctest":               "tasks have a virtual clock of their own",
	"golang.org/x/sync/errgroup":     "use task.Group",
	"golang.org/x/sync/semaphore":    "use task.Semaphore",
	"golang.org/x/sync/singleflight": "use package task",
}

func set(names ...string) map[string]bool {
	s := map[string]bool{}
	for _, n := range names {
		s[n] = true
	}
	return s
}

// bypasses finds what goes around package task in one file.
func bypasses(s source) []breach {
	v := &bypassVisitor{source: s, imports: map[string]string{}}
	for _, spec := range s.file.Imports {
		v.addImport(spec)
	}
	for _, decl := range s.file.Decls {
		v.fn = ""
		if fn, ok := decl.(*ast.FuncDecl); ok {
			v.fn = functionName(fn)
		}
		ast.Inspect(decl, v.visit)
	}
	return v.found
}

type bypassVisitor struct {
	source
	imports map[string]string // name in the file to path
	fn      string
	found   []breach
}

func (v *bypassVisitor) report(at ast.Node, rule, format string, args ...any) {
	v.found = append(v.found, breach{
		pkg: v.pkg, fn: v.fn, rule: rule, file: v.name, line: v.fset.Position(at.Pos()).Line, detail: fmt.Sprintf(format, args...),
	})
}

func (v *bypassVisitor) addImport(spec *ast.ImportSpec) {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return
	}
	if why, banned := bannedImports[path]; banned {
		v.report(spec, ruleImport, "import of %s: %s", path, why)
	}
	name := filepath.Base(path)
	if path == "math/rand/v2" {
		name = "rand"
	}
	if spec.Name != nil {
		name = spec.Name.Name
	}
	if name == "." {
		v.report(spec, ruleDot, "dot import of %s", path)
	}
	v.imports[name] = path
}

func (v *bypassVisitor) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		v.report(n, ruleGo, "go statement; use task.Group")
	case *ast.ChanType:
		v.report(n, ruleChannel, "channel type; use task.Queue")
	case *ast.SendStmt:
		v.report(n, ruleChannel, "send to a channel")
	case *ast.SelectStmt:
		v.report(n, ruleChannel, "select; use a context and package task")
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			v.report(n, ruleChannel, "receive from a channel")
		}
	case *ast.SelectorExpr:
		v.checkSelector(n)
	}
	return true
}

func (v *bypassVisitor) checkSelector(n *ast.SelectorExpr) {
	// A name that the parser finds declared is a variable and no import.
	id, ok := n.X.(*ast.Ident)
	if !ok || id.Obj != nil {
		return
	}
	path, name := v.imports[id.Name], n.Sel.Name
	if ban, ok := bannedNames[path]; ok && ban.names[name] {
		v.report(n, ban.rule, "%s.%s; use package task", path, name)
	}
	if path == "math/rand/v2" && !allowedRandom[name] {
		v.report(n, ruleRandom, "%s.%s has a global seed", path, name)
	}
}

// functionName is fn's name, with its receiver's type as in (*Store).Get.
func functionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	receiver := fn.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		return fmt.Sprintf("(*%s).%s", typeName(star.X), fn.Name.Name)
	}
	return fmt.Sprintf("%s.%s", typeName(receiver), fn.Name.Name)
}

// typeName is the name of a type without its parameters.
func typeName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.IndexExpr:
		return typeName(t.X)
	case *ast.IndexListExpr:
		return typeName(t.X)
	}
	return "?"
}
