package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lakebench/lakebench/internal/atomicfile"
	"github.com/lakebench/lakebench/internal/sim/explore"
	"github.com/lakebench/lakebench/internal/sim/explore/metadata"
	"github.com/lakebench/lakebench/internal/sim/explore/migration"
	"github.com/lakebench/lakebench/internal/sim/explore/simulated"
)

// exploreOptions are the flags of explore.
type exploreOptions struct {
	scenario   string
	layout     string
	transport  string
	operations int
	schedules  int
	seed       uint64
	policies   []string
	schedule   string
	faults     string
	parallel   int
	out        string
	json       bool
	show       bool

	hasFaults     bool // --faults was given, possibly empty
	hasOperations bool
}

// replayPolicy is the policy that runs one schedule, which is given.
const replayPolicy = "replay"

func newExplore() *cobra.Command {
	o := &exploreOptions{}
	cmd := &cobra.Command{
		Use:   "explore",
		Short: "Search many schedules of a scenario for concurrency bugs",
		Long: `Explore searches for concurrency bugs. It runs a scenario (writers, readers and
faults on a metadata store) on a simulated runtime, where a seed decides which
task runs when and what fails, and checks the answers that every caller got.
Two scenarios are shipped: metadata, on one layout, and migration, from v1 to
v2 under load.

The first failing schedule is reduced to the fewest context switches and
faults, and printed as a timeline with the command line that replays it.

Exit code 0: no failure found; 1: a failure; 4: a check was inconclusive.`,
		Example: `  lakebench explore --layout v1
  lakebench explore --schedules 100 --policy random,pct:5 --seed 42
  lakebench explore --faults 'on dynamodb cause mutate p 0.05 : error-after' --out failure
  lakebench explore --scenario migration
  lakebench explore --show > mine.yaml; lakebench explore --scenario mine.yaml`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.hasFaults, o.hasOperations = cmd.Flags().Changed("faults"), cmd.Flags().Changed("operations")
			if cmd.Flags().Changed("schedules") && slices.Contains(o.policies, replayPolicy) {
				return usagef("--schedules cannot be used with --policy replay, which runs one schedule")
			}
			if cmd.Flags().Changed("schedule") && !slices.Contains(o.policies, replayPolicy) {
				return usagef("--schedule requires --policy replay")
			}
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.scenario, "scenario", metadata.Name, "`name` of a shipped scenario, or a YAML file")
	f.StringVar(&o.layout, "layout", "", "the store's layout, v1 or v2 (default the scenario's)")
	f.StringVar(&o.transport, "transport", "", "transport of requests: direct, or sdk, which is slower (default the scenario's)")
	f.IntVar(&o.operations, "operations", 0, "operations per actor (default the scenario's)")
	f.IntVar(&o.schedules, "schedules", 1000, "maximum number of schedules")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the first schedules; each round of policies adds one")
	f.StringSliceVar(&o.policies, "policy", nil, "scheduling `policies`, used in turn: fifo, random or pct[:DEPTH]; or replay (default the scenario's)")
	f.StringVar(&o.schedule, "schedule", "", "with --policy replay: the context `switches` to make")
	f.StringVar(&o.faults, "faults", "", "inject faults by these `rules`, separated by ;, or @FILE, instead of the scenario's; '' for none")
	f.IntVar(&o.parallel, "parallel", 0, "schedules run in parallel; findings do not depend on it (default the number of CPUs)")
	f.StringVar(&o.out, "out", "", "write a failure's history, drawing, timeline and replay command to this `dir`")
	f.BoolVar(&o.json, "json", false, "print a summary as JSON instead")
	f.BoolVar(&o.show, "show", false, "print the shipped scenario's file and exit")
	return cmd
}

func (o *exploreOptions) run(ctx context.Context, stdout, stderr io.Writer) error {
	if o.show {
		text := metadata.Shipped()
		if o.scenario == migration.Name {
			text = migration.Shipped()
		}
		_, err := stdout.Write(text)
		return err
	}
	scenario, policies, err := o.resolve()
	if err != nil {
		return err
	}
	if o.out != "" {
		if err := atomicfile.Probe(filepath.Join(o.out, explore.HistoryFile)); err != nil {
			return usagef("--out: %w", err)
		}
	}
	// Schedules make much garbage in a small heap. To collect it less often saves
	// a third of the time.
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(400))
	}
	p := newProgress(stderr)
	defer p.end()
	report, err := o.explore(ctx, scenario, policies, p)
	p.end()
	if report == nil {
		return err
	}
	if err := o.output(report, stdout); err != nil {
		return err
	}
	return errors.Join(err, report.Err())
}

