package metadata_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/lakebench/lakebench/internal/sim/explore"
	"github.com/lakebench/lakebench/internal/sim/explore/metadata"
	"github.com/lakebench/lakebench/internal/sim/explore/simulated"
)

// campaignEnv makes the test binary a program that explores the shipped
// scenario: with a mutant of the stores in it, that is how a mutant is looked
// for. Its value is a campaign, as JSON.
const campaignEnv = "LAKEBENCH_EXPLORE_CAMPAIGN"

func TestMain(m *testing.M) {
	if text := os.Getenv(campaignEnv); text != "" {
		if err := printCampaign(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// A campaign is one search over the shipped scenario.
type campaign struct {
	Layout, Transport string
	Policy            string
	Schedules         int
	Shrink            bool
}

// A catch is what a campaign found; Schedule 0 is nothing.
type catch struct {
	Schedule int // from 1
	Check    string
	Detail   string
	// Of the smallest run: operations of each actor, switches, rules for faults.
	Operations, Switches, Faults int
	Command                      string
}

func (c campaign) run(ctx context.Context) (catch, error) {
	scenario, err := shipped(c.Layout, c.Transport)
	if err != nil {
		return catch{}, err
	}
	policy, err := explore.ParsePolicy(c.Policy)
	if err != nil {
		return catch{}, err
	}
	cfg := explore.DefaultConfig()
	cfg.Scenario, cfg.Schedules, cfg.Policies = scenario, c.Schedules, []explore.Policy{policy}
	if !c.Shrink {
		cfg.ShrinkRuns = 0
	}
	report, err := explore.Explore(ctx, cfg)
	if err != nil || report.Failure == nil {
		return catch{}, err
	}
	f := report.Failure
	return catch{
		Schedule: f.Index + 1, Check: f.Check.Name, Detail: f.Check.Detail, Operations: f.Smallest.Case.Operations,
		Switches: len(f.Smallest.Trace.Schedule), Faults: len(f.Smallest.Case.Faults), Command: f.Command(),
	}, nil
}

func shipped(layout, transport string) (explore.Scenario, error) {
	cfg, err := metadata.Default()
	if err != nil {
		return explore.Scenario{}, err
	}
	if cfg.Layout, err = metadata.ParseLayout(layout); err != nil {
		return explore.Scenario{}, err
	}
	cfg.Services.Transport = simulated.Transport(transport)
	return cfg.Scenario(metadata.Name), nil
}

func printCampaign(text string) error {
	var c campaign
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	found, err := c.run(context.Background())
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(found)
}
