package gate

import (
	"slices"

	"github.com/lakebench/lakebench/results"
)

// checks looks at the checks of the result: those that it has, those that the
// baseline has and those that the policy requires.
func (j *judgement) checks() {
	known := map[string]bool{}
	for _, c := range j.result.Checks {
		known[c.Name] = true
		j.Gated.Checks++
		switch c.Status {
		case results.Failed:
			j.fail(KindCheckFailed, "", "the check %q failed: %s", c.Name, c.Detail)
		case results.Inconclusive:
			j.fail(KindCheckUnclear, "", "the check %q is inconclusive: %s", c.Name, c.Detail)
		case results.Skipped:
			if j.required(c.Name) {
				j.fail(KindCheckSkipped, "", "the required check %q was skipped: %s", c.Name, c.Detail)
			}
		case results.Passed:
		}
	}
	names := slices.Clone(j.policy.Required)
	for _, c := range j.baseline.Checks {
		names = append(names, c.Name)
	}
	for _, name := range names {
		if !known[name] && j.required(name) {
			known[name] = true // said once
			j.Gated.Checks++
			j.fail(KindCheckMissing, "", "the required check %q is missing: it was not made", name)
		}
	}
}

// required reports whether a check must pass: the policy wants it, or it passed in
// the baseline and the policy does not call it optional.
func (j *judgement) required(name string) bool {
	passed := slices.ContainsFunc(j.baseline.Checks, func(c results.Check) bool { return c.Name == name && c.Status == results.Passed })
	return slices.Contains(j.policy.Required, name) || passed && !slices.Contains(j.policy.Optional, name)
}