// resolve turns the flags into a scenario and the policies to search with; those
// are none for a replay.
func (o *exploreOptions) resolve() (explore.Scenario, []explore.Policy, error) {
	cfg, err := o.load()
	if err != nil {
		return explore.Scenario{}, nil, err
	}
	if o.layout != "" {
		if o.scenario == migration.Name {
			return explore.Scenario{}, nil, usagef("--layout cannot be used with scenario %s, which uses both layouts", migration.Name)
		}
		if cfg.Layout, err = metadata.ParseLayout(o.layout); err != nil {
			return explore.Scenario{}, nil, usagef("--layout: %w", err)
		}
	}
	if o.transport != "" {
		if cfg.Services.Transport, err = simulated.ParseTransport(o.transport); err != nil {
			return explore.Scenario{}, nil, usagef("--transport: %w", err)
		}
	}
	if o.hasOperations {
		cfg.Operations = o.operations
	}
	if o.hasFaults {
		if cfg.Faults, err = loadFaults(o.faults); err != nil {
			return explore.Scenario{}, nil, err
		}
	}
	if err := cfg.Validate(); err != nil {
		return explore.Scenario{}, nil, usagef("scenario %s: %w", o.scenario, err)
	}
	policies, err := o.searchPolicies(cfg.Policies)
	if o.scenario == migration.Name {
		return migration.Scenario(cfg), policies, err
	}
	return cfg.Scenario(o.scenario), policies, err
}

func (o *exploreOptions) load() (metadata.Config, error) {
	switch o.scenario {
	case metadata.Name:
		return metadata.Default()
	case migration.Name:
		return migration.Default()
	}
	text, err := os.ReadFile(o.scenario)
	if errors.Is(err, fs.ErrNotExist) {
		return metadata.Config{}, usagef("--scenario %s: found neither a shipped scenario nor a file of this name; shipped are %s and %s", o.scenario, metadata.Name, migration.Name)
	}
	if err != nil {
		return metadata.Config{}, usagef("--scenario: %w", err)
	}
	return metadata.Parse(o.scenario, text)
}

func (o *exploreOptions) searchPolicies(byDefault []explore.Policy) ([]explore.Policy, error) {
	if len(o.policies) == 0 {
		return byDefault, nil
	}
	if slices.Contains(o.policies, replayPolicy) {
		if len(o.policies) > 1 {
			return nil, usagef("--policy replay cannot be combined with other policies")
		}
		return nil, nil
	}
	var policies []explore.Policy
	for _, text := range o.policies {
		p, err := explore.ParsePolicy(text)
		if err != nil {
			return nil, usagef("--policy: %w", err)
		}
		policies = append(policies, p)
	}
	return policies, nil
}

func (o *exploreOptions) explore(ctx context.Context, s explore.Scenario, policies []explore.Policy, p *progress) (*explore.Report, error) {
	if policies == nil {
		policy, err := explore.ParseReplay(o.schedule)
		if err != nil {
			return nil, usagef("--schedule: %w", err)
		}
		return explore.Replay(ctx, s, explore.Case{Seed: o.seed, Policy: policy, Faults: s.Faults, Operations: s.Operations})
	}
	cfg := explore.DefaultConfig()
	cfg.Scenario, cfg.Policies = s, policies
	cfg.Seed, cfg.Schedules, cfg.Parallel = o.seed, o.schedules, o.parallel
	if o.parallel == 0 {
		cfg.Parallel = runtime.GOMAXPROCS(0)
	}
	cfg.Progress = func(e explore.Progress) { p.at(e.Stage, int64(e.Done), int64(e.Total)) }
	return explore.Explore(ctx, cfg)
}

func (o *exploreOptions) output(r *explore.Report, stdout io.Writer) error {
	var files []string
	if r.Failure != nil && o.out != "" {
		var err error
		if files, err = r.Failure.WriteFiles(o.out); err != nil {
			return usagef("--out: %w", err)
		}
	}
	if o.json {
		return r.WriteJSON(stdout)
	}
	if err := r.WriteText(stdout, cmp.Or(terminalOf(stdout).Width, math.MaxInt)); err != nil {
		return err
	}
	if len(files) > 0 {
		fmt.Fprintf(stdout, "\nWritten to %s: %s\n", filepath.Clean(o.out), strings.Join(files, ", "))
	}
	return nil
}
