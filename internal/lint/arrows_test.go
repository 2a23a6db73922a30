package lint

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// arrows are those of docs/design.md §1: each part of the house and what it may
// import. An arrow stands for one over several steps as well, so migrate may
// import store. A part is a directory with all below it that is not a part.
var arrows = map[string][]string{
	"internal/sim/explore": {"run", "migrate", "internal/backend"},
	"workloads":            {"run", "migrate", "store/catalog"},
	"run":                  {"run/load", "run/metric", "wal", "internal/sim/checker", "history", "results", "internal/backend", "store/item", "store/v1"},
	"run/load":             {"internal/meter", "history"},
	"run/metric":           {"results"},

	"migrate":            {"store/dual"},
	"store/dual":         {"store/v1", "store/v2"},
	"store/v1":           {"store/control"},
	"store/v2":           {"store/control"},
	"store/control":      {"store/item"},
	"store/item":         {"store"},
	"store/catalog":      {"store"},
	"store/keyspace":     nil,
	"internal/storetest": {"store", "internal/mutant", "internal/requestlog"},
	"store":              nil,

	"wal":      {"manifest", "internal/render"},
	"manifest": nil,

	"internal/backend":             {"internal/backend/direct", "internal/backend/s3", "internal/backend/latency"},
	"internal/backend/direct":      {"internal/backend/dynamo", "internal/backend/fault", "internal/backend/retry", "internal/meter"},
	"internal/backend/dynamo":      {"internal/attr", "internal/backend/tally", "internal/backend/disk"},
	"internal/backend/s3":          {"internal/backend/tally"},
	"internal/backend/fault":       nil,
	"internal/backend/latency":     nil,
	"internal/backend/retry":       nil,
	"internal/backend/tally":       nil,
	"internal/backend/disk":        nil,
	"internal/backend/backendtest": {"internal/backend"},
	"internal/meter":               nil,

	"internal/report":       {"plots", "migrate"},
	"plots":                 {"results"},
	"plan":                  {"plots", "store/control", "manifest"},
	"deploy":                {"results"},
	"results":               {"internal/render"},
	"internal/render":       nil,
	"internal/resultstest":  {"run/metric"},
	"internal/manifesttest": {"manifest", "internal/requestlog"},
	"history":               {"internal/render", "internal/attr"},
	"internal/sim/checker":  nil,

	"internal/sim":      nil,
	"internal/sim/task": nil,
	"internal/cause":    nil,
	"internal/counts":   nil,
	"internal/digest":   nil,
	"internal/units":    nil,
	"internal/cost":     nil,
	"internal/price":    nil,
	"internal/attempt":  nil,
	"internal/concern":  nil,
	"internal/attr":     nil,

	"internal/lint":       nil,
	"internal/mutant":     nil,
	"internal/requestlog": nil,
	"internal/quantity":   nil,
	"internal/spelling":   nil,
	"internal/atomicfile": nil,
	"internal/yamlfile":   nil,
}

// leaves may be imported by everything.
var leaves = []string{"internal/sim/task", "internal/cause", "internal/counts", "internal/digest", "internal/units", "internal/cost", "store/keyspace", "internal/price", "internal/attempt", "internal/concern", "internal/quantity", "internal/spelling", "internal/yamlfile", "internal/atomicfile"}

// command may import everything but what is for tests.
const command = "cmd"

// forTests may be imported by tests alone, and by packages that are for tests
// themselves: those whose name ends in "test".
var forTests = []string{"internal/mutant", "internal/lint", "internal/requestlog"}

// never are the arrows that docs/design.md §1 rules out, so that they are not added.
var never = []struct{ from, to []string }{
	{[]string{"store", "manifest", "wal", "migrate"}, []string{"internal/backend", "internal/meter", "results", "workloads", "run"}},
	{[]string{"results"}, []string{"internal/meter"}},
}

func TestArrows(t *testing.T) {
	for _, wrong := range wrongImports(ownSources(t)) {
		t.Error(wrong)
	}
}

// wrongImports lists imports for which there is no arrow and packages that no
// arrow knows.
func wrongImports(files []source) []string {
	var wrong []string
	unknown := map[string]bool{}
	for _, s := range files {
		for _, spec := range s.file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue // the parser has checked it
			}
			if target, own := strings.CutPrefix(name, module+"/"); own && !mayImport(s.pkg, target) {
				wrong = append(wrong, fmt.Sprintf("%s: %s may not import %s (docs/design.md §1; the arrows are in internal/lint)", s.name, s.pkg, target))
			}
		}
		if partOf(s.pkg) == "" && !unknown[s.pkg] {
			unknown[s.pkg] = true
			wrong = append(wrong, fmt.Sprintf("%s: no arrow of internal/lint knows package %s (docs/design.md §1)", s.name, s.pkg))
		}
	}
	return wrong
}

