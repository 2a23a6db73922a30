package gate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/compare"
)

// Inputs are what a gate judges.
type Inputs struct {
	Baselines, Results []results.Named
	// Whole: the results are all that should be there, so that a baseline without one
	// is a failure.
	Whole bool
	// Failures are about what could not be read.
	Failures []Finding
	// Notes say which results are left out, and why.
	Notes []string
	// Place is where the baselines are, for the command that makes one.
	Place string
}

// Unread is the finding that a file or a place could not be read.
func Unread(name string, err error) Finding {
	return Finding{Kind: KindInput, Place: name, Message: strings.TrimPrefix(err.Error(), name+": ")}
}

// MakeBaseline is the command that makes results the baselines at a place.
func MakeBaseline(place, results string) string {
	return fmt.Sprintf("lakebench gate --baseline %s --update %s", place, results)
}

// Judge holds each result against its baseline: the one of the same workload hash
// and seed or, so that it is told what is not the same, another one of the same
// workload.
func Judge(p Policy, in Inputs) (Report, error) {
	g, err := New(p)
	if err != nil {
		return Report{}, err
	}
	var verdicts []Verdict
	failures := slices.Clone(in.Failures)
	matched := match(in.Baselines, in.Results)
	used := make([]bool, len(in.Baselines))
	for i, r := range in.Results {
		b := matched[i]
		if b < 0 {
			failures = append(failures, in.noBaseline(r))
			continue
		}
		used[b] = true
		v, err := g.Judge(in.Baselines[b], r)
		if err != nil {
			return Report{}, fmt.Errorf("%s: %w", r.Name, err)
		}
		verdicts = append(verdicts, v)
	}
	for i, b := range in.Baselines {
		if in.Whole && !used[i] {
			failures = append(failures, Finding{
				Kind:    KindResultMissing,
				Message: fmt.Sprintf("there is no result for the baseline %s of workload %s: it was not run", b.Name, b.Document.Workload.Name),
			})
		}
	}
	return NewReport(verdicts, append(failures, g.Unmatched()...), in.Notes...), nil
}

// noBaseline says what there is instead of a result's baseline, and how to make it:
// beside a baseline of another run of the workload, not in its place.
func (in Inputs) noBaseline(r results.Named) Finding {
	w, place := r.Document.Workload, in.Place
	text := fmt.Sprintf("there is no baseline of workload %s for %s", w.Name, r.Name)
	for _, b := range in.Baselines {
		if b.Document.Workload.Name == w.Name {
			e := &compare.MismatchError{Old: b.Document.Workload, New: w}
			text = fmt.Sprintf("there is no baseline for %s: %s is of another run (%s)", r.Name, b.Name, e.Difference())
			if filepath.Ext(place) == ".json" {
				place = filepath.Dir(place)
			}
			place = filepath.Join(place, fmt.Sprintf("%s-%.8s.json", w.Name, w.Hash))
			break
		}
	}
	return Finding{Kind: KindBaselineMissing, Message: text + "; to make it: " + MakeBaseline(place, r.Name)}
}

// Newest leaves out the results of one folder that a newer one of the same workload
// supersedes, with a note about each: all but the newest of those of one hash and
// seed, and older ones that no baseline is of.
func Newest(baselines, found []results.Named) (kept []results.Named, notes []string) {
	same := func(a, b results.Document) bool { return a.Workload.Hash == b.Workload.Hash && a.Seed == b.Seed }
	for i, r := range found {
		hasBaseline := slices.ContainsFunc(baselines, func(b results.Named) bool { return same(b.Document, r.Document) })
		newer := slices.IndexFunc(found, func(n results.Named) bool {
			return n.Document.Workload.Name == r.Document.Workload.Name && n.Document.Started.After(r.Document.Started) &&
				(same(n.Document, r.Document) || !hasBaseline)
		})
		if newer < 0 {
			kept = append(kept, found[i])
			continue
		}
		notes = append(notes, fmt.Sprintf("%s is left out: %s is a newer run of %s", r.Name, found[newer].Name, r.Document.Workload.Name))
	}
	return kept, notes
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
