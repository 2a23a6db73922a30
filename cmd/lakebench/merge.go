package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/report"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/location"
	runner "github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/workloads"
)

// mergeOptions are the flags of merge.
type mergeOptions struct {
	out   string
	name  string
	wait  int
	limit time.Duration
}

func newMerge() *cobra.Command {
	var o mergeOptions
	cmd := &cobra.Command{
		Use:   "merge RESULT...",
		Short: "Combine the results of several workers of one run",
		Long: `Merge combines the results of several workers of one run. It adds up counters
and histogram buckets, and derives metrics, percentiles and growth from the
sums. The merged result goes to a new folder below --out, like the result of a
run.

RESULT is a result file, a folder of results, or s3://BUCKET/PREFIX. --wait
waits for the parts of all workers. If a part is missing, the merged result is
written and marked as partial, and the exit code is 3.`,
		Example: `  lakebench merge worker-1 worker-2 worker-3 worker-4
  lakebench merge --wait 4 s3://bucket/nightly/workers --out s3://bucket/nightly`,
		Args: arguments(1, 0, "results to merge"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "lakebench-results", outHelp)
	f.StringVar(&o.name, "name", "", "`name` of the new folder (default: time and workload)")
	f.IntVar(&o.wait, "wait", 0, "wait for the results of this many `workers`")
	f.DurationVar(&o.limit, "wait-limit", time.Hour, "longest time to wait")
	return cmd
}

func (o mergeOptions) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if o.wait < 0 || o.limit < 0 {
		return usagef("--wait %d and --wait-limit %v: expected 0 or more", o.wait, o.limit)
	}
	if o.name != "" && !startName.MatchString(o.name) {
		return usagef("--name %q: expected at most 40 letters, digits and hyphens", o.name)
	}
	parts, err := o.parts(ctx, args, stderr)
	if err != nil {
		return err
	}
	id := o.name
	if id == "" {
		id = fmt.Sprintf("%s-%s-merged", stamp(time.Now()), parts[0].Document.Workload.Name)
	}
	doc, err := workloads.Merge(id, parts...)
	if err != nil {
		return err
	}
	to, err := openDestination(ctx, o.out, id)
	if err != nil {
		return err
	}
	in, written := to.write(ctx, doc, &recordings{})
	if err := errors.Join(render.Text(stdout, report.Result(doc), terminalOf(stdout)), written); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "\nresult  %s\nreport  %s\n", in.result, in.report)
	return validity(&doc, parts)
}

// validity is that of a merged result: a part that is missing makes it invalid.
func validity(doc *results.Document, parts []results.Named) error {
	missing := results.MissingWorkers(parts...)
	switch {
	case len(missing) == 1:
		return &runner.InvalidError{Problems: []string{fmt.Sprintf("the part of worker %s is missing: run it and merge again", missing[0])}}
	case len(missing) > 1:
		return &runner.InvalidError{Problems: []string{fmt.Sprintf("the parts of workers %s are missing: run them and merge again", strings.Join(missing, ", "))}}
	}
	for _, p := range parts {
		if p.Document.Partial {
			return &runner.InvalidError{Problems: []string{p.Name + " is partial: its run was interrupted"}}
		}
	}
	return runner.Validity(doc)
}

// waitEvery is how often merge looks for results.
const waitEvery = 2 * time.Second

// errWaited reports that results of workers did not arrive in time.
var errWaited = errors.New("a worker has probably failed")

// parts loads the results as soon as the expected number exists.
func (o mergeOptions) parts(ctx context.Context, args []string, stderr io.Writer) ([]results.Named, error) {
	began, told := time.Now(), -1
	for {
		parts, err := loadAll(ctx, args)
		switch {
		case err != nil && (o.wait == 0 || !isNone(err)):
			return nil, err
		case len(parts) >= o.wait:
			return parts, nil
		case time.Since(began) >= o.limit:
			return nil, fmt.Errorf("found %d of %d results after %v: %w", len(parts), o.wait, o.limit, errWaited)
		case len(parts) != told:
			told = len(parts)
			fmt.Fprintf(stderr, "lakebench: found %d of %d results\n", told, o.wait)
		}
		if err := task.Sleep(ctx, waitEvery); err != nil {
			return nil, err
		}
	}
}

// isNone reports whether an error means that no result exists yet.
func isNone(err error) bool {
	return errors.Is(err, location.ErrNone) || errors.Is(err, os.ErrNotExist)
}

// loadAll reads the results at all places. Where there are none is an error, beside
// those of the other places.
func loadAll(ctx context.Context, places []string) ([]results.Named, error) {
	var all []results.Named
	var none error
	for _, place := range places {
		found, err := loadResults(ctx, place)
		switch {
		case isNone(err):
			none = cmp.Or(none, err)
		case err != nil:
			return nil, err
		}
		all = append(all, found...)
	}
	return all, none
}