func mayImport(from, to string) bool {
	fromPart, toPart := partOf(from), partOf(to)
	switch {
	case isForTests(toPart) || isForTests(to):
		return isForTests(from)
	case toPart == "" || toPart == command:
		return false
	case fromPart == toPart || fromPart == command || slices.Contains(leaves, toPart):
		return true
	}
	return reachable(fromPart)[toPart]
}

func isForTests(pkg string) bool {
	return slices.Contains(forTests, pkg) || strings.HasSuffix(path.Base(pkg), "test")
}

// partOf returns the part of the house that pkg belongs to, "" if none. Where
// parts lie below a part (store, backend), every package is a part of its own or
// below one of those.
func partOf(pkg string) string {
	if below(pkg, command) {
		return command
	}
	if _, ok := arrows[pkg]; ok {
		return pkg
	}
	for dir := path.Dir(pkg); dir != "."; dir = path.Dir(dir) {
		if _, ok := arrows[dir]; ok {
			if hasParts(dir) {
				return ""
			}
			return dir
		}
	}
	return ""
}

func hasParts(dir string) bool {
	for part := range arrows {
		if part != dir && below(part, dir) {
			return true
		}
	}
	return false
}

// reachable returns the parts that from may import, over any number of arrows.
func reachable(from string) map[string]bool {
	seen := map[string]bool{}
	var visit func(part string)
	visit = func(part string) {
		for _, to := range arrows[part] {
			if !seen[to] {
				seen[to] = true
				visit(to)
			}
		}
	}
	visit(from)
	return seen
}

// The arrows themselves lead to parts that exist, go round in no circle, and
// never where docs/design.md §1 says never.
func TestArrowsAreSound(t *testing.T) {
	for from, direct := range arrows {
		for _, to := range direct {
			if _, ok := arrows[to]; !ok {
				t.Errorf("%s → %s: there is no part %s", from, to, to)
			}
		}
		seen := reachable(from)
		if seen[from] {
			t.Errorf("a circle leads from %s to itself", from)
		}
		for _, ban := range never {
			if !slices.ContainsFunc(ban.from, func(dir string) bool { return below(from, dir) }) {
				continue
			}
			for to := range seen {
				if slices.ContainsFunc(ban.to, func(dir string) bool { return below(to, dir) }) {
					t.Errorf("an arrow leads from %s to %s, which docs/design.md §1 rules out", from, to)
				}
			}
		}
	}
}

// Each archive of testdata/arrows is a small module and, as "want", what must be
// said about it.
func TestWrongImportsAreFound(t *testing.T) {
	names, err := filepath.Glob("testdata/arrows/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives (%v)", err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		archive := txtar.Parse(data)
		i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
		if i < 0 {
			t.Fatalf("%s wants nothing", name)
		}
		want := strings.TrimSpace(string(archive.Files[i].Data))
		archive.Files = slices.Delete(archive.Files, i, i+1)
		module, err := txtar.FS(archive)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(arrowsOf(t, module), "\n"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

func arrowsOf(t *testing.T, module fs.FS) []string {
	t.Helper()
	files, err := sources(module)
	if err != nil {
		t.Fatal(err)
	}
	return wrongImports(files)
}

// docs/design.md §1 names every part, or the directory that it is below.
func TestDesignNamesEveryPart(t *testing.T) {
	const design = "docs/design.md"
	text, err := os.ReadFile(filepath.Join(root, design))
	if err != nil {
		t.Fatal(err)
	}
	d, _ := parseDocument(string(text))
	for part := range arrows {
		named := false
		for dir := part; dir != "."; dir = path.Dir(dir) {
			named = named || strings.Contains(d.sections["1"], "`"+dir+"`")
		}
		if !named {
			t.Errorf("%s §1 does not name %s", design, part)
		}
	}
}

// Every part that docs/design.md §2 wants on virtual time is a part.
func TestDirectoriesOnVirtualTimeAreParts(t *testing.T) {
	parts := slices.Collect(maps.Keys(arrows))
	for _, dir := range onVirtualTime {
		if !slices.Contains(parts, dir) {
			t.Errorf("%s is on virtual time and no part of the house", dir)
		}
	}
}
