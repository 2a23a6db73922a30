package gate

import (
	"fmt"
	"path/filepath"

	"github.com/lakebench/lakebench/results"
)

// Judge holds each result against its baseline: the one of the same workload hash
// and seed or, so that it is told what is not the same, another one of the same
// workload. If the results are the whole of what should be there, a baseline
// without a result is a failure.
func Judge(p Policy, baselines, found []results.Named, whole bool) (Report, error) {
	g, err := New(p)
	if err != nil {
		return Report{}, err
	}
	var verdicts []Verdict
	var failures []Finding
	matched := match(baselines, found)
	used := make([]bool, len(baselines))
	for i, r := range found {
		b := matched[i]
		if b < 0 {
			failures = append(failures, Finding{
				Kind:    KindBaselineMissing,
				Message: fmt.Sprintf("there is no baseline of workload %s for %s; --update makes one", r.Document.Workload.Name, r.Name),
			})
			continue
		}
		used[b] = true
		v, err := g.Judge(baselines[b], r)
		if err != nil {
			return Report{}, fmt.Errorf("%s: %w", r.Name, err)
		}
		verdicts = append(verdicts, v)
	}
	for i, b := range baselines {
		if whole && !used[i] {
			failures = append(failures, Finding{
				Kind:    KindResultMissing,
				Message: fmt.Sprintf("there is no result for the baseline %s of workload %s: it was not run", b.Name, b.Document.Workload.Name),
			})
		}
	}
	return NewReport(verdicts, append(failures, g.Unmatched()...)), nil
}

// match finds the baseline of each result, -1 for none.
func match(baselines, found []results.Named) []int {
	matched := make([]int, len(found))
	taken := make([]bool, len(baselines))
	for i, r := range found {
		matched[i] = -1
		for b := range baselines {
			d := baselines[b].Document
			if d.Workload.Hash == r.Document.Workload.Hash && d.Seed == r.Document.Seed {
				matched[i], taken[b] = b, true
				break
			}
		}
	}
	for i, r := range found {
		for b := range baselines {
			if matched[i] < 0 && !taken[b] && baselines[b].Document.Workload.Name == r.Document.Workload.Name {
				matched[i], taken[b] = b, true
			}
		}
	}
	return matched
}

// Updates returns what must be written so that the results pass: each under the
// name of its baseline, or, where there is none, under place, a file *.json or a
// folder. Results that pass already are left out, so that a baseline only changes
// when it has to. It refuses results that prove nothing, and several for one file.
func Updates(r Report, baselines, found []results.Named, place string) ([]results.Named, error) {
	verdicts := map[string]Verdict{}
	for _, v := range r.Verdicts {
		verdicts[v.Result] = v
	}
	matched := match(baselines, found)
	var changes []results.Named
	names := map[string]string{}
	for i, result := range found {
		if err := proves(result); err != nil {
			return nil, err
		}
		name := filepath.Join(place, result.Document.Workload.Name+".json")
		if filepath.Ext(place) == ".json" {
			name = place
		}
		if b := matched[i]; b >= 0 {
			name = baselines[b].Name
			if v := verdicts[result.Name]; !v.differs() {
				continue
			}
		}
		if other := names[name]; other != "" {
			return nil, fmt.Errorf("%s and %s would both be written to %s: update them one by one", other, result.Name, name)
		}
		names[name] = result.Name
		changes = append(changes, results.Named{Name: name, Document: result.Document})
	}
	return changes, nil
}

// differs reports whether the result fails, or has metrics that the baseline has not.
func (v Verdict) differs() bool {
	for _, f := range v.Advice {
		if f.Kind == KindMetricMissing {
			return true
		}
	}
	return len(v.Failures) > 0
}

// proves says why a result proves nothing.
func proves(r results.Named) error {
	switch {
	case len(r.Document.Series) == 0:
		return &NotPassedError{Invalid, 1, fmt.Sprintf("%s is empty and cannot be a baseline", r.Name)}
	case r.Document.Partial:
		return &NotPassedError{Invalid, 1, fmt.Sprintf("%s is partial and cannot be a baseline", r.Name)}
	}
	for _, c := range r.Document.Checks {
		if c.Status == results.Failed || c.Status == results.Inconclusive {
			return &NotPassedError{Invalid, 1, fmt.Sprintf("%s cannot be a baseline: its check %q is %s", r.Name, c.Name, c.Status)}
		}
	}
	return nil
}
