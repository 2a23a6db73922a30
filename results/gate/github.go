package gate

import (
	"fmt"
	"io"
	"strings"
)

// Bounds of what GitHub shows: ten error annotations a step, and a summary of
// 1 MiB (GitHub Docs, "Workflow commands for GitHub Actions").
const (
	mostAnnotations = 10
	// MostInSummary is how many findings of one kind a step's summary shows of a
	// result.
	MostInSummary = 100
)

// WriteAnnotations writes a workflow command for each failure, and, beyond what
// GitHub shows, one that says how many more there are.
func (r Report) WriteAnnotations(w io.Writer) error {
	type titled struct {
		title string
		Finding
	}
	var all []titled
	for _, v := range r.Verdicts {
		for _, f := range v.Failures {
			all = append(all, titled{"lakebench: " + v.Workload, f})
		}
	}
	for _, f := range r.Failures {
		all = append(all, titled{"lakebench", f})
	}
	var b strings.Builder
	for i, f := range all {
		if i == mostAnnotations-1 && len(all) > mostAnnotations {
			fmt.Fprintf(&b, "::error title=lakebench::%s\n", commandText(fmt.Sprintf("%d more failures; the summary of this step lists them", len(all)-i)))
			break
		}
		fmt.Fprintf(&b, "::error title=%s::%s\n", commandProperty(f.title+", "+string(f.Kind)), commandText(f.where()+f.Message))
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
