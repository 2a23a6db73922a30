// Command lakebench measures what a lake's metadata costs on DynamoDB and S3,
// before and after its layout changes. `lakebench help` lists its verbs; the
// exit codes are those of docs/spec/results.md §5.
//
// Each verb has a file of its own here, which turns flags, environment and AWS
// configuration into one call of a library, and the outcome into an exit code.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for an orderly end; a second one kills.
	context.AfterFunc(ctx, stop)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run executes one command line and returns its exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err != nil {
		printError(stderr, err)
	}
	return exitCode(ctx, err)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "lakebench",
		Short: "Count what a lake's metadata costs on DynamoDB and S3",
		Long: `lakebench counts what a lake's metadata costs on DynamoDB and S3, before and
after its layout changes. It replays workloads through clients that count every
request, prices the requests, checks the answers, and shows how the cost grows.

It needs no cloud account: DynamoDB and S3 are built in. With --backend
endpoint it measures a real server or AWS.

Exit codes:
    0  ok
    1  a difference, regression, finding or refusal
    2  wrong usage, bad input, or a file that cannot be written
    3  invalid run: a check failed, so its numbers must not be used
    4  inconclusive
    5  the service cannot be reached, or refuses
  130  interrupted; what was measured is kept`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 80"))
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w (see %s --help)", err, cmd.CommandPath())
	})
	root.AddCommand(newRun(), newCompare(), newGate(), newMerge(), newPlot(), newExport(), newExplore(), newPlan(), newReport(), newMigrate(), newInspect(), newList(), newServe(), newHistory(), newSchema(), newVersion())
	return root
}

// noArgs refuses positional arguments as a mistake of usage; on the root that is
// a verb that does not exist.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasSubCommands() {
		return usagef("unknown verb %q (see %s --help)", args[0], cmd.CommandPath())
	}
	return usagef("unexpected argument %q: %s takes only flags", args[0], cmd.CommandPath())
}
