package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lakebench/lakebench/internal/atomicfile"
	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/gate"
	"github.com/lakebench/lakebench/results/location"
	"github.com/lakebench/lakebench/workloads"
)

// gateOptions are the flags of gate.
type gateOptions struct {
	baseline string
	policy   string
	format   string
	update   bool
	selfTest bool
}

func newGate() *cobra.Command {
	o := &gateOptions{}
	cmd := &cobra.Command{
		Use:   "gate --baseline PLACE RESULT...",
		Short: "Compare results with baselines and fail on any change",
		Long: `Gate compares results with baselines. It fails on every difference that the
policy does not allow, and on every result that is missing, empty, interrupted
or not comparable.

By default, counts of deterministic results must not change in either
direction, and growth classes and checks must stay as they are; times are
reported but never fail. A policy file in YAML changes these rules ("lakebench
schema gate" prints its JSON Schema). --update replaces the baselines with the
results.

--self-test plants a regression of every kind into the baselines (or into a
made-up result, without --baseline) and fails unless the gate finds each of
them.

PLACE and RESULT are a result file, a folder of results, git:REV:PATH or
s3://BUCKET/PREFIX. If RESULT is a folder, it must hold a result for every
baseline.`,
		Example: `  lakebench gate --baseline baselines lakebench-results
  lakebench gate --baseline git:main:baselines --policy gate.yaml --format github lakebench-results
  lakebench gate --baseline baselines --update lakebench-results
  lakebench gate --baseline baselines --policy gate.yaml --self-test`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.baseline, "baseline", "", "the baselines, a `PLACE` (required, except with --self-test)")
	f.StringVar(&o.policy, "policy", "", "policy `file` in YAML (default: gate counts, growth classes and checks)")
	f.StringVar(&o.format, "format", "text", "output format: text, github (annotations and a step summary), junit or json")
	f.BoolVar(&o.update, "update", false, "replace baselines that differ with the results")
	f.BoolVar(&o.selfTest, "self-test", false, "plant a regression of every kind and fail unless the gate finds it")
	return cmd
}

var gateFormats = []string{"text", "github", "junit", "json"}

func (o *gateOptions) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if err := o.check(args); err != nil {
		return err
	}
	policy, err := loadPolicy(o.policy)
	if o.selfTest {
		if err != nil {
			return err
		}
		return o.test(ctx, policy, stdout)
	}
	in, unread := o.inputs(ctx, args)
	if err != nil {
		// No result is judged by another policy than was asked for.
		policy, in, unread = gate.DefaultPolicy(), gate.Inputs{Failures: []gate.Finding{gate.Unread(o.policy, err)}}, err
	}
	if err := ctx.Err(); err != nil {
		return cmp.Or(unread, err) // what was not read is not missing
	}
	if o.update && unread != nil {
		return unread
	}
	report, err := gate.Judge(policy, in)
	if err != nil {
		return err
	}
	if o.update {
		return o.replace(report, in, stdout)
	}
	if err := o.print(report, stdout, stderr); err != nil {
		return err
	}
	return cmp.Or(unread, report.Err())
}

// inputs reads baselines and results. What it cannot read is a failure among the
// inputs; the first such error is returned too, since it decides the exit code.
func (o *gateOptions) inputs(ctx context.Context, args []string) (in gate.Inputs, unread error) {
	in.Place = o.baseline
	if !location.IsLocal(in.Place) {
		in.Place = "baselines" // --update writes to no other place than a folder
	}
	load := func(place string) []results.Named {
		all, err := loadResults(ctx, place)
		var some *location.UnreadError
		switch {
		case errors.As(err, &some):
			for i, name := range some.Names {
				in.Failures = append(in.Failures, gate.Unread(name, some.Errs[i]))
			}
		case err != nil:
			in.Failures = append(in.Failures, gate.Unread(place, err))
		}
		unread = cmp.Or(unread, err)
		return all
	}
	in.Baselines = load(o.baseline)
	if errors.Is(unread, location.ErrNone) || errors.Is(unread, os.ErrNotExist) {
		unread = fmt.Errorf("there are no baselines: %w; to make them: %s", unread, gate.MakeBaseline(in.Place, strings.Join(args, " ")))
		in.Failures[0].Message = unread.Error()
		if !o.update {
			return in, unread // there is nothing to hold results against
		}
		in.Failures, unread = nil, nil // it makes them
	}
	if location.IsFolder(o.baseline) {
		in.Baselines, in.Notes = gate.Newest(in.Baselines, in.Baselines)
	}
	for _, place := range args {
		found := load(place)
		if location.IsFolder(place) {
			var notes []string
			found, notes = gate.Newest(in.Baselines, found)
			in.Whole, in.Notes = true, append(in.Notes, notes...)
		}
		in.Results = append(in.Results, found...)
	}
	return in, unread
}

