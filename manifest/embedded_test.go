//go:build !real

package manifest_test

import (
	"testing"

	"github.com/lakebench/lakebench/internal/backend"
)

// openLab opens the service on which the suite runs.
func openLab(t *testing.T) *service { return openService(t, backend.DefaultConfig()) }
