package gate_test

import (
	"testing"

	"github.com/lakebench/lakebench/internal/mutant"
)

// TestMutants: these tests reject the gate with each of its bars taken out.
func TestMutants(t *testing.T) { mutant.Run(t, "testdata/mutants") }
