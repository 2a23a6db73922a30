package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/lakebench/lakebench/internal/render"
	runner "github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/workloads"
)

func newList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [NAME]",
		Short: "List the workloads with their variants and parameters",
		Long: `List prints every workload, or the one named: its variants, its parameters with
their bounds and defaults, and the metrics that only this workload has.`,
		Args: arguments(0, 1, "at most one workload"),
		RunE: func(cmd *cobra.Command, args []string) error {
			all := workloads.All()
			if len(args) > 0 {
				w, err := workloads.Find(args[0])
				if err != nil {
					return err
				}
				all = []*runner.Workload{w}
			}
			if asJSON {
				return listJSON(cmd.OutOrStdout(), all)
			}
			var page render.Page
			for _, w := range all {
				page.Blocks = append(page.Blocks, listed(w))
			}
			return render.Text(cmd.OutOrStdout(), page, terminalOf(cmd.OutOrStdout()))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the list as JSON")
	return cmd
}

// divisions describe how workers divide a workload.
var divisions = map[runner.Division]string{
	runner.ByOperation: "each measure a share of the operations of every series",
	runner.BySeries:    "each measure whole series (one variant at one point), because operations depend on earlier ones",
}

// listed is what a workload is, for a terminal.
func listed(w *runner.Workload) render.Section {
	var variants, params, metrics render.Facts
	for _, v := range w.Variants {
		variants = append(variants, render.Fact{Name: v.Name, Value: v.Doc})
	}
	for _, p := range w.Params {
		name, bounds := " "+p.Written(), fmt.Sprintf("%s; default %s", p.Allowed(), p.WrittenDefault())
		if p.Swept {
			name = "*" + p.Written()
		}
		if p.Span != "" {
			bounds += "; in results: " + p.Name
		}
		params = append(params, render.Fact{Name: name, Value: p.Doc + "\n" + bounds})
	}
	for _, m := range w.Metrics {
		metrics = append(metrics, render.Fact{Name: m.Name, Value: m.Doc})
	}
	blocks := []render.Block{
		render.Paragraph{Text: w.Summary},
		render.Paragraph{Text: "Workers (--worker i/n) " + divisions[w.Division()] + "."},
		render.Section{Title: "Variants", Blocks: []render.Block{variants}},
		render.Section{Title: "Parameters (--set name=value; * takes a list a,b,c or a range a..b)", Blocks: []render.Block{params}},
	}
	if len(metrics) > 0 {
		blocks = append(blocks, render.Section{Title: "Metrics of this workload", Blocks: []render.Block{metrics}})
	}
	return render.Section{Title: fmt.Sprintf("%s (version %d)", w.Name, w.Version), Blocks: blocks}
}

// listedWorkload, listedNote and listedParam are the JSON form of a workload.
type (
	listedWorkload struct {
		Name     string        `json:"name"`
		Version  int           `json:"version"`
		Summary  string        `json:"summary"`
		Workers  string        `json:"workers_divide"` // operations or series
		Variants []listedNote  `json:"variants"`
		Params   []listedParam `json:"params"`
		Metrics  []listedNote  `json:"metrics"`
	}
	listedNote struct {
		Name string `json:"name"`
		Doc  string `json:"doc"`
	}
	listedParam struct {
		Name    string `json:"name"` // in results
		Set     string `json:"set"`  // in --set
		Doc     string `json:"doc"`
		Allowed string `json:"allowed"`
		Default string `json:"default"`
		Swept   bool   `json:"swept"`
	}
)

func listJSON(out io.Writer, workloads []*runner.Workload) error {
	all := []listedWorkload{}
	for _, w := range workloads {
		l := listedWorkload{Name: w.Name, Version: w.Version, Summary: w.Summary, Workers: string(w.Division()), Metrics: []listedNote{}}
		for _, v := range w.Variants {
			l.Variants = append(l.Variants, listedNote(v))
		}
		for _, m := range w.Metrics {
			l.Metrics = append(l.Metrics, listedNote{m.Name, m.Doc})
		}
		for _, p := range w.Params {
			l.Params = append(l.Params, listedParam{p.Name, p.Written(), p.Doc, p.Allowed(), p.WrittenDefault(), p.Swept})
		}
		all = append(all, l)
	}
	return printJSON(out, all)
}
