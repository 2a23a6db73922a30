package explore_test

import (
	"testing"

	"github.com/lakebench/lakebench/internal/mutant"
)

// TestMutants: these tests notice when a guard of this package is taken out.
func TestMutants(t *testing.T) { mutant.Run(t, "testdata/mutants") }
