package difftest

import (
	"context"
	"errors"
	"slices"
)

// Shrink looks for a shorter sequence that still ends in a mismatch: it leaves out
// ever smaller parts of the steps before the last. The result is the last mismatch
// found.
func Shrink(ctx context.Context, ours, theirs Service, found *MismatchError) (*MismatchError, error) {
	for size := len(found.Steps) / 2; size >= 1; size /= 2 {
		for from := 0; from < len(found.Steps)-1; {
			to := min(from+size, len(found.Steps)-1)
			fewer := slices.Concat(found.Steps[:from], found.Steps[to:])
			smaller := new(MismatchError)
			switch err := Compare(ctx, ours, theirs, fewer, &Tally{}); {
			case errors.As(err, &smaller):
				found = smaller
			case err != nil:
				return found, err
			default:
				from = to
			}
		}
	}
	return found, nil
}
