package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/lakebench/lakebench/backend/dynamo"
)

// stopTimeout is how long serve waits for requests in flight when it is stopped.
const stopTimeout = 5 * time.Second

func newServe() *cobra.Command {
	var address string
	cmd := &cobra.Command{
		Use:   "serve --dynamodb 127.0.0.1:PORT",
		Short: "Serve the embedded DynamoDB to other programs",
		Long: `Serve the embedded DynamoDB on an address of this machine until interrupted.
Tables live in memory. Port 0 picks a free port; the address in use is printed.
When it stops it prints what was requested of it and what that would be billed.

It accepts every credential and has no encryption, so it binds loopback only.`,
		Example: `  lakebench serve --dynamodb 127.0.0.1:8000
  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if address == "" {
				return usagef("nothing to serve: give --dynamodb 127.0.0.1:PORT")
			}
			return serveDynamoDB(cmd.Context(), address, cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&address, "dynamodb", "", "serve DynamoDB on this loopback `address`")
	return cmd
}

func serveDynamoDB(ctx context.Context, address string, out io.Writer) error {
	if !isLoopback("http://" + address) {
		return usagef("--dynamodb %q: expected a loopback address with a port, such as 127.0.0.1:8000", address)
	}
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return usagef("--dynamodb: %w", err)
	}
	server := &http.Server{
		Handler:           engine.HTTPHandler(),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	fmt.Fprintf(out, "DynamoDB on http://%s (interrupt to stop)\n", l.Addr())
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return usagef("--dynamodb: %w", err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := server.Shutdown(stop); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("stopping: requests still in flight after %v: %w", stopTimeout, err)
	}
	printTotals(out, engine.Totals())
	return nil
}

// printTotals says what was requested of the service, and what that is billed.
func printTotals(out io.Writer, t dynamo.Totals) {
	kinds := slices.SortedFunc(maps.Keys(t.Requests), func(a, b dynamo.Request) int {
		return cmp.Or(cmp.Compare(a.API, b.API), cmp.Compare(a.Outcome, b.Outcome))
	})
	fmt.Fprintln(out, "served")
	for _, k := range kinds {
		fmt.Fprintf(out, "  %-20s %-18s %12d\n", k.API, k.Outcome, t.Requests[k])
	}
	fmt.Fprintf(out, "billed %g read and %g write request units\n", t.RRU, t.WRU)
}
