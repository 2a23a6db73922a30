package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	runner "github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/workloads"
)

func newList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [NAME]",
		Short: "List the workloads with their variants and parameters",
		Args:  arguments(0, 1, "at most one workload"),
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
			for i, w := range all {
				if i > 0 {
					fmt.Fprintln(cmd.OutOrStdout())
				}
				listText(cmd.OutOrStdout(), w)
			}
			return nil
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

func listText(out io.Writer, w *runner.Workload) {
	fmt.Fprintf(out, "%s (version %d)\n  %s\n", w.Name, w.Version, w.Summary)
	fmt.Fprintf(out, "\n  workers (--worker i/n) %s\n", divisions[w.Division()])
	fmt.Fprintln(out, "\n  variants")
	for _, v := range w.Variants {
		fmt.Fprintf(out, "    %-16s %s\n", v.Name, v.Doc)
	}
	fmt.Fprintln(out, "\n  parameters (--set name=value; * takes a list a,b,c or a range a..b)")
	for _, p := range w.Params {
		star := " "
		if p.Swept {
			star = "*"
		}
		counted := ""
		if p.Span != "" {
			counted = fmt.Sprintf("; in results: %s", p.Name)
		}
		fmt.Fprintf(out, "   %s%-16s %s\n", star, p.Written(), p.Doc)
		fmt.Fprintf(out, "    %-16s %s; default %s%s\n", "", p.Allowed(), p.WrittenDefault(), counted)
	}
	if len(w.Metrics) > 0 {
		fmt.Fprintln(out, "\n  metrics of this workload")
	}
	for _, m := range w.Metrics {
		fmt.Fprintf(out, "    %-19s %s\n", m.Name, m.Doc)
	}
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
