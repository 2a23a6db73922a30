package lint

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/tools/txtar"
)

// unread are files whose references nobody keeps: the original notes, and
// references that are wrong on purpose.
var unread = []string{"docs/notes/metadata-layout.txt", "docs/notes/shard-manifest-change.txt", "internal/lint/testdata/references"}

// References to documents, sections, hazards and links resolve, in every text file.
func TestReferences(t *testing.T) {
	names := trackedFiles(t)
	wrong, err := wrongReferences(os.DirFS(root), names)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range wrong {
		t.Error(w)
	}
}

// Every hazard has a mutant, in a package whose tests must reject it.
func TestHazardsHaveMutants(t *testing.T) {
	names := trackedFiles(t)
	l, _, err := newLibrary(os.DirFS(root), names)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, name := range names {
		if m := mutantOfHazard.FindStringSubmatch(name); m != nil && path.Ext(name) == ".txtar" {
			have[string(hazardListOf(name))+m[2]] = true
		}
	}
	for list, dirs := range hazardLists {
		if l.hazards[list] == 0 {
			t.Errorf("%s has no %s hazards", hazardsFile, list)
		}
		for n := range l.hazards[list] {
			if !have[fmt.Sprintf("%s%02d", list, n+1)] {
				t.Errorf("%s hazard %d of %s has no mutant hazard%02d-….txtar below %s", list, n+1, hazardsFile, n+1, strings.Join(dirs, ", "))
			}
		}
	}
}

// trackedFiles lists what is or may be committed.
func trackedFiles(t *testing.T) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	var names []string
	for _, name := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if _, err := os.Lstat(filepath.Join(root, name)); err == nil { // not one that is about to be deleted
			names = append(names, name)
		}
	}
	return names
}

// wrongReferences lists the references in the text files among names that name
// nothing, each with its file and line.
func wrongReferences(module fs.FS, names []string) ([]string, error) {
	l, wrong, err := newLibrary(module, names)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if slices.ContainsFunc(unread, func(dir string) bool { return below(name, dir) }) {
			continue
		}
		if info, err := fs.Stat(module, name); err != nil || !info.Mode().IsRegular() {
			continue // a symbolic link, say
		}
		text, err := fs.ReadFile(module, name)
		if err != nil {
			return nil, err
		}
		if bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text) {
			continue
		}
		r := reading{library: l, name: name, text: string(text), joined: joinLines(string(text))}
		r.read()
		wrong = append(wrong, r.wrong...)
	}
	return wrong, nil
}

// reading is the search of one file.
type reading struct {
	library
	name   string
	text   string
	joined string // text with comments on one line, every byte where it was
	wrong  []string
}

func (r *reading) fail(offset int, format string, args ...any) {
	line := 1 + strings.Count(r.text[:offset], "\n")
	r.wrong = append(r.wrong, fmt.Sprintf("%s:%d: ", r.name, line)+fmt.Sprintf(format, args...))
}

func (r *reading) read() {
	r.documentReferences()
	r.shortReferences()
	r.hazardReferences()
	if path.Ext(r.name) == ".md" && !strings.Contains(r.name, "testdata/") {
		r.links()
		r.paths()
		r.targets()
	}
}

// lineBreak is the end of a line and the marks of a comment or a list after it.
var lineBreak = regexp.MustCompile(`\n[ \t]*(?://|#|>)?[ \t]*`)

// joinLines replaces each single line break, with the comment marks after it, by
// spaces, so that a reference may go on in the next line. Empty lines stay.
func joinLines(text string) string {
	joined := []byte(text)
	for _, at := range lineBreak.FindAllStringIndex(text, -1) {
		if at[1] < len(text) && text[at[1]] == '\n' || at[0] > 0 && joined[at[0]-1] == '\n' {
			continue
		}
		for i := at[0]; i < at[1]; i++ {
			joined[i] = ' '
		}
	}
	return string(joined)
}

