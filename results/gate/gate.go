// Package gate decides whether a result is still what its baseline says.
//
// A gate fails closed. What is missing, empty, interrupted, cut off or
// not comparable fails as surely as what got worse, each with a message of its
// own. An unexplained improvement of a count fails too, for it usually means that
// work stopped being done; who means it updates the baseline. And a gate that has
// never failed proves nothing, so it can plant a regression of each kind and see
// itself fail (SelfTest). See docs/spec/results.md §4.
package gate

import (
	"fmt"

	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/compare"
)

// Kind is why a gate fails.
type Kind string

// The kinds.
const (
	KindEmpty           Kind = "empty"
	KindPartial         Kind = "partial"
	KindWorkload        Kind = "workload"
	KindSeed            Kind = "seed"
	KindDeterminism     Kind = "determinism"
	KindCheckFailed     Kind = "check-failed"
	KindCheckUnclear    Kind = "check-inconclusive"
	KindCheckSkipped    Kind = "check-skipped"
	KindCheckMissing    Kind = "check-missing"
	KindSeriesMissing   Kind = "series-missing"
	KindMetricMissing   Kind = "metric-missing"
	KindClamped         Kind = "clamped"
	KindCount           Kind = "count"
	KindTime            Kind = "time"
	KindClock           Kind = "clock"
	KindGrowth          Kind = "growth"
	KindLedger          Kind = "ledger"
	KindTooFew          Kind = "too-few-repeats"
	KindRule            Kind = "rule"
	KindResultMissing   Kind = "result-missing"
	KindBaselineMissing Kind = "baseline-missing"
	// KindInput: a file or a place that could not be read.
	KindInput Kind = "input"
)

// Outcome is what a gate says.
type Outcome string

// The outcomes, from good to bad.
const (
	Pass Outcome = "pass"
	// Inconclusive: nothing got worse that could be seen, but it could not have been
	// seen.
	Inconclusive Outcome = "inconclusive"
	// Fail: the result is not what the baseline says.
	Fail Outcome = "fail"
	// Invalid: the result proves nothing.
	Invalid Outcome = "invalid"
)

// outcome is what a finding of the kind means for the result.
func (k Kind) outcome() Outcome {
	switch k {
	case KindEmpty, KindPartial, KindCheckFailed, KindInput:
		return Invalid
	case KindCheckUnclear, KindTooFew:
		return Inconclusive
	default:
		return Fail
	}
}

// A Finding is one reason to fail, or, as advice, one thing to know.
type Finding struct {
	Kind Kind `json:"kind"`
	// Place is the variant, point and phase that it is about; "" for the whole.
	Place string `json:"place,omitempty"`
	// Metric, Old and New are set if it is about a metric.
	Metric string `json:"metric,omitempty"`
	Old    string `json:"old,omitempty"`
	New    string `json:"new,omitempty"`
	// Effect and Change are set if it is about a changed value: Change is a part of the
	// old one, nil from 0.
	Effect Effect   `json:"effect,omitempty"`
	Change *float64 `json:"change,omitempty"`
	// Message is a sentence without the place.
	Message string `json:"message"`

	moved moved
}

// A Verdict is what the gate says of one result.
type Verdict struct {
	Workload string  `json:"workload"`
	Baseline string  `json:"baseline"`
	Result   string  `json:"result"`
	Outcome  Outcome `json:"outcome"`
	// Failures are why it does not pass, the worst first; Advice is what the policy does
	// not gate. Causes are the failures put together.
	Failures []Finding `json:"failures"`
	Causes   []Cause   `json:"causes"`
	Advice   []Finding `json:"advice"`
	Gated    Tally     `json:"gated"`
	// Places are those of the series that were gated, in order.
	Places   []string `json:"-"`
	Warnings []string `json:"warnings"`
}

// Tally says how much was gated.
type Tally struct {
	Counts int `json:"counts"`
	Times  int `json:"times"`
	Growth int `json:"growth"`
	Checks int `json:"checks"`
}

// A NotPassedError reports that a gate did not let a result pass.
type NotPassedError struct {
	Outcome Outcome
	// Failures is how many there are, First is the worst of them.
	Failures int
	First    string
}

func (e *NotPassedError) Error() string {
	return fmt.Sprintf("the gate says %s: %s", e.Outcome, e.First) + more(e.Failures-1)
}

