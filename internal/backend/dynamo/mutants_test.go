package dynamo_test

import (
	"testing"

	"github.com/lakebench/lakebench/internal/mutant"
)

// TestMutants: these tests reject the service with each guard taken out.
func TestMutants(t *testing.T) { mutant.Run(t, "testdata/mutants") }