var (
	// A document, the end of its link if it is one, sections, and quoted words.
	documentReference = regexp.MustCompile("\\b(docs/[\\w./-]*\\w)(?:`|\\]\\([^)]*\\))?((?:,? +(?:(?:and|to) +)?§[0-9]+(?:\\.[0-9]+)*)*)(, +\"([^\"§]+)\")?")
	sectionReference  = regexp.MustCompile(`§([0-9]+(?:\.[0-9]+)*)`)
	spaces            = regexp.MustCompile(`\s+`)
)

// documentReferences finds docs/….md §N, "words": the file must exist, have the
// sections, and the words must stand in the last of them.
func (r *reading) documentReferences() {
	for _, at := range documentReference.FindAllStringSubmatchIndex(r.joined, -1) {
		name := r.joined[at[2]:at[3]]
		if at[0] > 0 && strings.ContainsRune("/@", rune(r.joined[at[0]-1])) {
			continue // a part of an address
		}
		if !r.files[name] {
			r.fail(at[0], "there is no file %s", name)
			continue
		}
		d, within := r.documents[name], r.documents[name].text
		for _, s := range sectionReference.FindAllStringSubmatch(r.joined[at[4]:at[5]], -1) {
			text, ok := d.sections[s[1]]
			if !ok {
				r.fail(at[0], "%s has no section %s", name, s[1])
			}
			within = text
		}
		if at[8] < 0 {
			continue
		}
		if words := r.joined[at[8]:at[9]]; !strings.Contains(plainWords(within), plainWords(words)) {
			r.fail(at[0], "%q does not stand there in %s", spaces.ReplaceAllString(words, " "), name)
		}
	}
}

// plainWords folds what may differ between a text and a quotation of it.
func plainWords(s string) string {
	s = strings.NewReplacer("*", "", "`", "", "_", "").Replace(s)
	return strings.ToLower(spaces.ReplaceAllString(s, " "))
}

// short are ways to name a document that nobody can follow.
var short = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?:^|[^\w/])((?:spec|facts|notes)/[\w-]+\.(?:md|txt))\b`), "the name begins with docs/"},
	{regexp.MustCompile(`(?i)\b((?:spec|facts|specification|note) +§[0-9.]+)`), "name the file: docs/….md §N"},
	{regexp.MustCompile(`(?i)\b(issues? +#?[0-9]+)\b`), "state the reason here, or name a document"},
	{regexp.MustCompile(`\b(DESIGN\.md)\b`), "it is docs/design.md"},
	{regexp.MustCompile(`\b(seeds/0[0-9]+|(?:inputs|shared)/[\w./-]*\w)`), "it is not in the repository"},
}

func (r *reading) shortReferences() {
	for _, s := range short {
		for _, at := range s.pattern.FindAllStringSubmatchIndex(r.joined, -1) {
			if strings.HasSuffix(r.joined[:at[2]], "](") {
				continue // a link, from the file that holds it
			}
			r.fail(at[2], "%q: %s", r.joined[at[2]:at[3]], s.instead)
		}
	}
}

var (
	hazardReference = regexp.MustCompile(`(?i)\b(?:(metadata|manifest)[ -])?hazards? +([0-9]+(?:(?:, +(?:and +)?| +and +| +to +)[0-9]+)*)`)
	mutantOfHazard  = regexp.MustCompile(`(?:\b(metadata|manifest)-)?\bhazard([0-9]{2})-`)
	number          = regexp.MustCompile(`[0-9]+`)
)

// hazardReferences finds "hazard N", with or without a list, and names of mutants.
func (r *reading) hazardReferences() {
	for _, at := range hazardReference.FindAllStringSubmatchIndex(r.joined, -1) {
		var list string
		if at[2] >= 0 {
			list = strings.ToLower(r.joined[at[2]:at[3]])
		}
		for _, n := range number.FindAllString(r.joined[at[4]:at[5]], -1) {
			r.hazard(at[0], list, n)
		}
	}
	if m := mutantOfHazard.FindStringSubmatch(path.Base(r.name)); m != nil {
		r.hazard(0, m[1], m[2])
	}
	for _, at := range mutantOfHazard.FindAllStringSubmatchIndex(r.joined, -1) {
		var list string
		if at[2] >= 0 {
			list = r.joined[at[2]:at[3]]
		}
		r.hazard(at[0], list, r.joined[at[4]:at[5]])
	}
}

