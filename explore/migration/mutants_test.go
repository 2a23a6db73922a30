package migration_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/mutant"
)

// suspects are mutants that some schedule shows: one or two of each guard that keeps
// users from noticing the migration. Others are caught by the tests beside them, and
// by none of these for a reason: the verification under the barrier finds what a
// backfill has lost, and an overwritten copy is one of what v1 holds.
var suspects = []string{
	"migrate/testdata/mutants/hazard01-no-v1-check.txtar",
	"migrate/testdata/mutants/repair-without-v1-check.txtar",
	"store/control/testdata/mutants/hazard10-barrier-removed-after-marker.txtar",
	"store/dual/testdata/mutants/hazard04-no-barrier-check.txtar",
	"store/dual/testdata/mutants/hazard04-drain-does-not-look.txtar",
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

// TestMutantsAreFound: each within 200 schedules (issue 4, "Must reach").
func TestMutantsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("mutants are built anew")
	}
	for _, file := range suspects {
		t.Run(name(file), func(t *testing.T) {
			t.Parallel()
			c := look(t, file)
			if c.Schedule == 0 {
				t.Errorf("not found within %d schedules", mostSchedules)
				return
			}
			t.Logf("schedule %d, check %s: %s\n%s", c.Schedule, c.Check, c.Detail, c.Command)
		})
	}
}

func name(file string) string {
	part := strings.Split(filepath.ToSlash(file), "/testdata/")[0]
	return filepath.Base(part) + "/" + strings.TrimSuffix(filepath.Base(file), ".txtar")
}
