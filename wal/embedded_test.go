//go:build !real

package wal_test

import (
	"testing"

	"github.com/lakebench/lakebench/internal/backend"
)

// openService opens the service on which the suite runs.
func openService(t testing.TB) *service {
	t.Helper()
	return openBackend(t.Context(), t, backend.DefaultConfig())
}
