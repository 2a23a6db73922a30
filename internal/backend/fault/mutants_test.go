package fault_test

import (
	"testing"

	"github.com/lakebench/lakebench/internal/mutant"
)

// TestMutants: the tests reject the package with each guard taken out.
func TestMutants(t *testing.T) { mutant.Run(t, "testdata/mutants") }
