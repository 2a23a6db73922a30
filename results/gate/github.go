package gate

import (
	"fmt"
	"io"
	"strings"

	"github.com/lakebench/lakebench/internal/render/texttab"
)

// Bounds of what GitHub shows: ten error annotations a step, and a summary of
// 1 MiB (GitHub Docs, "Workflow commands for GitHub Actions").
const (
	mostAnnotations = 10
	mostSummaryRows = 200 // of a result
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

// WriteMarkdown writes the report as a step's summary.
func (r Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## lakebench gate: %s\n\n| result | workload | says |\n|---|---|---|\n", r.Outcome)
	for _, v := range r.Verdicts {
		fmt.Fprintf(&b, "| %s **%s** | %s | %s |\n", sign(v.Outcome), v.Outcome, cell(v.Workload), cell(v.Sentence()))
	}
	for _, f := range r.Failures {
		fmt.Fprintf(&b, "| %s **%s** | | %s |\n", sign(f.Kind.outcome()), f.Kind, cell(f.Message))
	}
	for _, v := range r.Verdicts {
		v.markdown(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func sign(o Outcome) string {
	switch o {
	case Pass:
		return "✅"
	case Inconclusive:
		return "❔"
	default:
		return "❌"
	}
}

func (v Verdict) markdown(b *strings.Builder) {
	if len(v.Failures)+len(v.Advice)+len(v.Warnings) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s\n\n", cell(v.Workload))
	fmt.Fprintf(b, "Result %s against baseline %s.\n", code(v.Result), code(v.Baseline))
	for _, w := range v.Warnings {
		fmt.Fprintf(b, "\n> **Warning:** %s\n", cell(w))
	}
	if len(v.Failures) > 0 {
		b.WriteString("\n")
		markdownTable(b, v.Failures)
	}
	if len(v.Advice) > 0 {
		fmt.Fprintf(b, "\n<details><summary>%s that the policy does not gate</summary>\n\n", texttab.Plural(int64(len(v.Advice)), "change", "changes"))
		markdownTable(b, v.Advice)
		b.WriteString("\n</details>\n")
	}
}

func markdownTable(b *strings.Builder, list []Finding) {
	b.WriteString("| why | where | what | baseline | result |\n|---|---|---|---:|---:|\n")
	for i, f := range list {
		if i == mostSummaryRows {
			fmt.Fprintf(b, "\n%d more; `--format json` lists all.\n", len(list)-i)
			return
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", f.Kind, cell(f.Place), cell(f.Message), cell(f.Old), cell(f.New))
	}
}

// cell keeps text from ending a cell, a row or the table, and from being markup.
func cell(s string) string {
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "\r", " ", "\n", " ", "<", "&lt;", "*", "\\*", "_", "\\_", "`", "\\`").Replace(s)
}

// code shows a path as it is.
func code(s string) string {
	return "`" + strings.NewReplacer("`", "'", "\r", " ", "\n", " ").Replace(s) + "`"
}
