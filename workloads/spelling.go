package workloads

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/spelling"
)

// unknownName says that name is none of known, which there are, and which of
// them was probably meant.
func unknownName(what, name string, known []string) string {
	msg := fmt.Sprintf("unknown %s %q", what, name)
	if near := spelling.Nearest(name, known); near != "" {
		msg += fmt.Sprintf(", did you mean %q?", near)
	}
	sorted := slices.Sorted(slices.Values(known))
	return msg + " (allowed: " + strings.Join(sorted, ", ") + ")"
}
