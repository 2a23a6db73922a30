package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lakebench/lakebench/internal/atomicfile"
	"github.com/lakebench/lakebench/internal/quantity"
	"github.com/lakebench/lakebench/plots"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/compare"
)

// plotOptions are the flags of plot.
type plotOptions struct {
	plots.Selection
	at     []string
	labels []string
	by     []string
	out    string
}

func newPlot() *cobra.Command {
	o := &plotOptions{}
	cmd := &cobra.Command{
		Use:   "plot RESULT... --out FILE|DIR",
		Short: "Draw results as SVG and PNG charts",
		Long: `Plot draws metrics over a swept parameter, with one curve per variant. Several
results of one workload are drawn in the same chart, each with its own curves.
Results that differ in a parameter, such as page_limit, need --by page_limit.

--out is a *.svg or *.png file if --metric, --x and --at select a single chart,
otherwise a folder, which receives every chart in both formats. Equal results
give equal bytes.`,
		Example: `  lakebench plot lakebench-results/20261129T120000.000-catalog-refresh --metric requests/op --out requests.svg
  lakebench plot before.json after.json --label before,after --metric rru/op --x history_records --out rru.png
  lakebench plot pages-of-1000 pages-of-250 --by page_limit --out plots
  lakebench plot result.json --out plots`,
		Args: arguments(1, 0, "one result or more"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args, cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Metric, "metric", "", "draw this metric (default all)")
	f.StringVar(&o.X, "x", "", "draw over this swept `parameter` (default: a chart for each)")
	f.StringArrayVar(&o.at, "at", nil, "fix another parameter at a value: `name=value`")
	f.StringSliceVar(&o.Variants, "variant", nil, "draw only these variants")
	f.StringSliceVar(&o.labels, "label", nil, "names of the results in the legend (default their run IDs)")
	f.StringSliceVar(&o.by, "by", nil, "draw results that differ in these `parameters` in one chart, named by them")
	f.StringVar(&o.out, "out", "", "a file *.svg or *.png, or a folder (required)")
	return cmd
}

func (o *plotOptions) run(ctx context.Context, args []string, stdout io.Writer) error {
	if o.out == "" {
		return usagef("--out is required: a file *.svg or *.png, or a folder")
	}
	point, err := coordinates(o.at)
	if err != nil {
		return err
	}
	o.Point = point
	var docs []results.Named
	for _, place := range args {
		all, err := loadResults(ctx, place)
		if err != nil {
			return err
		}
		docs = append(docs, all...)
	}
	if docs, err = o.label(docs); err != nil {
		return err
	}
	pictures, err := plots.Overlay(docs, o.Selection)
	if err != nil {
		return err
	}
	return o.write(pictures, stdout)
}

// label returns the results under the names of the legend. Results that differ in a
// parameter must be told apart by it.
func (o *plotOptions) label(docs []results.Named) ([]results.Named, error) {
	if len(o.labels) > 0 && len(o.labels) != len(docs) {
		return nil, usagef("--label names %d results, expected %d", len(o.labels), len(docs))
	}
	switch aligned, err := align(docs, o.by); {
	case err != nil:
		return nil, err
	case aligned != nil:
		docs = aligned
	default:
		for i := range docs {
			docs[i].Name = docs[i].Document.RunID
		}
	}
	seen := map[string]bool{}
	for i := range docs {
		if len(o.labels) > 0 {
			docs[i].Name = o.labels[i]
		}
		if seen[docs[i].Name] {
			return nil, usagef("two results are named %q in the legend: set their names with --label", docs[i].Name)
		}
		seen[docs[i].Name] = true
	}
	return docs, nil
}

// align aligns results by parameters, if any are given; otherwise it refuses results
// that could be aligned, for what differs between them would be hidden.
func align(docs []results.Named, by []string) ([]results.Named, error) {
	if len(by) == 0 {
		return nil, compare.Unaligned(docs)
	}
	return compare.Align(docs, by)
}

func (o *plotOptions) write(pictures []plots.Picture, stdout io.Writer) error {
	format := strings.TrimPrefix(filepath.Ext(o.out), ".")
	single := format == "svg" || format == "png"
	if single && len(pictures) > 1 {
		var names []string
		for _, p := range pictures {
			names = append(names, p.Name())
		}
		return usagef("%s would hold %d charts (%s): pick one with --metric, --x and --at, or name a folder", o.out, len(pictures), strings.Join(names, ", "))
	}
	for _, p := range pictures {
		paths := map[string]string{"svg": filepath.Join(o.out, p.Name()+".svg"), "png": filepath.Join(o.out, p.Name()+".png")}
		if single {
			paths = map[string]string{format: o.out}
		}
		for _, format := range []string{"svg", "png"} {
			path, wanted := paths[format]
			if !wanted {
				continue
			}
			data, err := p.Render(format)
			if err != nil {
				return err
			}
			if err := atomicfile.Write(path, data); err != nil {
				return err
			}
			fmt.Fprintln(stdout, path)
		}
	}
	return nil
}

// coordinates reads name=value.
func coordinates(set []string) (results.Point, error) {
	p := results.Point{}
	for _, s := range set {
		name, text, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return nil, usagef("--at %q: expected name=value", s)
		}
		p[name] = results.Word(text)
		if f, err := quantity.Float(text); err == nil {
			p[name] = results.Number(f)
		} else if b, err := strconv.ParseBool(text); err == nil {
			p[name] = results.Bool(b)
		}
	}
	return p, nil
}
