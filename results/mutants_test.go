package results_test

import (
	"testing"

	"github.com/lakebench/lakebench/internal/mutant"
)

// TestMutants: these tests reject conclusions from what allows none.
func TestMutants(t *testing.T) { mutant.Run(t, "testdata/mutants") }
