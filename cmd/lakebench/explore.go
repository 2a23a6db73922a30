package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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

	hasFaults     bool // --faults was given, if only to say that there are none
	hasOperations bool
}

// replayPolicy is the policy that runs one schedule, which is given.
const replayPolicy = "replay"

func newExplore() *cobra.Command {
	o := &exploreOptions{}
	cmd := &cobra.Command{
		Use:   "explore",
		Short: "Search many schedules of a scenario for one on which something breaks",
		Long: `Explore runs a scenario, writers, readers and faults over a metadata store on the
embedded services, on many schedules of a virtual runtime: which task runs when,
and what goes wrong, follows from a seed. It checks what every caller was told.
Two are shipped: metadata, on one layout, and migration, from v1 to v2 under load.

The first schedule that fails is made smaller, to the fewest context switches and
faults, and printed as a timeline and as one line that replays it.

Exit code 0: nothing was found; 1: a failure; 4: a check gave up on some schedule.`,
		Example: `  lakebench explore --layout v1
  lakebench explore --schedules 100 --policy random,pct:5 --seed 42
  lakebench explore --faults 'on dynamodb cause mutate p 0.05 : error-after' --out failure
  lakebench explore --scenario migration
  lakebench explore --show > mine.yaml; lakebench explore --scenario mine.yaml`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.hasFaults, o.hasOperations = cmd.Flags().Changed("faults"), cmd.Flags().Changed("operations")
			if cmd.Flags().Changed("schedules") && slices.Contains(o.policies, replayPolicy) {
				return usagef("--schedules: a replay is one schedule")
			}
			if cmd.Flags().Changed("schedule") && !slices.Contains(o.policies, replayPolicy) {
				return usagef("--schedule needs --policy replay")
			}
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.scenario, "scenario", metadata.Name, "explore the shipped scenario of this name, or that of a YAML `file`")
	f.StringVar(&o.layout, "layout", "", "the store's layout, v1 or v2 (default the scenario's)")
	f.StringVar(&o.transport, "transport", "", "how requests get to the service, direct or sdk, which is slower (default the scenario's)")
	f.IntVar(&o.operations, "operations", 0, "how many operations each actor makes (default the scenario's)")
	f.IntVar(&o.schedules, "schedules", 1000, "run at most so many schedules")
	f.Uint64Var(&o.seed, "seed", 1, "the seed of the first schedules; it goes up by one each round of policies")
	f.StringSliceVar(&o.policies, "policy", nil, "schedule by fifo, random or pct[:DEPTH], in turn, or replay (default the scenario's)")
	f.StringVar(&o.schedule, "schedule", "", "with --policy replay: the `switches` to make")
	f.StringVar(&o.faults, "faults", "", "inject faults by these `rules`, with ; between, or by those in a file named after an @, instead of the scenario's; '' is none")
	f.IntVar(&o.parallel, "parallel", 0, "run so many schedules at once (default the number of CPUs); what is found does not depend on it")
	f.StringVar(&o.out, "out", "", "write a failure's history, drawing, timeline and replay line to this `dir`")
	f.BoolVar(&o.json, "json", false, "print a summary as JSON instead")
	f.BoolVar(&o.show, "show", false, "print the shipped scenario's file and do nothing else")
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
			return explore.Scenario{}, nil, usagef("--layout: scenario %s goes through all of them", migration.Name)
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
		return metadata.Config{}, usagef("--scenario %s: no scenario is named so, and there is no such file; %s and %s are shipped", o.scenario, metadata.Name, migration.Name)
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
			return nil, usagef("--policy: replay stands alone")
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
	if err := r.WriteText(stdout, terminalOf(stdout).Width); err != nil {
		return err
	}
	if len(files) > 0 {
		fmt.Fprintf(stdout, "\nWritten to %s: %s\n", filepath.Clean(o.out), strings.Join(files, ", "))
	}
	return nil
}