func (o *gateOptions) check(args []string) error {
	switch {
	case o.selfTest && (len(args) > 0 || o.update):
		return usagef("--self-test cannot be combined with results or --update")
	case o.selfTest:
		return nil
	case o.baseline == "":
		return usagef("--baseline is required: a result file, a folder of results, git:REV:PATH or s3://BUCKET/PREFIX")
	case len(args) == 0:
		return usagef("expected a result file or a folder of results; found none")
	case o.update && !location.IsLocal(o.baseline):
		return usagef("--update cannot change %s: name a file or a folder", o.baseline)
	}
	return o.checkFormat()
}

func (o *gateOptions) checkFormat() error {
	for _, known := range gateFormats {
		if o.format == known {
			return nil
		}
	}
	return usagef("--format is %q, expected text, github, junit or json", o.format)
}

func loadPolicy(file string) (gate.Policy, error) {
	if file == "" {
		return gate.DefaultPolicy(), nil
	}
	f, err := os.Open(file)
	if err != nil {
		return gate.Policy{}, usagef("--policy: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	return gate.ReadPolicy(f, file, workloads.Metrics())
}

func (o *gateOptions) print(r gate.Report, stdout, stderr io.Writer) error {
	switch o.format {
	case "github":
		return printGitHub(r, stdout, stderr)
	case "junit":
		return r.WriteJUnit(stdout)
	case "json":
		return r.WriteJSON(stdout)
	}
	return render.Text(stdout, r.Page(gate.MostOnATerminal), terminalOf(stdout))
}

// printGitHub appends the summary to the file that GitHub names for a step, where
// there is one; the annotations go to standard output, where GitHub reads them.
func printGitHub(r gate.Report, stdout, stderr io.Writer) error {
	if err := r.WriteAnnotations(stdout); err != nil {
		return err
	}
	summary := os.Getenv("GITHUB_STEP_SUMMARY")
	if summary == "" {
		return render.Markdown(stdout, r.Page(gate.MostInSummary))
	}
	f, err := os.OpenFile(summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write the step's summary: %w", err)
	}
	fmt.Fprintf(stderr, "summary %s\n", summary)
	return errors.Join(render.Markdown(f, r.Page(gate.MostInSummary)), f.Close())
}

// replace makes the results the baselines where they are not alike.
func (o *gateOptions) replace(r gate.Report, in gate.Inputs, stdout io.Writer) error {
	changes, err := gate.Updates(r, in.Baselines, in.Results, o.baseline)
	if err != nil {
		return err
	}
	for _, c := range changes {
		data, err := results.Encode(c.Document)
		if err != nil {
			return err
		}
		if err := atomicfile.Write(c.Name, data); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "updated  %s\n", c.Name)
	}
	if len(changes) == 0 {
		fmt.Fprintln(stdout, "nothing to update: the baselines equal the results")
	}
	return nil
}

// test plants regressions into each baseline, or into a made-up result.
func (o *gateOptions) test(ctx context.Context, policy gate.Policy, stdout io.Writer) error {
	var all []results.Named
	if o.baseline == "" {
		doc, err := gate.Sample()
		if err != nil {
			return err
		}
		all = []results.Named{{Name: "a made-up result", Document: doc}}
	} else {
		var err error
		if all, err = loadResults(ctx, o.baseline); err != nil {
			return err
		}
	}
	var problems []string
	var page render.Page
	for _, named := range all {
		planted, err := gate.SelfTest(named.Document, policy)
		var failed *gate.SelfTestError
		if errors.As(err, &failed) {
			problems = append(problems, failed.Problems...)
		} else if err != nil {
			return err
		}
		page.Blocks = append(page.Blocks, gate.PlantedSection(named.Name, planted))
	}
	if err := render.Text(stdout, page, terminalOf(stdout)); err != nil {
		return err
	}
	if len(problems) > 0 {
		return &gate.SelfTestError{Problems: problems}
	}
	return nil
}