// A Gate judges results by a policy. It is not for concurrent use.
type Gate struct {
	policy    Policy
	used      []bool // rules that have matched a row
	workloads map[string]bool
}

// New returns a gate. It refuses what Policy.Validate refuses.
func New(p Policy) (*Gate, error) {
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("gate policy: %w", err)
	}
	return &Gate{policy: p, used: make([]bool, len(p.Rules)), workloads: map[string]bool{}}, nil
}

// judgement is a verdict in the making.
type judgement struct {
	*Gate
	Verdict
	compare.Namer
	baseline, result results.Document
	missing          map[string]bool   // places with a series that is not there
	why              map[string]string // what the requests at a place have to do with its counts
}

// Judge holds a result against its baseline.
func (g *Gate) Judge(baseline, result results.Named) (Verdict, error) {
	j := &judgement{Gate: g, baseline: baseline.Document, result: result.Document, missing: map[string]bool{}, why: map[string]string{}, Namer: compare.NewNamer(baseline.Document, result.Document)}
	j.Workload, j.Baseline, j.Result = result.Document.Workload.Name, baseline.Name, result.Name
	j.Failures, j.Advice, j.Warnings = []Finding{}, []Finding{}, []string{}
	g.workloads[j.Workload] = true
	j.whole()
	j.checks()
	if j.comparable() {
		if err := j.compare(baseline, result); err != nil {
			return Verdict{}, err
		}
	}
	j.Outcome, j.Causes = worst(j.Failures), causesOf(j.Failures)
	j.Failures, j.Advice = byCause(j.Failures), byCause(j.Advice)
	return j.Verdict, nil
}

// worst is the outcome of findings together.
func worst(findings []Finding) Outcome {
	order := []Outcome{Pass, Inconclusive, Fail, Invalid}
	bad := 0
	for _, f := range findings {
		for i, o := range order {
			if f.Kind.outcome() == o {
				bad = max(bad, i)
			}
		}
	}
	return order[bad]
}

func (j *judgement) fail(kind Kind, place, format string, args ...any) {
	j.Failures = append(j.Failures, Finding{Kind: kind, Place: place, Message: fmt.Sprintf(format, args...)})
}

// whole looks at the documents as a whole.
func (j *judgement) whole() {
	if len(j.result.Series) == 0 {
		j.fail(KindEmpty, "", "the result is empty: nothing was measured")
	}
	if len(j.baseline.Series) == 0 {
		j.fail(KindEmpty, "", "the baseline is empty, so nothing can be held against it")
	}
	if j.result.Partial {
		j.fail(KindPartial, "", "the result is partial: its run was interrupted")
	}
	if j.baseline.Partial {
		j.fail(KindPartial, "", "the baseline is partial: its run was interrupted")
	}
	if a, b := j.baseline.Workload, j.result.Workload; a.Hash != b.Hash {
		e := &compare.MismatchError{Old: a, New: b}
		j.fail(KindWorkload, "", "another workload: %s", e.Difference())
	}
	if a, b := j.baseline.Seed, j.result.Seed; a != b {
		j.fail(KindSeed, "", "another seed: it is %d, the baseline's is %d", b, a)
	}
	if j.baseline.Deterministic && !j.result.Deterministic {
		j.fail(KindDeterminism, "", "the baseline is deterministic and the result is not, so its counts are no facts; run it on the embedded services, concurrent workloads with --clock virtual")
	}
	j.clamped()
}

// clamped looks for times beyond the range of a histogram.
func (j *judgement) clamped() {
	for i := range j.result.Series {
		s := &j.result.Series[i]
		for name, l := range s.Latency {
			if n := max(l.Response.Clamped, l.Service.Clamped); n > 0 {
				j.fail(KindClamped, j.Place(s.Variant, s.Point, s.Phase), "%d samples of %s in repeat %d are clamped: they are outside the range of the histogram", n, name, s.Repeat)
			}
		}
	}
}

// comparable reports whether the rows of both mean the same.
func (j *judgement) comparable() bool {
	return j.baseline.Workload.Hash == j.result.Workload.Hash && j.baseline.Seed == j.result.Seed &&
		len(j.baseline.Series) > 0 && len(j.result.Series) > 0
}
