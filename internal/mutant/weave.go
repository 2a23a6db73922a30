package mutant

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
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
	flags    []string    // declarations of the variables that branches look at
}

type variant struct{ flag, body string }

func newWeave() *weave { return &weave{sources: make(map[string]*source)} }

// add adds a mutant, unless it changes more than the bodies of functions.
func (w *weave) add(name string, before, after map[string]string) bool {
	frames := make(map[string]frame)
	for file := range after {
		was, err := frameOf(before[file])
		if err != nil {
			return false
		}
		is, err := frameOf(after[file])
		if err != nil || is.outside() != was.outside() {
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
	whole := text.String()
	return whole[:s.frame.imports] + "; import wovenOS \"os\"" + whole[s.frame.imports:] + "\n" + strings.Join(s.flags, "")
}

// A frame is a file taken apart: the bodies of its functions, braces and all, and
// the text before, between and behind them.
type frame struct {
	between, bodies []string
	imports         int // where imports begin: behind the package's name
}

func frameOf(text string) (frame, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return frame{}, err
	}
	offset := func(p token.Pos) int { return files.Position(p).Offset }
	f := frame{imports: offset(parsed.Name.End())}
	from := 0
	for _, decl := range parsed.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
			begin, end := offset(fn.Body.Lbrace), offset(fn.Body.Rbrace)+1
			f.between = append(f.between, text[from:begin])
			f.bodies = append(f.bodies, text[begin:end])
			from = end
		}
	}
	f.between = append(f.between, text[from:])
	return f, nil
}

// outside is everything but the bodies of functions, told apart by a byte that is
// in no Go file.
func (f frame) outside() string { return strings.Join(f.between, "\x00") }
