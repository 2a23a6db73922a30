package run

import (
	"testing"

	"github.com/lakebench/lakebench/internal/mutant"
)

// TestMutants: these tests reject the code with each guard taken out.
func TestMutants(t *testing.T) { mutant.Run(t, "testdata/mutants") }
