package gate

import (
	"fmt"
	"math"
	"slices"

	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/compare"
)

// PolicyName and PolicyVersion identify the format of a policy file.
const (
	PolicyName    = "lakebench.gate"
	PolicyVersion = 1
)

// Action is what the gate does about a difference.
type Action string

// The actions.
const (
	// Enforce fails the result: "gate" in a file.
	Enforce Action = "gate"
	// Advise reports it.
	Advise Action = "advise"
	// Ignore does not look.
	Ignore Action = "ignore"
)

// A Policy says what a result may do that its baseline did not.
type Policy struct {
	// Alpha is the level of significance for what is sampled, over all rows that
	// are gated.
	Alpha float64
	// Counts, Times, Growth and Ledgers are what is done where no rule says
	// otherwise. Ledgers are the outcomes of operations and the kinds of requests
	// behind counts.
	Counts, Times, Growth, Ledgers Action
	// GrowthAsked reports whether the policy names Growth itself. Without a class to
	// hold the result to it is then refused.
	GrowthAsked bool
	// Rules are for single metrics; the last one that matches decides.
	Rules []Rule
	// Required checks must be there and pass, whether or not the baseline has them.
	Required []string
	// Optional checks may be skipped or missing. None may fail.
	Optional []string
}

// DefaultPolicy gates counts two-sided at 0 %, growth, ledgers and checks, and
// advises on times (docs/spec/results.md §4).
func DefaultPolicy() Policy {
	return Policy{Alpha: compare.DefaultAlpha, Counts: Enforce, Times: Advise, Growth: Enforce, Ledgers: Enforce}
}

// A Rule is about the rows that match all that it names; what it leaves out
// matches everything.
type Rule struct {
	Line      int // in the file, 0 for none
	Workloads []string
	Variants  []string
	Phases    []results.Phase
	Metrics   []string
	Point     map[string]results.Value
	Action    Action
	// Up and Down are how much a value may rise or fall, as a part of the
	// baseline's: 0.05 is 5 %, infinity any amount.
	Up, Down float64
}

// Validate reports the first thing that is wrong with the policy.
func (p Policy) Validate() error {
	if !(p.Alpha > 0 && p.Alpha < 1) {
		return fmt.Errorf("alpha is %v, expected above 0 and below 1", p.Alpha)
	}
	for _, a := range []Action{p.Counts, p.Times, p.Growth, p.Ledgers} {
		if !slices.Contains([]Action{Enforce, Advise, Ignore}, a) {
			return fmt.Errorf("action %q, expected gate, advise or ignore", a)
		}
	}
	for _, r := range p.Rules {
		if err := r.validate(); err != nil {
			return err
		}
	}
	for _, name := range p.Required {
		if slices.Contains(p.Optional, name) {
			return fmt.Errorf("check %q is required and optional", name)
		}
	}
	return nil
}

func (r Rule) validate() error {
	if !slices.Contains([]Action{Enforce, Advise, Ignore}, r.Action) {
		return fmt.Errorf("action %q, expected gate, advise or ignore", r.Action)
	}
	if !(r.Up >= 0 && r.Down >= 0) {
		return fmt.Errorf("up %v and down %v, expected 0 or more", r.Up, r.Down)
	}
	return nil
}

// decision is what the policy says about a row.
type decision struct {
	action   Action
	up, down float64
}

// allows reports whether a change is within what the policy lets pass.
func (d decision) allows(r *compare.Row) bool { return r.Most <= d.up && -r.Least <= d.down }

// decide finds the last rule that matches a row, and marks it as used. Without one
// it is the default: counts may not change at all, times may get better.
func (p Policy) decide(workload string, r *compare.Row, used []bool) decision {
	for i := len(p.Rules) - 1; i >= 0; i-- {
		if rule := p.Rules[i]; rule.matches(workload, r) {
			used[i] = true
			return decision{rule.Action, rule.Up, rule.Down}
		}
	}
	if r.About.IsTime() {
		return decision{p.Times, 0, math.Inf(1)}
	}
	return decision{p.Counts, 0, 0}
}

func (r Rule) matches(workload string, row *compare.Row) bool {
	for name, v := range r.Point {
		if row.Point[name] != v {
			return false
		}
	}
	return among(r.Workloads, workload) && among(r.Variants, row.Variant) && among(r.Phases, row.Phase) && among(r.Metrics, row.Metric)
}

// among reports whether a list has a value, or names none.
func among[T comparable](list []T, v T) bool { return len(list) == 0 || slices.Contains(list, v) }
