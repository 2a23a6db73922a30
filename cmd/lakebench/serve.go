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

// serveOptions are the flags of serve.
type serveOptions struct {
	dynamodb string
	dataDir  string
}

func newServe() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve --dynamodb 127.0.0.1:PORT",
		Short: "Serve the embedded DynamoDB to other programs",
		Long: `Serve the embedded DynamoDB on an address of this machine until interrupted.
Port 0 picks a free port; the address in use is printed. When it stops it prints
what was requested of it and what that would be billed.

Tables live in memory. With --data-dir they are kept in a directory as well, and
found again in it: what has been acknowledged survives a kill at any moment.

It accepts every credential and has no encryption, so it binds loopback only.`,
		Example: `  lakebench serve --dynamodb 127.0.0.1:8000
  lakebench serve --dynamodb 127.0.0.1:8000 --data-dir ./tables
  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.dynamodb == "" {
				return usagef("nothing to serve: give --dynamodb 127.0.0.1:PORT")
			}
			return o.serveDynamoDB(cmd.Context(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&o.dynamodb, "dynamodb", "", "serve DynamoDB on this loopback `address`")
	cmd.Flags().StringVar(&o.dataDir, "data-dir", "", "keep the tables in this `directory`, which is made if need be")
	return cmd
}

func (o *serveOptions) serveDynamoDB(ctx context.Context, out io.Writer) (err error) {
	if !isLoopback("http://" + o.dynamodb) {
		return usagef("--dynamodb %q: expected a loopback address with a port, such as 127.0.0.1:8000", o.dynamodb)
	}
	engine, err := o.openEngine(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.dynamodb)
	if err != nil {
		return usagef("--dynamodb: %w", err)
	}
	server := &http.Server{
		Handler:           engine.HTTPHandler(),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	fmt.Fprintf(out, "DynamoDB on http://%s (interrupt to stop)\n", l.Addr())
	served, kept := make(chan error, 1), make(chan error, 1)
	keep, stopKeeping := context.WithCancel(ctx)
	defer stopKeeping()
	go func() { served <- server.Serve(l) }()
	go func() { kept <- engine.Maintain(keep) }()
	select {
	case err = <-served:
		return usagef("--dynamodb: %w", err)
	case err = <-kept: // ends before ctx only with an error
		kept <- nil
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if stopErr := server.Shutdown(stop); stopErr != nil {
		err = errors.Join(err, fmt.Errorf("stopping: requests still in flight after %v: %w", stopTimeout, stopErr))
	}
	stopKeeping()
	if err = errors.Join(err, <-kept); err != nil {
		return err
	}
	printTotals(out, engine.Totals())
	return nil
}

// openEngine returns an engine in memory, or one that lives in the data directory.
func (o *serveOptions) openEngine(out io.Writer) (*dynamo.Engine, error) {
	if o.dataDir == "" {
		return dynamo.New(dynamo.DefaultConfig())
	}
	engine, found, err := dynamo.Open(dynamo.DefaultConfig(), o.dataDir)
	if err != nil {
		return nil, usagef("--data-dir: %w", err)
	}
	fmt.Fprintf(out, "%s: %d tables with %d items\n", o.dataDir, found.Tables, found.Items)
	if found.CutOff > 0 {
		fmt.Fprintf(out, "%s: took off %d bytes of a write that had not been acknowledged\n", o.dataDir, found.CutOff)
	}
	return engine, nil
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
