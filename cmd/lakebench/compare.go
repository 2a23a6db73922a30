package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/compare"
)

// compareOptions are the flags of compare.
type compareOptions struct {
	compare.Options
	all, fail, json bool
}

func newCompare() *cobra.Command {
	o := &compareOptions{Options: compare.DefaultOptions()}
	cmd := &cobra.Command{
		Use:   "compare OLD NEW",
		Short: "Compare two results of a workload",
		Long: `Compare prints what differs between two results: the old value, the new value
and the change, for each variant, point, phase and metric.

Counts of deterministic results must be equal in every repeat. Times, and
counts of concurrent runs on the real clock, are compared over their repeats
(Mann-Whitney U test, with Holm's correction over all rows); ~ means that no
difference is significant.

Results of different parameters are refused. --by compares across a parameter
that differs, such as page_limit: everything else must be equal, and each result
must have one value of it. A difference is expected then, so --fail exits with 1
only if a metric of NEW is worse or is on one side only.

OLD and NEW are each a result file, the folder of one, git:REV:PATH, or
s3://BUCKET/PREFIX.`,
		Example: `  lakebench compare baselines/catalog-refresh.json lakebench-results/20261129T120000.000-catalog-refresh
  lakebench compare git:main:baselines/catalog-refresh.json new.json --fail
  lakebench compare pages-of-1000 pages-of-250 --by page_limit`,
		Args: arguments(2, 2, "two results"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args[0], args[1], cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.all, "all", false, "print every row, including those that do not differ")
	f.BoolVar(&o.fail, "fail", false, "exit with 1 if anything differs; with --by, if anything is worse")
	f.StringSliceVar(&o.By, "by", nil, "compare across these `parameters`, which differ")
	f.BoolVar(&o.Force, "force", false, "compare the points that results of different workloads or parameters have in common")
	f.Float64Var(&o.Alpha, "alpha", o.Alpha, "family-wise significance level")
	f.BoolVar(&o.json, "json", false, "print every row as JSON")
	return cmd
}

func (o *compareOptions) run(ctx context.Context, old, next string, stdout io.Writer) error {
	if err := o.Validate(); err != nil {
		return err
	}
	pair, err := loadPair(ctx, old, next)
	if err != nil {
		return err
	}
	c, err := compare.Compare(pair[0], pair[1], o.Options)
	if err != nil {
		return err
	}
	if o.json {
		err = printJSON(stdout, c)
	} else {
		err = render.Text(stdout, c.Page(o.all), terminalOf(stdout))
	}
	if err == nil && o.fail {
		return c.Err()
	}
	return err
}

// loadPair reads both at once: large files take a while.
func loadPair(ctx context.Context, old, next string) ([2]results.Named, error) {
	var pair [2]results.Named
	g := task.NewGroup(ctx, 0)
	for i, place := range []string{old, next} {
		g.Go(place, func(ctx context.Context) (err error) {
			pair[i], err = loadOne(ctx, place)
			return err
		})
	}
	return pair, g.Wait()
}

// loadOne reads the one result at a place.
func loadOne(ctx context.Context, place string) (results.Named, error) {
	all, err := loadResults(ctx, place)
	if err != nil {
		return results.Named{}, err
	}
	if len(all) > 1 {
		return results.Named{}, usagef("%s holds %d results, expected one: name one of them", place, len(all))
	}
	return all[0], nil
}

// arguments refuses fewer or more positional arguments; most 0 is any number.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most > 0 && len(args) > most {
			return usagef("%s takes %s; found %d arguments", cmd.CommandPath(), what, len(args))
		}
		return nil
	}
}
