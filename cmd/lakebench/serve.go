package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/backend/tally"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	dynamodb  string
	s3        string
	dataDir   string
	listenAny bool
	access    dynamo.Access
	limits    serveLimits
}

func newServe() *cobra.Command {
	o := serveOptions{limits: defaultServeLimits()}
	cmd := &cobra.Command{
		Use:   "serve [--dynamodb 127.0.0.1:PORT] [--s3 127.0.0.1:PORT]",
		Short: "Serve the embedded DynamoDB and S3 to other programs",
		Long: `Serve runs the embedded DynamoDB and S3 as local servers until interrupted.
Port 0 picks a free port; the address in use is printed. On exit it prints the
requests that it served and the units that AWS would bill for them.

Tables and objects are kept in memory. With --data-dir, tables are also kept in
a directory: every acknowledged write survives a crash at any moment. Objects
are not kept.

DynamoDB accepts any credentials, or only one key with --access-key and
--secret-key. Connections are not encrypted, so it listens on loopback only,
unless --listen-any is given. The S3 server accepts any credentials, listens on
loopback only, and needs path-style addressing.`,
		Example: `  lakebench serve --dynamodb 127.0.0.1:8000
  lakebench serve --dynamodb 127.0.0.1:8000 --data-dir ./tables
  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000
  lakebench serve --s3 127.0.0.1:9000
  aws s3api list-buckets --endpoint-url http://127.0.0.1:9000`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd.ErrOrStderr()); err != nil {
				return err
			}
			out := &linesWriter{to: cmd.OutOrStdout()}
			var services []func(context.Context) error
			if o.dynamodb != "" {
				services = append(services, func(ctx context.Context) error { return o.serveDynamoDB(ctx, out) })
			}
			if o.s3 != "" {
				services = append(services, func(ctx context.Context) error { return o.serveS3(ctx, out) })
			}
			return serveAll(cmd.Context(), services...)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.dynamodb, "dynamodb", "", "serve DynamoDB on this `address`")
	f.StringVar(&o.s3, "s3", "", "serve S3 on this loopback `address`")
	f.StringVar(&o.dataDir, "data-dir", "", "keep the tables in this `directory`; it is created if missing")
	f.BoolVar(&o.listenAny, "listen-any", false, "allow addresses that other machines can reach; connections are not encrypted")
	f.StringVar(&o.access.Key, "access-key", "", "accept only requests signed with this access `key` and --secret-key")
	f.StringVar(&o.access.Secret, "secret-key", "", "secret `key` of --access-key")
	return cmd
}

// check refuses flags that do not go together, before anything is opened.
func (o *serveOptions) check(warnings io.Writer) error {
	switch {
	case o.dynamodb == "" && o.s3 == "":
		return usagef("nothing to serve: give --dynamodb 127.0.0.1:PORT or --s3 127.0.0.1:PORT")
	case o.s3 != "" && !isLoopback("http://"+o.s3):
		return usagef("--s3 %q: expected a loopback address with a port, such as 127.0.0.1:9000", o.s3)
	case o.dynamodb == "" && (o.dataDir != "" || o.listenAny || o.access != dynamo.Access{}):
		return usagef("--data-dir, --listen-any, --access-key and --secret-key require --dynamodb")
	case o.dynamodb == "":
		return nil
	case (o.access.Key == "") != (o.access.Secret == ""):
		return usagef("--access-key and --secret-key require each other")
	case isLoopback("http://" + o.dynamodb):
		return nil
	case !o.listenAny:
		return usagef("--dynamodb %q: expected a loopback address with a port, such as 127.0.0.1:8000; --listen-any allows others", o.dynamodb)
	case o.access == (dynamo.Access{}):
		fmt.Fprintf(warnings, "warning: everyone who can reach %s can read and change these tables; --access-key and --secret-key restrict access\n", o.dynamodb)
	}
	return nil
}

func (o *serveOptions) serveDynamoDB(ctx context.Context, out io.Writer) (err error) {
	engine, err := o.openEngine(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	l, err := listen(ctx, out, "DynamoDB", "--dynamodb", o.dynamodb)
	if err != nil {
		return err
	}
	keep, stopKeeping := context.WithCancel(ctx)
	defer stopKeeping()
	kept := make(chan error, 1)
	go func() { kept <- engine.Watch(keep); stopKeeping() }()
	err = o.limits.serve(keep, l, engine.SignedHTTPHandler(o.access))
	stopKeeping()
	if err = errors.Join(err, <-kept); err != nil {
		return err
	}
	_, err = io.WriteString(out, dynamoDBTotals(engine.Totals()))
	return err
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
	return engine, nil
}

// dynamoDBTotals returns the requests that the service got and the units that AWS would bill.
func dynamoDBTotals(t tally.Totals) string {
	var text strings.Builder
	text.WriteString("DynamoDB served\n")
	t.Requests.WriteTable(&text)
	fmt.Fprintf(&text, "billed %g read and %g write request units\n", t.RRU, t.WRU)
	return text.String()
}
