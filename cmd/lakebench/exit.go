package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/sim/explore"
	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/results/compare"
	"github.com/lakebench/lakebench/results/gate"
	runner "github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/wal/inspect"
)

// The exit codes of docs/spec/results.md §5.
const (
	exitOK           = 0
	exitNo           = 1
	exitUsage        = 2
	exitInvalid      = 3
	exitInconclusive = 4
	exitUnreachable  = 5
	exitInterrupted  = 130
)

// usageError is a command line, an input file or an output place that cannot be
// used.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// exitCode turns the outcome of a command into its exit code. An error of no
// kind known here is about input or output, since everything else has a type.
func exitCode(ctx context.Context, err error) int {
	var (
		unreachable *backend.UnreachableError
		invalid     *runner.InvalidError
		found       *explore.FoundError
		gaveUp      *explore.InconclusiveError
		unstable    *explore.UnstableError
		open        *runner.InconclusiveError
		judged      *gate.NotPassedError
		selfTest    *gate.SelfTestError
		damaged     *inspect.ProblemsError
	)
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &unreachable), errors.Is(err, store.ErrNoTable), errors.Is(err, store.ErrContention), errors.Is(err, store.ErrUnknown):
		return exitUnreachable
	case errors.As(err, &judged):
		return judgedCode(judged.Outcome)
	case errors.As(err, &found), errors.As(err, &selfTest), errors.As(err, &damaged), errors.Is(err, compare.ErrDifferent),
		errors.Is(err, migrate.ErrRefused), errors.Is(err, migrate.ErrDifferent), errors.Is(err, migrate.ErrProblems):
		return exitNo
	case errors.As(err, &gaveUp), errors.As(err, &open), errors.Is(err, errWaited):
		return exitInconclusive
	case errors.As(err, &invalid), errors.As(err, &unstable):
		return exitInvalid
	default:
		return exitUsage
	}
}

// judgedCode is the exit code of what a gate did not let pass.
func judgedCode(o gate.Outcome) int {
	switch o {
	case gate.Invalid:
		return exitInvalid
	case gate.Inconclusive:
		return exitInconclusive
	default:
		return exitNo
	}
}

// printError writes a line for each error that was joined.
func printError(w io.Writer, err error) {
	fmt.Fprintf(w, "lakebench: %s\n", strings.ReplaceAll(err.Error(), "\n", "\nlakebench: "))
}
