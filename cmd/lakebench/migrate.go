package main

import (
	"bufio"
	"context"
	crand "crypto/rand"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/price"
	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/store/v2"
)

// migrateOptions are the flags of every verb of migrate.
type migrateOptions struct {
	table    string
	endpoint string
	region   string
	owner    string
	prices   string
	metrics  string
	nodes    []string // the fleet, where a verb wants to know it
	dryRun   bool
	yes      bool
}

func newMigrate() *cobra.Command {
	o := &migrateOptions{}
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Move a table from v1 to v2 while its nodes keep writing",
		Long: `Migrate moves a lake's metadata from the v1 to the v2 layout, on AWS or on a
server (--dynamodb-endpoint), while nodes in dual mode keep writing. The order
is init, backfill, verify, finalize and, after the retention time, retire.
docs/migration.md is the runbook. Take a backup first.

Every verb can be interrupted at any time and run again, and every verb that
changes something has --dry-run. On AWS, or any server that is not on this
machine, a verb that changes or costs something asks first, or needs --yes. A
refused verb changes nothing, explains what to do next, and exits with code 1.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f := cmd.PersistentFlags()
	f.StringVar(&o.table, "table", "", "`name` of the v1 table (default $"+tableVariable+")")
	f.StringVar(&o.endpoint, "dynamodb-endpoint", "", "DynamoDB endpoint `address`, such as http://127.0.0.1:8000 (default AWS)")
	f.StringVar(&o.region, "region", "", "AWS region (default from the AWS configuration)")
	f.StringVar(&o.owner, "owner", "", "operator name stored in the control records (default user@host)")
	f.StringVar(&o.prices, "prices", "", "price with this YAML `file` instead of the built-in table")
	f.StringVar(&o.metrics, "metrics-file", "", "write the migration's state to this `file` in Prometheus text format, refreshed every few seconds")
	cmd.AddCommand(newMigrateInit(o), newMigrateBackfill(o), newMigrateVerify(o), newMigrateFinalize(o), newMigrateAbort(o),
		newMigrateRepair(o), newMigrateRetire(o), newMigrateStatus(o), newMigratePeers(o))
	return cmd
}

// addConsent is for verbs that change something, or read or write whole tables.
func (o *migrateOptions) addConsent(f *pflag.FlagSet) {
	f.BoolVar(&o.dryRun, "dry-run", false, "print what would be done and its estimated cost, and change nothing")
	f.BoolVar(&o.yes, "yes", false, "agree to what --dry-run prints, on an endpoint that is not this machine")
}

func (o *migrateOptions) addNodes(f *pflag.FlagSet) {
	f.StringSliceVar(&o.nodes, "nodes", nil, "IDs of all nodes that write metadata: `a,b,c`")
}

// addExamples is for verbs that compare both layouts.
func addExamples(f *pflag.FlagSet, examples *int) {
	f.IntVar(examples, "examples", *examples, "keys to print for each kind of difference")
}

// A migrationRun is one verb under way.
type migrationRun struct {
	*migrate.Migrator
	options  *migrateOptions
	backend  *backend.Backend
	meter    *meter.Meter
	prices   price.Table
	progress *rateProgress
	metrics  *metricsFile
	began    time.Time
	out      io.Writer
}

// run opens the services of a verb, runs it, and prints its cost.
func (o *migrateOptions) run(cmd *cobra.Command, verb func(ctx context.Context, m *migrationRun) error) error {
	ctx := cmd.Context()
	m, err := o.open(ctx, cmd.OutOrStdout(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	err = m.backend.Classify(verb(ctx, m))
	m.progress.end()
	if written := m.metrics.finish(context.WithoutCancel(ctx), m); err == nil {
		err = written
	}
	if err == nil {
		m.printCost(cmd.ErrOrStderr())
	}
	if closed := m.backend.Close(context.WithoutCancel(ctx)); err == nil {
		err = closed
	}
	return err
}

func (o *migrateOptions) open(ctx context.Context, stdout, stderr io.Writer) (*migrationRun, error) {
	if o.table == "" {
		o.table = os.Getenv(tableVariable)
	}
	if o.table == "" {
		return nil, usagef("--table NAME or $%s is required", tableVariable)
	}
	if o.endpoint != "" {
		if err := checkEndpoint("--dynamodb-endpoint", o.endpoint); err != nil {
			return nil, err
		}
	}
	m := &migrationRun{options: o, out: stdout, began: time.Now()}
	var err error
	if m.prices, err = loadPrices(o.prices); err != nil {
		return nil, err
	}
	cfg := backend.DefaultConfig()
	cfg.Kind, cfg.DynamoDBEndpoint, cfg.Proxy = backend.Endpoint, o.endpoint, http.ProxyFromEnvironment
	cfg.MayChange = []string{o.table, v2.TableName(o.table)}
	if cfg.AWS, err = awsConfig(ctx, o.endpoint, o.region); err != nil {
		return nil, err
	}
	// The configuration is looked at before anything is sent.
	migrating := migrate.DefaultConfig()
	if migrating.Random, err = unpredictable(); err != nil {
		return nil, err
	}
	m.progress = newRateProgress(stderr)
	if m.metrics, err = newMetricsFile(o.metrics); err != nil {
		return nil, err
	}
	migrating.Table = o.table
	migrating.Progress = func(p migrate.Progress) {
		m.progress.at(p)
		m.metrics.at(p)
	}
	if m.backend, err = backend.Open(ctx, cfg); err != nil {
		return nil, err
	}
	if m.meter, err = m.backend.NewMeter(nil); err != nil {
		return nil, err
	}
	migrating.Client = m.backend.DynamoDB(m.meter)
	m.Migrator, err = migrate.New(migrating)
	return m, err
}

// unpredictable is a source of request tokens and ids that no other process has.
func unpredictable() (rand.Source, error) {
	var seed [32]byte
	if _, err := crand.Read(seed[:]); err != nil {
		return nil, fmt.Errorf("random numbers: %w", err)
	}
	return rand.NewChaCha8(seed), nil
}

// who returns the owner to store in the control records.
func (o *migrateOptions) who() (string, error) {
	if o.owner != "" {
		return o.owner, nil
	}
	host, err := os.Hostname()
	if err != nil {
		return "", usagef("--owner is required: the host name is unknown (%w)", err)
	}
	u, err := user.Current()
	if err != nil {
		return "", usagef("--owner is required: the user name is unknown (%w)", err)
	}
	return u.Username + "@" + host, nil
}

// carryOut does what a verb does, or shows its plan: with --dry-run, and before it is
// agreed to where it is not this machine that carries it out.
func (o *migrateOptions) carryOut(cmd *cobra.Command, verb func(ctx context.Context, m *migrationRun, dry bool) (*migrate.Plan, error)) error {
	return o.run(cmd, func(ctx context.Context, m *migrationRun) error {
		agreed := o.yes || isLoopback(o.endpoint)
		p, err := verb(ctx, m, o.dryRun || !agreed)
		if err != nil || p == nil {
			return err
		}
		m.printPlan(p)
		switch {
		case o.dryRun:
			return nil
		case !isTerminal(cmd.InOrStdin()):
			return usagef("nothing was changed: it is not this machine, and it costs money; add --yes to agree")
		case !agrees(cmd.InOrStdin(), cmd.ErrOrStderr()):
			return usagef("nothing was changed: the answer was not yes")
		}
		_, err = verb(ctx, m, false)
		return err
	})
}

// agrees asks and reports whether the answer is yes.
func agrees(in io.Reader, out io.Writer) bool {
	fmt.Fprint(out, "Do it? Only yes is taken for an agreement: ")
	answer, _ := bufio.NewReader(in).ReadString('\n') // without an answer it is not agreed to
	return strings.TrimSpace(answer) == "yes"
}
