// Command lakebench measures what a lake's metadata costs on DynamoDB and S3,
// before and after its layout changes. `lakebench help` lists its verbs; the
// exit codes are those of docs/spec/results.md §5.
//
// Each verb has a file of its own here, which turns flags, environment and AWS
// configuration into one call of a library, and the outcome into an exit code.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lakebench/lakebench/internal/spelling"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	// The first signal asks for an orderly end; a second one kills.
	context.AfterFunc(ctx, stop)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// endings are the signals that end a command: SIGHUP too, so that a session which is
// lost leaves no write barrier, unless it is ignored, as nohup does.
func endings() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
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

Numbers are written 1000, 1_000 or 1e3, and lengths of time 30s, 12h, 7d, 1w or
1y, in flags, parameters and files.

Exit codes:
    0  ok
    1  a difference, regression, finding or refusal
    2  wrong usage or input, a file that cannot be written, too little memory
    3  invalid run: a check failed or a worker's part is missing, so its numbers
       must not be used
    4  inconclusive
    5  the service cannot be reached, or refuses
  130  interrupted; what was measured is kept`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 80"))
	root.SetFlagErrorFunc(flagError)
	root.Version = versionText()
	root.SetVersionTemplate("{{.Version}}")
	root.Flags().Bool("version", false, "print the version, the commit and the Go version")
	root.AddCommand(newRun(), newCompare(), newGate(), newMerge(), newPlot(), newExport(), newExplore(), newPlan(), newReport(), newMigrate(), newInspect(), newList(), newServe(), newHistory(), newSchema(), newVersion())
	readNumbers(root)
	addCompletions(root)
	return root
}

// flagError is a mistake in a flag, with the flag that was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := spelling.Nearest(unknown.GetSpecifiedName(), names); near != "" {
			return usagef("%w, did you mean --%s? (see %s --help)", err, near, cmd.CommandPath())
		}
	}
	return usagef("%w (see %s --help)", err, cmd.CommandPath())
}

// noArgs refuses positional arguments as a mistake of usage; where there are verbs
// below, the first one is a verb that does not exist.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasSubCommands() {
		var verbs []string
		for _, verb := range cmd.Commands() {
			if verb.IsAvailableCommand() {
				verbs = append(verbs, verb.Name())
			}
		}
		return usagef("%s", spelling.Unknown("command", args[0], verbs))
	}
	return usagef("unexpected argument %q: %s takes only flags", args[0], cmd.CommandPath())
}