func (r *reading) hazard(offset int, list, digits string) {
	l := hazardList(list)
	if l == "" {
		l = hazardListOf(r.name)
	}
	if l == "" {
		r.fail(offset, "hazard %s: say metadata hazard or manifest hazard (%s)", digits, hazardsFile)
		return
	}
	if n, err := strconv.Atoi(digits); err != nil || n < 1 || n > r.hazards[l] {
		r.fail(offset, "%s has no %s hazard %s", hazardsFile, l, digits)
	}
}

var (
	link      = regexp.MustCompile(`\]\(([^)\s]+)(?: "[^"]*")?\)`)
	ownNumber = regexp.MustCompile(`(RFC [0-9]+,? )?§([0-9]+(?:\.[0-9]+)*)`)
)

// links finds links of a Markdown file to files and anchors of the module and, in
// docs, sections of the file itself.
func (r *reading) links() {
	for _, at := range link.FindAllStringSubmatchIndex(r.text, -1) {
		target := r.text[at[2]:at[3]]
		if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
			continue
		}
		file, anchor, _ := strings.Cut(target, "#")
		name := r.name
		if file != "" {
			name = path.Join(path.Dir(r.name), file)
		}
		switch {
		case !r.files[name]:
			r.fail(at[2], "the link leads to %s, which does not exist", name)
		case anchor != "" && !r.documents[name].anchors[anchor]:
			r.fail(at[2], "%s has no heading #%s", name, anchor)
		}
	}
	if !below(r.name, "docs") {
		return
	}
	named := documentReference.FindAllStringIndex(r.joined, -1)
	for _, at := range ownNumber.FindAllStringSubmatchIndex(r.joined, -1) {
		isNamed := slices.ContainsFunc(named, func(other []int) bool { return other[0] <= at[0] && at[0] < other[1] })
		if _, ok := r.documents[r.name].sections[r.joined[at[4]:at[5]]]; !ok && at[2] < 0 && !isNamed {
			r.fail(at[0], "this document has no section %s", r.joined[at[4]:at[5]])
		}
	}
}

var codePath = regexp.MustCompile("`([a-z][\\w.-]*/[\\w./-]*\\w)/?`")

// paths finds paths of the module in code spans of a Markdown file. Facts and notes
// name paths of other systems, and NAME stands for any name.
func (r *reading) paths() {
	if below(r.name, "docs/facts") || below(r.name, "docs/notes") {
		return
	}
	for _, at := range codePath.FindAllStringSubmatchIndex(r.text, -1) {
		name := r.text[at[2]:at[3]]
		top, _, _ := strings.Cut(name, "/")
		if r.files[top] && !r.files[name] && !strings.Contains(name, "NAME") {
			r.fail(at[2], "there is no file %s", name)
		}
	}
}

var (
	makeCommand = regexp.MustCompile("(?m)(?:`| {4})make ([a-z][a-z -]*[a-z])")
	makeTarget  = regexp.MustCompile(`(?m)^([a-z-]+):`)
)

// targets finds commands of a Markdown file that make something which the Makefile
// does not have.
func (r *reading) targets() {
	for _, at := range makeCommand.FindAllStringSubmatchIndex(r.text, -1) {
		for _, name := range strings.Fields(r.text[at[2]:at[3]]) {
			if !slices.Contains(r.makeTargets, name) {
				r.fail(at[2], "the Makefile has no target %s", name)
			}
		}
	}
}

// Each archive of testdata/references is a small module and, as "want", what must
// be reported about it.
func TestWrongReferencesAreFound(t *testing.T) {
	names, err := filepath.Glob("testdata/references/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives (%v)", err)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
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
		var files []string
		for _, f := range archive.Files {
			files = append(files, f.Name)
		}
		wrong, err := wrongReferences(module, files)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(wrong, "\n"); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}
