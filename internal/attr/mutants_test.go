package attr

import (
	"testing"

	"github.com/lakebench/lakebench/internal/mutant"
)

// TestMutants: the tests notice when a guard of this package is taken out.
func TestMutants(t *testing.T) { mutant.Run(t, "testdata/mutants") }
