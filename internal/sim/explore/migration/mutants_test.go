package migration_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/mutant"
)

var (
	runCampaign = flag.Bool("campaign", false, "look for every mutant, and compare with "+catchesFile)
	rewrite     = flag.Bool("rewrite", false, "with -campaign, write "+catchesFile)
)

// catchesFile says on which schedule which mutant is found, or why on none.
const catchesFile = "testdata/catches.txt"

// suspects are the mutants that are looked for every day: one of each kind of guard.
// Those that are found late take longer than all others together.
var suspects = []string{
	"control/hazard10-barrier-removed-after-marker",
	"dual/hazard04-drain-does-not-look",
	"dual/hazard04-no-barrier-check",
	"migrate/hazard01-no-v1-check",
	"migrate/repair-without-v1-check",
}

// mutants are the files of all that change what a migration is made of, by name.
func mutants(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, dir := range []string{"store/control", "store/dual", "migrate"} {
		found, err := filepath.Glob(filepath.Join("../../../..", dir, "testdata/mutants/*.txtar"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no mutants of %s (%v)", dir, err)
		}
		for _, file := range found {
			files[filepath.Base(dir)+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar")] = file
		}
	}
	return files
}

// build builds these tests with those of the files that have the names.
func build(t *testing.T, files map[string]string, names []string) *mutant.Binaries {
	t.Helper()
	var chosen []string
	for _, name := range names {
		chosen = append(chosen, files[name])
	}
	return mutant.Weave(t, chosen...)
}

// look explores with one mutant in effect.
func look(t *testing.T, binaries *mutant.Binaries, file string) catch {
	t.Helper()
	cmd, err := binaries.Command(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Environ(), campaignEnv+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var found catch
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return found
}

// TestMutantsAreFound finds each mutant on the schedule that the table has, and so
// within 200.
func TestMutantsAreFound(t *testing.T) {
	mutant.Skip(t)
	files, table := mutants(t), readCatches(t)
	binaries := build(t, files, suspects)
	for _, name := range suspects {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := caughtBy(name, look(t, binaries, files[name])); got.schedule == 0 || got != table[name] {
				t.Errorf("%+v, %s has %+v", got, catchesFile, table[name])
			}
		})
	}
}

// TestCatches: the table has every mutant, and a reason for each that is not found.
func TestCatches(t *testing.T) {
	files, table := mutants(t), readCatches(t)
	for name := range table {
		if files[name] == "" {
			t.Errorf("%s has %s, which is no mutant", catchesFile, name)
		}
	}
	for name := range files {
		if c, ok := table[name]; !ok || c.why == unexplained {
			t.Errorf("%s does not say when %s is found, or why not (%+v)", catchesFile, name, c)
		}
	}
}

// TestCampaign looks for every mutant, or for those that -run names.
func TestCampaign(t *testing.T) {
	if !*runCampaign {
		t.Skip("takes minutes; see make explore-mutants")
	}
	files, table := mutants(t), readCatches(t)
	names := slices.Sorted(maps.Keys(files))
	binaries := build(t, files, names)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			c := look(t, binaries, files[name])
			got := caughtBy(name, c)
			if got.schedule == 0 && table[name].why != "" {
				got.why = table[name].why
			}
			if !*rewrite && got != table[name] {
				t.Errorf("%+v, %s has %+v; if that is meant, run with -rewrite and read the difference", got, catchesFile, table[name])
			}
			table[name] = got
			t.Logf("schedule %d, check %s: %s\n%s", c.Schedule, c.Check, c.Detail, c.Command)
		})
	}
	if *rewrite {
		if err := os.WriteFile(catchesFile, []byte(writeCatches(table)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// caught is a line of the table.
type caught struct {
	name     string
	schedule int    // from 1; 0: on none
	check    string // that failed
	why      string // no schedule shows it
}

// unexplained is why before somebody has said why.
const unexplained = "?"

func caughtBy(name string, c catch) caught {
	if c.Schedule == 0 {
		return caught{name: name, why: unexplained}
	}
	return caught{name: name, schedule: c.Schedule, check: c.Check}
}

const catchesHead = `# On which schedule of the shipped scenario, of 200 from seed 1, which mutant of the
# migration is found, and the check that fails; or - and why none shows it: it cannot,
# or what it takes did not come together on any of the 200.
# All of them are caught by the tests beside them.
# Written by: go test ./internal/sim/explore/migration -run TestCampaign -campaign -rewrite
`

func writeCatches(table map[string]caught) string {
	var b strings.Builder
	b.WriteString(catchesHead)
	for _, name := range slices.Sorted(maps.Keys(table)) {
		c := table[name]
		schedule, text := strconv.Itoa(c.schedule), c.check
		if c.schedule == 0 {
			schedule, text = "-", c.why
		}
		fmt.Fprintf(&b, "%-48s %4s  %s\n", name, schedule, text)
	}
	return b.String()
}

func readCatches(t *testing.T) map[string]caught {
	t.Helper()
	data, err := os.ReadFile(catchesFile)
	if err != nil {
		t.Fatal(err)
	}
	table := map[string]caught{}
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if words[0] == "#" {
			continue
		}
		c, text := caught{name: words[0]}, strings.Join(words[2:], " ")
		if c.schedule, err = strconv.Atoi(words[1]); err == nil { // "-" is 0
			c.check = text
		} else {
			c.why = text
		}
		table[c.name] = c
	}
	return table
}
