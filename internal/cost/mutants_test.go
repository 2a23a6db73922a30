package cost_test

import (
	"testing"

	"github.com/lakebench/lakebench/internal/mutant"
)

// TestMutants: the tests notice when a rule of this package is changed.
func TestMutants(t *testing.T) { mutant.Run(t, "testdata/mutants") }
