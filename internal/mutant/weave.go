package mutant

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// chosen is the variable of the environment that names the mutant in effect.
const chosen = "LAKEBENCH_MUTANT"

// A weave puts mutants beside each other: a function that some of them change gets
// the body of each, and a branch that takes the one in effect.
type weave struct {
	sources map[string]*source // by file
	flags   int                // names given so far
}

// A source is a file with the bodies that its functions have in mutants.
type source struct {
	frame    frame
	variants [][]variant // by function
	imports  []string    // that mutants add
	flags    []string    // declarations of the variables that branches look at
}

type variant struct{ flag, body string }

func newWeave() *weave { return &weave{sources: make(map[string]*source)} }

// add adds a mutant, unless it does more than to change the bodies of functions and
// to import what they use.
func (w *weave) add(name string, before, after map[string]string) bool {
	frames := make(map[string]frame)
	for file := range after {
		was, err := frameOf(before[file])
		if err != nil {
			return false
		}
		is, err := frameOf(after[file])
		if err != nil || is.outside != was.outside || !containsAll(is.imports, was.imports) {
			return false
		}
		frames[file] = is
		if w.sources[file] == nil {
			w.sources[file] = &source{frame: was, variants: make([][]variant, len(was.bodies))}
		}
	}
	for file, is := range frames {
		s := w.sources[file]
		flag := fmt.Sprintf("wovenMutant%d", w.flags)
		w.flags++
		s.flags = append(s.flags, fmt.Sprintf("var %s = wovenOS.Getenv(%q) == %q\n", flag, chosen, name))
		for _, path := range is.imports {
			if !slices.Contains(s.frame.imports, path) && !slices.Contains(s.imports, path) {
				s.imports = append(s.imports, path)
			}
		}
		for i, body := range is.bodies {
			if body != s.frame.bodies[i] {
				s.variants[i] = append(s.variants[i], variant{flag, body})
			}
		}
	}
	return true
}

// files returns the woven files.
func (w *weave) files() map[string]string {
	texts := make(map[string]string)
	for file, s := range w.sources {
		if len(s.flags) > 0 {
			texts[file] = s.woven()
		}
	}
	return texts
}

func (s *source) woven() string {
	var text strings.Builder
	for i, body := range s.frame.bodies {
		text.WriteString(s.frame.between[i])
		if len(s.variants[i]) == 0 {
			text.WriteString(body)
			continue
		}
		// In branches of one statement, each body must end as a function's must.
		text.WriteString("{\n")
		for _, v := range s.variants[i] {
			fmt.Fprintf(&text, "if %s %s else ", v.flag, v.body)
		}
		text.WriteString(body + "\n}")
	}
	text.WriteString(s.frame.between[len(s.frame.bodies)])
	whole, behind := text.String(), s.frame.named
	imports := "; import wovenOS \"os\""
	for _, path := range s.imports {
		imports += "; import " + path
	}
	return whole[:behind] + imports + whole[behind:] + "\n" + strings.Join(s.flags, "")
}

// A frame is a file taken apart: the bodies of its functions, braces and all, and
// the text before, between and behind them.
type frame struct {
	between, bodies []string
	imports         []string // as they are written
	outside         string   // everything but bodies and imports, told apart by a byte that is in no Go file
	named           int      // where the package's name ends
}

func frameOf(text string) (frame, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return frame{}, err
	}
	offset := func(p token.Pos) int { return files.Position(p).Offset }
	f := frame{named: offset(parsed.Name.End())}
	var outside []string
	from, kept := 0, 0
	for _, decl := range parsed.Decls {
		begin, end := offset(decl.Pos()), offset(decl.End())
		switch decl := decl.(type) {
		case *ast.GenDecl:
			if decl.Tok != token.IMPORT {
				continue
			}
		case *ast.FuncDecl:
			if decl.Body == nil {
				continue
			}
			begin = offset(decl.Body.Lbrace)
			f.between = append(f.between, text[from:begin])
			f.bodies = append(f.bodies, text[begin:end])
			from = end
		}
		outside = append(outside, text[kept:begin])
		kept = end
	}
	for _, spec := range parsed.Imports {
		f.imports = append(f.imports, text[offset(spec.Pos()):offset(spec.End())])
	}
	f.between = append(f.between, text[from:])
	f.outside = strings.Join(append(outside, text[kept:]), "\x00")
	return f, nil
}

func containsAll(all, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}
