package explore_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/sim/explore"
	"github.com/lakebench/lakebench/internal/sim/task"
)

func rules(t *testing.T, text string) fault.Rules {
	t.Helper()
	r, err := fault.Parse("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPolicies(t *testing.T) {
	for text, want := range map[string]explore.Policy{
		"fifo": {Name: "fifo"}, "random": {Name: "random"}, "pct": {Name: "pct", Depth: 3}, "pct:7": {Name: "pct", Depth: 7},
	} {
		got, err := explore.ParsePolicy(text)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		if again, err := explore.ParsePolicy(got.String()); err != nil || again != got {
			t.Errorf("%v is read as %v, %v", got, again, err)
		}
	}
	for _, text := range []string{"", "FIFO", "fifo:1", "pct:", "pct:0", "pct:101", "pct:x", "replay", "random:3"} {
		if got, err := explore.ParsePolicy(text); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}

// The line is for a shell: what it would not take as it is stands in quotes.
func TestCommandIsQuoted(t *testing.T) {
	s := countingScenario(2, 3)
	s.Flags = []string{"--scenario", "it's here/mine.yaml", "--layout", "v1"}
	f := explore.Failure{Scenario: s, Smallest: &explore.Run{Case: explore.Case{
		Seed: 7, Policy: task.Replay{Schedule: task.Schedule{{Task: "2", Step: 5, To: "3.1"}}}, Operations: 3,
		Faults: rules(t, `on dynamodb actor "a'b" nth 1 : cut`),
	}}}
	want := `lakebench explore --scenario 'it'\''s here/mine.yaml' --layout v1 --operations 3 --seed 7 --policy replay` +
		` --schedule '2@5>3.1' --faults 'on dynamodb actor "a'\''b" nth 1 : cut'`
	if got := f.Command(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	f.Smallest.Case.Policy, f.Smallest.Case.Faults = task.Replay{}, nil
	if got := f.Command(); !strings.HasSuffix(got, ` --schedule '' --faults ''`) {
		t.Errorf("without switches and faults: %s", got)
	}
}

// A timeline says when, who and what, the operation first and what belongs to it
// indented, and no line is too long for a terminal.
func TestTimeline(t *testing.T) {
	f := search(t, config(countingScenario(2, 3), "random")).Failure
	const want = `   0.000 ms  counter-1  get
   0.000 ms  counter-1  cas no value → 1
   0.000 ms  counter-2  get
   0.000 ms  counter-2  cas no value → 1
   0.000 ms  counter-2  = <nil>
   0.000 ms  counter-1  = <nil>
`
	if got := timeline(t, f); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	f.Check.Operations = []int{1}
	const part = `   0.000 ms  counter-1  cas no value → 1
   0.000 ms  counter-1  = <nil>
(4 lines of other operations are left out)
`
	if got := timeline(t, f); got != part {
		t.Errorf("got\n%swant\n%s", got, part)
	}
	var b strings.Builder
	if err := f.Smallest.WriteTimeline(&b, 30); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 30 {
			t.Errorf("%q has %d characters, at most 30 are wanted", line, n)
		}
	}
}
