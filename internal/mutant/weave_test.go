package mutant

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const program = `package main

import "fmt"

const word = "word"

// The order of initialization must not matter: called before main.
var early = sum(1, 2)

func sum(a, b int) int {
	if a > b {
		return a
	}
	return a + b
}

func say() { fmt.Print(word, early, " ") }

func main() {
	say()
	fmt.Print(sum(2, 1))
}
`

// changed is the program with some lines changed.
func changed(lines ...string) (before, after map[string]string) {
	return map[string]string{"main.go": program}, map[string]string{"main.go": strings.NewReplacer(lines...).Replace(program)}
}

// A woven program is each of its mutants when it is told so, and itself otherwise.
func TestWovenMutantsAreThemselves(t *testing.T) {
	w := newWeave()
	add := func(name string, lines ...string) bool {
		before, after := changed(lines...)
		return w.add(name, before, after)
	}
	for what, added := range map[string]bool{
		"minus":     add("minus", "a + b", "a - b"),
		"never":     add("never", "a > b", "a > 10"),
		"both":      add("both", "a + b", "a * 7", "early, ", `"!", `),
		"no result": add("no result", "	say()\n", ""),
		"import":    add("import", `import "fmt"`, "import (\n\t\"fmt\"\n\n\t\"strings\"\n)", "sum(2, 1)", `strings.ToUpper(word)`),
		"the same":  add("the same", `import "fmt"`, "import (\n\t\"fmt\"\n\t\"strings\"\n)", "sum(2, 1)", `strings.Repeat(word, 2)`),
	} {
		if !added {
			t.Errorf("%s changes bodies of functions, and is not woven in", what)
		}
	}
	for what, added := range map[string]bool{
		"a constant":  add("x", `"word"`, `"other"`),
		"a signature": add("x", "a, b int", "b, a int"),
		"an import":   add("x", `"fmt"`, `. "fmt"`),
		"no Go":       add("x", "func main() {", "func main() {{"),
	} {
		if added {
			t.Errorf("%s is changed, and woven into the bodies of functions", what)
		}
	}
	binary := compiled(t, w.files()["main.go"])
	for name, want := range map[string]string{
		"": "word3 2", "minus": "word-1 2", "never": "word3 3", "both": "word! 2", "no result": "2", "import": "word3 WORD",
		"the same": "word3 wordword", "x": "word3 2",
	} {
		cmd := exec.CommandContext(t.Context(), binary)
		cmd.Env = append(os.Environ(), chosen+"="+name)
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("mutant %q: %q, %v; want %q", name, out, err, want)
		}
	}
}

// A body that does not end as a function must is an error and not another body's
// beginning.
func TestWovenMutantsMustEnd(t *testing.T) {
	w := newWeave()
	before, after := changed("	return a + b\n", "")
	if !w.add("falls through", before, after) {
		t.Fatal("not woven in")
	}
	if out, err := compile(t, w.files()["main.go"], filepath.Join(t.TempDir(), "program")); err == nil || !strings.Contains(string(out), "missing return") {
		t.Errorf("%v, %s", err, out)
	}
}

func compiled(t *testing.T, text string) (binary string) {
	t.Helper()
	binary = filepath.Join(t.TempDir(), "program")
	if out, err := compile(t, text, binary); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
	return binary
}

func compile(t *testing.T, text, binary string) ([]byte, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return exec.CommandContext(t.Context(), "go", "build", "-o", binary, file).CombinedOutput()
}
