package migration_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/mutant"
)

var update = flag.Bool("update", false, "write "+catchesFile+" anew")

// catchesFile says on which schedule which mutant is found.
const catchesFile = "testdata/catches.txt"

// suspects are mutants that some schedule shows: one or two of each guard that keeps
// users from noticing the migration. Others are caught by the tests beside them, and
// by none of these for a reason: the verification under the barrier finds what a
// backfill has lost, and an overwritten copy is one of what v1 holds.
var suspects = []string{
	"migrate/testdata/mutants/hazard01-no-v1-check.txtar",
	"migrate/testdata/mutants/repair-without-v1-check.txtar",
	"store/control/testdata/mutants/hazard10-any-barrier.txtar",
	"store/control/testdata/mutants/hazard10-barrier-removed-after-marker.txtar",
	"store/dual/testdata/mutants/hazard04-no-barrier-check.txtar",
	"store/dual/testdata/mutants/hazard04-drain-does-not-look.txtar",
	"store/dual/testdata/mutants/hazard04-v2-only-does-not-wait.txtar",
}

// look builds the tests with a mutant in it and lets them explore.
func look(t *testing.T, file string) catch {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), mutant.Build(t, filepath.Join("../..", file)))
	cmd.Env = append(os.Environ(), campaignEnv+"=1")
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

// TestMutantsAreFound: each within 200 schedules, on the schedule that the table has
// it on, by the check that it has.
func TestMutantsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("mutants are built anew")
	}
	lines := make([]string, len(suspects))
	t.Run("look", func(t *testing.T) {
		for i, file := range suspects {
			t.Run(name(file), func(t *testing.T) {
				t.Parallel()
				c := look(t, file)
				if c.Schedule == 0 {
					t.Errorf("not found within %d schedules", mostSchedules)
					return
				}
				t.Logf("schedule %d, check %s: %s\n%s", c.Schedule, c.Check, c.Detail, c.Command)
				lines[i] = fmt.Sprintf("%-46s %8d  %s\n", name(file), c.Schedule, c.Check)
			})
		}
	})
	text := catchesHead + strings.Join(lines, "")
	if *update {
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
		t.Errorf("other than %s (-file +now); if that is meant, run with -update and read the difference:\n%s", catchesFile, diff)
	}
}

func name(file string) string {
	part := strings.Split(filepath.ToSlash(file), "/testdata/")[0]
	return filepath.Base(part) + "/" + strings.TrimSuffix(filepath.Base(file), ".txtar")
}

const catchesHead = `# On which schedule of the scenario, from seed 1, each mutant is found, and by which
# check (store/dual, store/control and migrate, testdata/mutants). Written by:
# go test ./explore/migration -run TestMutantsAreFound -update
`
