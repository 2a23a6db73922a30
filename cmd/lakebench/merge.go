package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/lakebench/lakebench/plots"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/files"
	"github.com/lakebench/lakebench/workloads"
)

func newMerge() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "merge RESULT...",
		Short: "Put together what several workers measured of one run",
		Long: `Merge sums the counters of results of one workload and seed and adds their
histograms bucket by bucket; metrics, percentiles and growth are derived from the
sums. The merged result goes to a new folder below --out, as that of a run does.

RESULT is a file or a folder of them. A worker whose part is missing makes the
whole partial.`,
		Example: `  lakebench merge worker-1 worker-2 worker-3 worker-4`,
		Args:    arguments(1, 0, "results to merge"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return mergeResults(cmd.Context(), args, out, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&out, "out", "lakebench-results", "write the result to a new folder below this `dir`")
	return cmd
}

func mergeResults(ctx context.Context, args []string, out string, stdout, stderr io.Writer) error {
	var parts []results.Named
	for _, place := range args {
		all, err := files.Load(ctx, place, git)
		if err != nil {
			return err
		}
		parts = append(parts, all...)
	}
	id := fmt.Sprintf("%s-%s-merged", time.Now().UTC().Format("20060102T150405.000"), parts[0].Document.Workload.Name)
	doc, err := results.Merge(id, parts...)
	if err != nil {
		return err
	}
	path, err := results.Write(out, doc)
	if err != nil {
		return err
	}
	if _, err := plots.Write(filepath.Join(filepath.Dir(path), "plots"), doc); err != nil {
		return err
	}
	if err := results.WriteTable(stdout, doc, tableOptions(stdout)); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "\nresult  %s\n", path)
	return workloads.Validity(&doc)
}
