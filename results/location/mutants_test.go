package location_test

import (
	"testing"

	"github.com/lakebench/lakebench/internal/mutant"
)

func TestMutants(t *testing.T) { mutant.Run(t, "testdata/mutants") }
