package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lakebench/lakebench/internal/atomicfile"
	"github.com/lakebench/lakebench/results/export"
)

func newExport() *cobra.Command {
	var format, out string
	var table strings.Builder
	for _, f := range export.Formats() {
		fmt.Fprintf(&table, "\n  %-15s %s", f.Name, f.Doc)
	}
	cmd := &cobra.Command{
		Use:   "export RESULT --format FORMAT",
		Short: "Convert a result to the format of another tool",
		Long: `Export writes a result in the format of another tool:` + table.String() + `

docs/exports.md lists the names of metrics and labels.`,
		Example: `  lakebench export result.json --format prometheus --out lakebench.prom
  lakebench export result.json --format tracker > benchmarks.json`,
		Args: arguments(1, 1, "one result"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return exportResult(cmd.Context(), args[0], format, out, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "the format (required)")
	cmd.Flags().StringVar(&out, "out", "", "write to this `file` (default standard output)")
	return cmd
}

func exportResult(ctx context.Context, place, format, out string, stdout io.Writer) error {
	f, ok := export.Find(format)
	if !ok {
		var names []string
		for _, f := range export.Formats() {
			names = append(names, f.Name)
		}
		return usagef("--format is %q, expected one of %s", format, strings.Join(names, ", "))
	}
	doc, err := loadOne(ctx, place)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := f.Write(&text, doc.Document); err != nil {
		return err
	}
	if out != "" {
		return atomicfile.Write(out, text.Bytes())
	}
	_, err = stdout.Write(text.Bytes())
	return err
}
