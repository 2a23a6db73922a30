package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/lakebench/lakebench"

// root is the module's directory as seen from this package's.
const root = "../.."

// source is a parsed file that is not a test.
type source struct {
	pkg  string // directory below the module, such as store/v1
	name string // path below the module
	fset *token.FileSet
	file *ast.File
}

// sources parses all files of a module but for tests, testdata and what the go
// command leaves out as well.
func sources(module fs.FS) ([]source, error) {
	var all []source
	err := fs.WalkDir(module, ".", func(name string, entry fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (base == "testdata" || base == "bin" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(module, name)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments)
		if err != nil {
			return err
		}
		all = append(all, source{path.Dir(name), name, fset, file})
		return nil
	})
	return all, err
}

func ownSources(t *testing.T) []source {
	t.Helper()
	all, err := sources(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Fatalf("found %d files: is %s the module?", len(all), root)
	}
	return all
}

// below reports whether pkg is dir or a directory below it.
func below(pkg, dir string) bool { return pkg == dir || strings.HasPrefix(pkg, dir+"/") }

// onVirtualTime are the directories of docs/design.md §2 whose code runs on virtual
// time too.
var onVirtualTime = []string{
	"store", "migrate", "manifest", "wal", "run", "workloads", "internal/sim/explore", "internal/sim/checker", "internal/meter", "internal/backend",
}

func runsOnVirtualTime(pkg string) bool {
	return slices.ContainsFunc(onVirtualTime, func(dir string) bool { return below(pkg, dir) })
}

// A breach is one place that breaks a rule.
type breach struct {
	pkg    string
	fn     string // such as (*Store).Get; "" outside of functions
	rule   string // short name
	file   string
	line   int
	detail string
}

func (b breach) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", b.file, b.line, b.rule, b.detail)
}

// An exception lets a function break a rule a number of times.
type exception struct {
	pkg, fn, rule string
	times         int
	why           string
}

// enforce reports the breaches without an exception, and the exceptions that do
// not match what is there.
func enforce(t *testing.T, breaches []breach, exceptions []exception) {
	t.Helper()
	left := map[exception][]breach{}
	for _, b := range breaches {
		i := slices.IndexFunc(exceptions, func(e exception) bool { return e.pkg == b.pkg && e.fn == b.fn && e.rule == b.rule })
		if i < 0 {
			t.Errorf("%v (in %q of %s; docs/design.md §2)", b, b.fn, b.pkg)
			continue
		}
		left[exceptions[i]] = append(left[exceptions[i]], b)
	}
	for _, e := range exceptions {
		if e.why == "" {
			t.Errorf("exception %+v gives no reason", e)
		}
		if found := left[e]; len(found) != e.times {
			t.Errorf("%s %s breaks %q %d times, the exception is for %d: %v", e.pkg, e.fn, e.rule, len(found), e.times, found)
		}
	}
}

// checkWanted compares breaches with the comments `// want "rule"` of the lines
// of files that must be rejected.
func checkWanted(t *testing.T, files []source, breaches []breach) {
	t.Helper()
	type place struct {
		file string
		line int
		rule string
	}
	wanted := map[place]bool{}
	for _, s := range files {
		for _, group := range s.file.Comments {
			for _, c := range group.List {
				_, rest, found := strings.Cut(c.Text, "// want ")
				if !found {
					continue
				}
				for rule := range strings.SplitSeq(rest, ", ") {
					wanted[place{s.name, s.fset.Position(c.Pos()).Line, strings.Trim(rule, `"`)}] = true
				}
			}
		}
	}
	if len(wanted) == 0 {
		t.Error("the files want nothing")
	}
	for _, b := range breaches {
		p := place{b.file, b.line, b.rule}
		if !wanted[p] {
			t.Errorf("not wanted: %v", b)
		}
		delete(wanted, p)
	}
	for p := range wanted {
		t.Errorf("%s:%d: want %q, and it passes", p.file, p.line, p.rule)
	}
}
