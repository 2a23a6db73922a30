package growth

import (
	"testing"

	"github.com/lakebench/lakebench/internal/mutant"
)

// TestMutants: these tests reject the classes with each of their rules taken out.
func TestMutants(t *testing.T) { mutant.Run(t, "testdata/mutants") }
