package metadata_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/mutant"
)

var (
	runCampaign = flag.Bool("campaign", false, "look for every mutant with every policy, and compare with "+catchesFile)
	rewrite     = flag.Bool("rewrite", false, "with -campaign, write "+catchesFile)
)

// catchesFile lists the schedule on which each policy finds each mutant.
const catchesFile = "testdata/catches.txt"

// mostSchedules is how many schedules a mutant may take.
const mostSchedules = 1000

// A suspect is a mutant of the stores that concerns concurrency or faults: where
// its file is below store/, and on which layout and transport to look for it.
type suspect struct{ file, layout, transport string }

func (s suspect) name() string { return strings.TrimSuffix(filepath.Base(s.file), ".txtar") }

// suspects are the mutants of hazards 5, 6 and 14, and those of others that a fault
// or a schedule brings out. Two are not here since no run can show them:
// hazard05-still-running-is-an-answer, because the attempt that still runs got no
// answer either, which is enough for the sender;
// and hazard09-given-up-silently, because a service that processes nothing of a
// batch returns an error.
var suspects = []suspect{
	{"v1/testdata/mutants/hazard05-read-back.txtar", "v1", "direct"},
	{"v1/testdata/mutants/hazard05-sent-again.txtar", "v1", "direct"},
	// The errors of the direct transport have no HTTP status to be misread.
	{"v1/testdata/mutants/hazard05-server-error-is-an-answer.txtar", "v1", "sdk"},
	{"v1/testdata/mutants/hazard05-silence-is-an-answer.txtar", "v1", "direct"},
	{"v2/testdata/mutants/hazard05-refusal-after-silence.txtar", "v2", "direct"},
	{"v1/testdata/mutants/hazard06-message-text.txtar", "v1", "direct"},
	{"v1/testdata/mutants/hazard06-single-conflict-is-a-condition.txtar", "v1", "direct"},
	{"v1/testdata/mutants/hazard06-throttled-write-is-a-condition.txtar", "v1", "direct"},
	{"v2/testdata/mutants/hazard06-condition-is-contention.txtar", "v2", "direct"},
	{"v2/testdata/mutants/hazard06-conflict-is-a-condition.txtar", "v2", "direct"},
	{"v2/testdata/mutants/hazard06-last-fault-decides.txtar", "v2", "direct"},
	{"v2/testdata/mutants/hazard06-throttle-is-a-refusal.txtar", "v2", "direct"},
	{"v2/testdata/mutants/hazard14-new-token.txtar", "v2", "direct"},
	{"item/testdata/mutants/hazard14-expired-token.txtar", "v2", "direct"},
	{"item/testdata/mutants/hazard14-window-from-the-last.txtar", "v2", "direct"},
	{"item/testdata/mutants/hazard09-dropped.txtar", "v2", "direct"},
	{"v2/testdata/mutants/parallel-error-swallowed.txtar", "v2", "direct"},
	{"v2/testdata/mutants/guard-unchecked.txtar", "v2", "direct"},
}

// policies are those of the table.
var policies = []string{"fifo", "random", "pct:3"}

// path is the file of the mutant, from here.
func (s suspect) path() string { return filepath.Join("../../../../store", s.file) }

// build builds these tests with every suspect.
func build(t *testing.T) *mutant.Binaries {
	t.Helper()
	var files []string
	for _, s := range suspects {
		files = append(files, s.path())
	}
	return mutant.Weave(t, files...)
}

// find runs a campaign with the mutant in effect.
func (s suspect) find(t *testing.T, binaries *mutant.Binaries, policy string, schedules int, shrink bool) catch {
	t.Helper()
	text, err := json.Marshal(campaign{s.layout, s.transport, policy, schedules, shrink})
	if err != nil {
		t.Fatal(err)
	}
	cmd, err := binaries.Command(t.Context(), s.path())
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Environ(), campaignEnv+"="+string(text))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", text, err, out)
	}
	var found catch
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("%s: %v\n%s", text, err, out)
	}
	return found
}

// TestMutants: the tests of this package notice when a guard of the scenario is
// taken out, or what its checks are about.
func TestMutants(t *testing.T) { mutant.Run(t, "testdata/mutants") }

