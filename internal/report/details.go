package report

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/results"
)

// details is what only a report has room for.
func details(doc results.Document) []render.Block {
	return []render.Block{
		attempts(doc),
		render.Section{Title: "Assumptions", Folded: true, Blocks: []render.Block{assumptions(doc)}},
		render.Section{Title: "Parameters", Folded: true, Blocks: []render.Block{parameters(doc)}},
		render.Section{Title: "Environment", Folded: true, Blocks: []render.Block{environment(doc)}},
		render.Section{Title: "How to reproduce", Folded: true, Blocks: []render.Block{render.Code(reproduce(doc))}},
	}
}

func parameters(doc results.Document) render.Facts {
	var out render.Facts
	for _, name := range slices.Sorted(maps.Keys(doc.Workload.Params)) {
		out = append(out, render.Fact{Name: name, Value: listed(doc.Workload.Params[name])})
	}
	return out
}

// listed writes a parameter as --set takes it. A document that was read has lists
// of any, one that was just made has lists of numbers.
func listed(v any) string {
	list := reflect.ValueOf(v)
	if list.Kind() != reflect.Slice {
		return fmt.Sprint(v)
	}
	var parts []string
	for i := range list.Len() {
		parts = append(parts, fmt.Sprint(list.Index(i).Interface()))
	}
	return strings.Join(parts, ",")
}

func environment(doc results.Document) render.Facts {
	e := doc.Environment
	out := render.Facts{
		{Name: "run", Value: doc.RunID},
		{Name: "started", Value: doc.Started.Format(time.RFC3339)},
		{Name: "took", Value: doc.Ended.Sub(doc.Started).Round(time.Millisecond).String()},
		{Name: "lakebench", Value: doc.Lakebench.Version + " " + doc.Lakebench.Commit},
		{Name: "workload", Value: fmt.Sprintf("%s, version %d", doc.Workload.Name, doc.Workload.Version)},
		{Name: "workload hash", Value: doc.Workload.Hash},
		{Name: "seed, repeats", Value: fmt.Sprintf("%d, %d", doc.Seed, doc.Repeats)},
		{Name: "clock", Value: string(doc.Clock)},
		{Name: "counts", Value: map[bool]string{true: "deterministic", false: "a distribution: they vary from run to run"}[doc.Deterministic]},
		{Name: "machine", Value: fmt.Sprintf("%s/%s, %d CPUs, %s", e.OS, e.Arch, e.CPUs, e.Go)},
		{Name: "services", Value: strings.TrimSpace(e.Backend.Kind + " " + e.Backend.Endpoint + " " + e.Backend.Region)},
	}
	for _, name := range slices.Sorted(maps.Keys(e.Backend.Settings)) {
		out = append(out, render.Fact{Name: name, Value: e.Backend.Settings[name]})
	}
	return out
}

func assumptions(doc results.Document) render.List {
	var out render.List
	add := func(text string) { out = append(out, render.Paragraph{Text: text}) }
	embedded := doc.Environment.Backend.Kind == "embedded"
	if embedded {
		add("Units are computed in the embedded services from the documented rules of AWS.")
	} else {
		add("Units are what the service reported; a request that failed reports none.")
	}
	if doc.Clock == results.VirtualClock {
		add("Times are those of a model on a virtual clock, not measured.")
	} else if embedded {
		add("Times are those of the embedded services on this machine: compare them with one another, not with AWS.")
	}
	add("Dollars are request charges on demand; storage, transfer, backups, taxes and the free tier are left out.")
	return out
}

// reproduce is the command that makes the run again.
func reproduce(doc results.Document) string {
	words := []string{
		"lakebench run " + doc.Workload.Name, "--variant " + strings.Join(doc.Variants(), ","),
		fmt.Sprintf("--seed %d", doc.Seed), fmt.Sprintf("--repeats %d", doc.Repeats),
	}
	switch e := doc.Environment.Backend; {
	case e.Kind == "embedded" && doc.Clock == results.RealClock:
		words = append(words, "--clock real")
	case e.Kind != "embedded":
		words = append(words, "--backend endpoint")
		if e.Endpoint != "" {
			words = append(words, "--dynamodb-endpoint "+quoted(e.Endpoint))
		}
	}
	comment := ""
	for _, p := range parameters(doc) {
		if p.Name == "history" { // no parameter, but the hash of a file
			words, comment = append(words, "--history FILE"), "\n# FILE is the history whose SHA-256 is "+p.Value
			continue
		}
		words = append(words, "\\\n  --set "+quoted(p.Name+"="+p.Value))
	}
	return strings.Join(words, " ") + comment
}

// quoted keeps a shell from taking a word apart.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.,=/:+@%", r)
	}
	if strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
