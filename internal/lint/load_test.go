package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// checked is a package of the module, parsed without its tests, and its types.
type checked struct {
	path string // import path
	pkg  string // below the module
	fset *token.FileSet
	info *types.Info
	src  []source
}

// listed is what `go list -json` says about a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
	Error                   *struct{ Err string }
}

// load checks the types of the module's packages that match the patterns. What
// they import is known from the compiler's export data, which the go command
// makes, or has in its cache.
func load(t *testing.T, patterns ...string) []checked {
	t.Helper()
	args := append([]string{"list", "-e", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly,Error"}, patterns...)
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := map[string]listed{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		p, ok := packages[path]
		if !ok || p.Export == "" {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(p.Export)
	})
	var all []checked
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		p := packages[path]
		if p.DepOnly || len(p.GoFiles) == 0 {
			continue
		}
		if p.Error != nil {
			t.Errorf("%s: %s", p.ImportPath, p.Error.Err)
			continue
		}
		c, err := check(p, fset, imports)
		if err != nil {
			t.Errorf("%s: %v", p.ImportPath, err)
			continue
		}
		all = append(all, c)
	}
	return all
}

func check(p listed, fset *token.FileSet, imports types.Importer) (checked, error) {
	c := checked{
		path: p.ImportPath,
		pkg:  strings.TrimPrefix(p.ImportPath, module+"/"),
		fset: fset,
		info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{},
			Defs:  map[*ast.Ident]types.Object{},
			Uses:  map[*ast.Ident]types.Object{},
		},
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return checked{}, err
		}
		files = append(files, file)
		c.src = append(c.src, source{c.pkg, filepath.Join(c.pkg, name), fset, file})
	}
	_, err := (&types.Config{Importer: imports}).Check(p.ImportPath, fset, files, c.info)
	return c, err
}
