package main

import (
	"bytes"
	"os"

	"github.com/spf13/cobra"

	"github.com/lakebench/lakebench/internal/atomicfile"
	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/plan"
)

// planOptions are the flags of plan.
type planOptions struct {
	scale, prices, format, out string
	set, measured              []string
	show, json                 bool
}

func newPlan() *cobra.Command {
	var o planOptions
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Estimate what a lake of your size costs, needs and saves",
		Long: `Plan estimates the monthly cost of a lake: its metadata on each layout, and its
WAL under each manifest policy. It shows the cost by access pattern and what is
wasted, how the cost grows and at which size v2 becomes cheaper, how close the
load comes to the limits of the services, how many shards it needs, and what a
migration costs.

The default lake has 1,000 tables, 10 commits a second, seven days of retention
and 50 readers; --scale and --set change it, and --show prints it as a file to
start from. Request counts come from the documented rules or, with --result,
from a measurement.`,
		Example: `  lakebench plan --set commits_per_second=25 --set retention=30d --set readers=200
  lakebench plan --show > lake.yaml; lakebench plan --scale lake.yaml
  lakebench plan --result lakebench-results/RUN --format html --out plan.html`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.scale, "scale", "", "read the scale from this YAML `file`")
	f.StringArrayVar(&o.set, "set", nil, "set one value of the scale: `name=value`")
	f.StringArrayVar(&o.measured, "result", nil, "take request counts from this result `file` or folder instead of the rules")
	f.StringVar(&o.prices, "prices", "", "price with this YAML `file` instead of the built-in table")
	f.StringVar(&o.format, "format", "text", "output format: text, markdown or html")
	f.BoolVar(&o.json, "json", false, "print every number as JSON")
	f.StringVar(&o.out, "out", "", "write to this `file` instead of standard output")
	f.BoolVar(&o.show, "show", false, "print the scale as a YAML file and exit")
	return cmd
}

func (o planOptions) run(cmd *cobra.Command) error {
	if o.json && cmd.Flags().Changed("format") {
		return usagef("--json and --format exclude each other")
	}
	scale, err := o.readScale()
	if err != nil {
		return err
	}
	if o.show {
		return scale.Write(cmd.OutOrStdout())
	}
	prices, err := loadPrices(o.prices)
	if err != nil {
		return err
	}
	var measured []plan.Pattern
	for _, path := range o.measured {
		all, err := loadResults(cmd.Context(), path)
		if err != nil {
			return err
		}
		for _, named := range all {
			patterns, err := plan.Measured(scale, &named.Document)
			if err != nil {
				return usagef("--result %s: %w", named.Name, err)
			}
			measured = append(measured, patterns...)
		}
	}
	plan, err := plan.Make(scale, prices, measured...)
	if err != nil {
		return usagef("%w", err)
	}
	return o.print(cmd, plan)
}

func (o planOptions) readScale() (plan.Scale, error) {
	scale := plan.DefaultScale()
	if o.scale != "" {
		f, err := os.Open(o.scale)
		if err != nil {
			return scale, usagef("--scale: %w", err)
		}
		defer func() { _ = f.Close() }() // it was only read
		if scale, err = plan.LoadScale(f, o.scale, scale); err != nil {
			return scale, usagef("%w", err)
		}
	}
	err := assignments(o.set, "number", scale.Set)
	return scale, err
}

// print writes the plan in the format that was asked for.
func (o planOptions) print(cmd *cobra.Command, plan plan.Plan) error {
	var page bytes.Buffer
	var err error
	terminal := terminalOf(cmd.OutOrStdout())
	terminal.Color = terminal.Color && o.out == ""
	switch {
	case o.json:
		err = printJSON(&page, plan)
	case o.format == "text":
		err = render.Text(&page, plan.Page(), terminal)
	case o.format == "markdown":
		err = render.Markdown(&page, plan.Page())
	case o.format == "html":
		err = render.HTML(&page, plan.Page())
	default:
		return usagef("--format %q: expected text, markdown or html", o.format)
	}
	if err != nil {
		return err
	}
	if o.out != "" {
		return atomicfile.Write(o.out, page.Bytes())
	}
	_, err = cmd.OutOrStdout().Write(page.Bytes())
	return err
}