// TestMutantsAreFound: each mutant is found again on the schedule on which the
// table has it first.
func TestMutantsAreFound(t *testing.T) {
	mutant.Skip(t)
	table := readCatches(t)
	binaries := build(t)
	for _, s := range suspects {
		i := slices.IndexFunc(table, func(r caught) bool { return r.mutant == s.name() })
		if i < 0 {
			t.Errorf("%s is not in %s; run with -campaign -rewrite and read the difference", s.name(), catchesFile)
			continue
		}
		t.Run(s.name(), func(t *testing.T) {
			t.Parallel()
			best, policy := table[i].best()
			found := s.find(t, binaries, policy, best, false)
			if found.Schedule != best || found.Check != table[i].check {
				t.Errorf("%s finds it on schedule %d by check %q, %s has %d and %q", policy, found.Schedule, found.Check, catchesFile, best, table[i].check)
			}
		})
	}
}

// TestCampaign looks for every mutant with every policy.
func TestCampaign(t *testing.T) {
	if !*runCampaign {
		t.Skip("takes minutes; see make explore-mutants")
	}
	table := make([]caught, len(suspects))
	binaries := build(t)
	t.Run("look", func(t *testing.T) {
		for i, s := range suspects {
			t.Run(s.name(), func(t *testing.T) {
				t.Parallel()
				table[i] = s.look(t, binaries)
			})
		}
	})
	text := writeCatches(table)
	if *rewrite {
		if err := os.WriteFile(catchesFile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(catchesFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); diff != "" {
		t.Errorf("other than %s (-file +now); if that is meant, run with -rewrite and read the difference:\n%s", catchesFile, diff)
	}
}

// caught is a line of the table.
type caught struct {
	mutant, layout, transport string
	schedule                  []int // by policy, from 1; 0: not found
	check                     string
	smallest                  string // of the first that found it
}

// look looks for the mutant with every policy, and once more, to make the failure
// smaller, with the one that was first.
func (s suspect) look(t *testing.T, binaries *mutant.Binaries) caught {
	t.Helper()
	c := caught{mutant: s.name(), layout: s.layout, transport: s.transport}
	for _, policy := range policies {
		c.schedule = append(c.schedule, s.find(t, binaries, policy, mostSchedules, false).Schedule)
	}
	schedule, policy := c.best()
	if schedule == 0 {
		t.Errorf("not found within %d schedules by any policy", mostSchedules)
		return c
	}
	f := s.find(t, binaries, policy, schedule, true)
	t.Logf("%s\n%s", f.Detail, f.Command)
	c.check = f.Check
	c.smallest = fmt.Sprintf("%d/%d/%d", f.Operations, f.Switches, f.Faults)
	return c
}

// best returns the first schedule on which any policy found the mutant.
func (c caught) best() (schedule int, policy string) {
	for i, n := range c.schedule {
		if n > 0 && (schedule == 0 || n < schedule) {
			schedule, policy = n, policies[i]
		}
	}
	return schedule, policy
}

const catchesHead = `# Which policy finds which mutant of the stores (store/**/testdata/mutants) in the
# shipped scenario, and on which schedule: the first is 1, from seed 1; - is not
# within 1,000. Then the check that failed, and how small the failure became, for
# the policy that was first: operations of each actor, switches, faults.
# Written by: go test ./internal/sim/explore/metadata -run TestCampaign -campaign -rewrite
`

const catchesLine = "%-42s %-6s %-9s %6s %6s %6s  %-12s  %s\n"

func writeCatches(table []caught) string {
	var b strings.Builder
	b.WriteString(catchesHead)
	fmt.Fprintf(&b, catchesLine, "mutant", "layout", "transport", policies[0], policies[1], policies[2], "check", "smallest")
	for _, c := range table {
		numbers := make([]string, len(policies))
		for i, n := range c.schedule {
			numbers[i] = strconv.Itoa(n)
			if n == 0 {
				numbers[i] = "-"
			}
		}
		fmt.Fprintf(&b, catchesLine, c.mutant, c.layout, c.transport, numbers[0], numbers[1], numbers[2], c.check, c.smallest)
	}
	return b.String()
}

func readCatches(t *testing.T) []caught {
	t.Helper()
	data, err := os.ReadFile(catchesFile)
	if err != nil {
		t.Fatal(err)
	}
	var table []caught
	for line := range strings.Lines(strings.TrimPrefix(string(data), catchesHead)) {
		words := strings.Fields(line)
		if len(words) != 8 {
			t.Fatalf("%s: %q has %d words, want 8", catchesFile, line, len(words))
		}
		c := caught{mutant: words[0], layout: words[1], transport: words[2], check: words[6], smallest: words[7]}
		for _, w := range words[3:6] {
			n, _ := strconv.Atoi(w) // "-" is 0
			c.schedule = append(c.schedule, n)
		}
		table = append(table, c)
	}
	return table
}
