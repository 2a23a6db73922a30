package compare_test

import (
	"testing"

	"github.com/lakebench/lakebench/internal/mutant"
)

// TestMutants: these tests reject comparisons that find too much.
func TestMutants(t *testing.T) { mutant.Run(t, "testdata/mutants") }
