package lint

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// A document is what references can name in a Markdown file.
type document struct {
	text     string
	sections map[string]string // number, such as 3.2, to the section's text
	anchors  map[string]bool   // of the headings, as GitHub makes them
}

// A hazardList is one of the two lists of docs/spec/hazards.md.
type hazardList string

const (
	metadataHazards hazardList = "metadata"
	manifestHazards hazardList = "manifest"
)

// hazardsFile numbers the hazards, with a section for each list.
const hazardsFile = "docs/spec/hazards.md"

// hazardLists gives the directories where a hazard without a list belongs to one,
// as docs/spec/hazards.md says.
var hazardLists = map[hazardList][]string{
	metadataHazards: {"store", "migrate", "internal/storetest", "internal/sim/explore", "docs/spec/metadata-store.md"},
	manifestHazards: {"manifest", "wal", "internal/manifesttest", "docs/spec/shard-manifest.md"},
}

// hazardListOf returns the list of hazards that a file means, "" if it must name one.
func hazardListOf(name string) hazardList {
	for list, dirs := range hazardLists {
		for _, dir := range dirs {
			if below(name, dir) {
				return list
			}
		}
	}
	return ""
}

// library is all that references can name.
type library struct {
	files       map[string]bool // files of the module, and their directories
	documents   map[string]document
	hazards     map[hazardList]int // how many there are
	makeTargets []string
}

// newLibrary reads the Markdown files among names. Its second result lists what
// is wrong with the documents themselves.
func newLibrary(module fs.FS, names []string) (library, []string, error) {
	l := library{files: map[string]bool{}, documents: map[string]document{}, hazards: map[hazardList]int{}}
	var wrong []string
	for _, name := range names {
		for dir := name; dir != "."; dir = path.Dir(dir) {
			l.files[dir] = true
		}
		if path.Ext(name) != ".md" && !below(name, "docs") {
			continue
		}
		text, err := fs.ReadFile(module, name)
		if err != nil {
			return library{}, nil, err
		}
		d, twice := parseDocument(string(text))
		for _, number := range twice {
			wrong = append(wrong, fmt.Sprintf("%s: there are two sections %s", name, number))
		}
		l.documents[name] = d
	}
	wrong = append(wrong, l.countHazards()...)
	if l.files["Makefile"] {
		makefile, err := fs.ReadFile(module, "Makefile")
		if err != nil {
			return library{}, nil, err
		}
		for _, target := range makeTarget.FindAllStringSubmatch(string(makefile), -1) {
			l.makeTargets = append(l.makeTargets, target[1])
		}
	}
	return l, wrong, nil
}

var (
	heading       = regexp.MustCompile(`^(#+) +(.*)$`)
	sectionNumber = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)*)\.? `)
	notInAnchors  = regexp.MustCompile(`[^\pL\pN _-]`)
	codeFence     = regexp.MustCompile("^ {0,3}```")
)

// parseDocument also returns the numbers that several sections have. A section
// ends with the next heading of its level or a higher one.
func parseDocument(text string) (document, []string) {
	d := document{text: text, sections: map[string]string{}, anchors: map[string]bool{}}
	var twice []string
	type open struct {
		number string
		level  int
	}
	var path []open
	code := false
	for line := range strings.Lines(text) {
		if codeFence.MatchString(line) {
			code = !code
		}
		if h := heading.FindStringSubmatch(strings.TrimSpace(line)); h != nil && !code {
			level := len(h[1])
			for len(path) > 0 && path[len(path)-1].level >= level {
				path = path[:len(path)-1]
			}
			if n := sectionNumber.FindStringSubmatch(h[2]); n != nil {
				if _, ok := d.sections[n[1]]; ok {
					twice = append(twice, n[1])
				}
				path = append(path, open{n[1], level})
			}
			anchor := notInAnchors.ReplaceAllString(strings.ToLower(h[2]), "")
			d.anchors[strings.ReplaceAll(anchor, " ", "-")] = true
		}
		for _, o := range path {
			d.sections[o.number] += line
		}
	}
	return d, twice
}

var listItem = regexp.MustCompile(`^([0-9]+)\. `)

// countHazards reads the lists of hazardsFile and reports numbers that are not
// 1, 2, 3 and so on.
func (l library) countHazards() []string {
	var wrong []string
	for _, section := range l.documents[hazardsFile].sections {
		var list hazardList
		switch title, _, _ := strings.Cut(strings.ToLower(section), "\n"); {
		case strings.HasSuffix(title, string(metadataHazards)+" hazards"):
			list = metadataHazards
		case strings.HasSuffix(title, string(manifestHazards)+" hazards"):
			list = manifestHazards
		default:
			continue
		}
		for line := range strings.Lines(section) {
			item := listItem.FindStringSubmatch(line)
			if item == nil {
				continue
			}
			l.hazards[list]++
			if want := strconv.Itoa(l.hazards[list]); item[1] != want {
				wrong = append(wrong, fmt.Sprintf("%s: %s hazard %s stands where %s belongs", hazardsFile, list, item[1], want))
			}
		}
	}
	return wrong
}
