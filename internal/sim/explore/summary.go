package explore

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/lakebench/lakebench/internal/sim/checker"
)

// The report as JSON. Names are those of scripts that read it: they are added to
// and not changed.
type (
	reportJSON struct {
		Schema        string          `json:"schema"`
		Version       int             `json:"schema_version"`
		Scenario      string          `json:"scenario"`
		Actors        int             `json:"actors"`
		Operations    int             `json:"operations"`
		Seed          uint64          `json:"seed"`
		Planned       int             `json:"planned"`
		Schedules     int             `json:"schedules"`
		Interleavings int             `json:"interleavings"`
		Policies      []policyJSON    `json:"policies"`
		Requests      int64           `json:"requests"`
		Checked       int64           `json:"operations_checked"`
		Verdict       checker.Verdict `json:"verdict"`
		Inconclusive  int             `json:"inconclusive"`
		Failure       *failureJSON    `json:"failure,omitempty"`
		Warnings      []string        `json:"warnings"`
	}
	policyJSON struct {
		Policy        string `json:"policy"`
		Schedules     int    `json:"schedules"`
		Interleavings int    `json:"interleavings"`
	}
	failureJSON struct {
		Schedule   int      `json:"schedule"` // from 1
		Policy     string   `json:"policy"`
		Seed       uint64   `json:"seed"`
		Check      string   `json:"check"`
		Detail     string   `json:"detail"`
		Runs       int      `json:"shrink_runs"`
		Minimal    bool     `json:"minimal"`
		Operations int      `json:"operations"` // of each actor
		Switches   int      `json:"switches"`
		Faults     []string `json:"faults"`
		Hash       string   `json:"hash"` // of the interleaving, in hexadecimal
		Replay     string   `json:"replay"`
	}
)

// WriteJSON writes the report for programs.
func (r *Report) WriteJSON(w io.Writer) error {
	out := reportJSON{
		Schema: "lakebench.explore", Version: 1,
		Scenario: r.Scenario, Actors: r.Actors, Operations: r.Operations, Seed: r.Seed,
		Planned: r.Planned, Schedules: r.Schedules, Interleavings: r.Distinct, Policies: []policyJSON{},
		Requests: r.Requests, Checked: r.Recorded, Verdict: r.Verdict(), Inconclusive: r.Unsettled,
		Warnings: append([]string{}, r.Warnings...),
	}
	for _, p := range r.Policies {
		out.Policies = append(out.Policies, policyJSON{p.Policy.String(), p.Schedules, p.Distinct})
	}
	if f := r.Failure; f != nil {
		out.Failure = f.json()
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

func (f *Failure) json() *failureJSON {
	small := f.Smallest
	out := &failureJSON{
		Schedule: f.Index + 1, Policy: f.Policy.String(), Seed: small.Case.Seed,
		Check: f.Check.Name, Detail: f.Check.Detail, Runs: f.Runs, Minimal: f.Minimal,
		Operations: small.Case.Operations, Switches: len(small.schedule()), Faults: []string{},
		Hash: fmt.Sprintf("%016x", small.Trace.Hash), Replay: f.Command(),
	}
	for _, rule := range small.Case.Faults {
		out.Faults = append(out.Faults, rule.String())
	}
	return out
}
