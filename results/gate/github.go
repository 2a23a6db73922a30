package gate

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Bounds of what GitHub shows: ten error annotations a step, and a summary of
// 1 MiB (GitHub Docs, "Workflow commands for GitHub Actions").
const (
	mostAnnotations = 10
	// MostInSummary is how many causes a step's summary shows of a result.
	MostInSummary = 100
)

// WriteAnnotations writes a workflow command for each cause of failures, and, beyond
// what GitHub shows, one that says how many more there are.
func (r Report) WriteAnnotations(w io.Writer) error {
	type titled struct {
		title string
		Cause
	}
	var all []titled
	add := func(title string, causes []Cause) {
		for _, c := range causes {
			all = append(all, titled{title, c})
		}
	}
	for _, v := range r.Verdicts {
		add("lakebench: "+v.Workload, v.Causes)
	}
	add("lakebench", causesOf(r.Failures))
	slices.SortStableFunc(all, func(a, b titled) int { return larger(a.list[0], b.list[0]) })
	var b strings.Builder
	for i, c := range all {
		if i == mostAnnotations-1 && len(all) > mostAnnotations {
			fmt.Fprintf(&b, "::error title=lakebench::%s\n", commandText(fmt.Sprintf("%d more causes; the summary of this step lists them", len(all)-i)))
			break
		}
		title := c.title + ", " + string(c.Kind)
		if c.Findings > 1 {
			title += fmt.Sprintf(", %d failures", c.Findings)
		}
		fmt.Fprintf(&b, "::error title=%s::%s\n", commandProperty(title), commandText(c.Summary))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// commandText escapes the text of a workflow command, commandProperty one of its
// properties.
func commandText(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func commandProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(commandText(s))
}
