package difftest

import (
	"context"
	"fmt"
	"strings"
)

// A MismatchError is a step that two services answer differently, and no [Difference]
// explains it.
type MismatchError struct {
	Steps        []Step // those before it, and it
	Ours, Theirs string
}

// Error shows the sequence as a test case, in the form that [ReadSteps] reads, and
// what each service answered to its last step.
func (m *MismatchError) Error() string {
	var b strings.Builder
	b.WriteString("the services differ; as a test case (testdata/sequences):\n")
	for _, s := range m.Steps {
		fmt.Fprintf(&b, "%s\t%s\n", s.Operation, s.Body)
	}
	fmt.Fprintf(&b, "ours: %s\ntheirs: %s", m.Ours, m.Theirs)
	return b.String()
}

// ReadSteps reads a sequence: one step a line, the operation, a tab, the body.
// Lines that begin with # are comments.
func ReadSteps(text string) ([]Step, error) {
	var steps []Step
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		operation, body, ok := strings.Cut(line, "\t")
		if !ok {
			return nil, fmt.Errorf("line %d: %q has no tab between operation and body", i+1, line)
		}
		steps = append(steps, Step{operation, body})
	}
	return steps, nil
}

// Tally counts what was compared.
type Tally struct {
	Requests  int
	Failed    int            // of them, refused by both
	Explained map[string]int // by the difference's name
}

// Compare sends steps to both services, on empty tables, until their answers differ.
// The error is then a *MismatchError, or the error of a service that did not answer. After an
// explained difference the tables may differ, so that the sequence ends there.
func Compare(ctx context.Context, ours, theirs Service, steps []Step, tally *Tally) error {
	for _, s := range Setup() {
		for _, service := range []Service{ours, theirs} {
			if _, _, err := service.Serve(ctx, s.Operation, s.Body); err != nil {
				return fmt.Errorf("%s: %w", s.Operation, err)
			}
		}
	}
	for i, s := range steps {
		a, err := ask(ctx, ours, s)
		if err != nil {
			return fmt.Errorf("ours: %w", err)
		}
		b, err := ask(ctx, theirs, s)
		if err != nil {
			return fmt.Errorf("theirs: %w", err)
		}
		tally.Requests++
		if a.equal(b) {
			if a.failure != "" {
				tally.Failed++
			}
			continue
		}
		d := explain(s, a, b)
		if d == nil {
			return &MismatchError{steps[:i+1], a.String(), b.String()}
		}
		if tally.Explained == nil {
			tally.Explained = map[string]int{}
		}
		tally.Explained[d.Name]++
		if (a.failure == "") != (b.failure == "") {
			return nil
		}
	}
	return nil
}
