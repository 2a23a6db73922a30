package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/lakebench/lakebench/migrate"
)

func newMigrateInit(o *migrateOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make the v2 table and its layout record",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd, func(ctx context.Context, m *migrationRun) error {
				r, err := m.Init(ctx, migrate.InitOptions{DryRun: o.dryRun})
				switch {
				case err != nil:
					return err
				case r.Plan != nil:
					m.printPlan(r.Plan)
				case r.Created:
					fmt.Fprintf(m.out, "Table %s was made.\nNext: open every node in mode dual, then run backfill.\n", r.Table)
				default:
					fmt.Fprintf(m.out, "Table %s is there.\n", r.Table)
				}
				return nil
			})
		},
	}
	o.addDryRun(cmd.Flags())
	return cmd
}

func newMigrateBackfill(o *migrateOptions) *cobra.Command {
	options := migrate.DefaultBackfillOptions()
	cmd := &cobra.Command{
		Use:   "backfill",
		Short: "Copy what v2 does not have yet, from where the last run stopped",
		Long: `Copy every item of v1 that v2 does not have, page by page. Nothing that v2 holds is
overwritten. The cursor moves past a page only once each of its items is equal in
both layouts or recorded as a problem, so an interrupted run goes on where it was.

Problems are items that v2 cannot hold, or copies that differ. The migration is not
finalized while one is open: change the item in v1 and run backfill again, or run
repair.`,
		Example: `  lakebench migrate backfill --table my-lake --page-size 1000
  lakebench migrate backfill --table my-lake --rate 2000 --metrics-file /var/lib/node_exporter/lakebench.prom`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := options.Validate(); err != nil {
				return err
			}
			return o.carryOut(cmd, func(ctx context.Context, m *migrationRun, dry bool) (*migrate.Plan, error) {
				options.DryRun = dry
				r, err := m.Backfill(ctx, options)
				switch {
				case err != nil:
					return nil, err
				case dry:
					return r.Plan, nil
				}
				return nil, m.printBackfill(r)
			})
		},
	}
	f := cmd.Flags()
	f.IntVar(&options.PageSize, "page-size", options.PageSize, fmt.Sprintf("items that a page of the scan evaluates, and the cursor moves by: 1 to %d", migrate.MaxPageSize))
	f.IntVar(&options.Batch, "batch", options.Batch, fmt.Sprintf("records that a transaction creates: 1 to %d", migrate.MaxBatch))
	f.IntVar(&options.Workers, "workers", options.Workers, "transactions under way at once")
	f.Float64Var(&options.Rate, "rate", 0, "copy at most so many items a second; 0 is no bound")
	o.addSpending(f)
	return cmd
}

func newMigrateVerify(o *migrateOptions) *cobra.Command {
	options := migrate.DefaultVerifyOptions()
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Compare both layouts, record by record and in both directions",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := options.Validate(); err != nil {
				return err
			}
			return o.carryOut(cmd, func(ctx context.Context, m *migrationRun, dry bool) (*migrate.Plan, error) {
				options.DryRun = dry
				v, err := m.Verify(ctx, options)
				switch {
				case err != nil:
					return nil, err
				case dry:
					return v.Plan, nil
				}
				m.metrics.differ(v)
				m.printVerification(v)
				return nil, v.Err()
			})
		},
	}
	f := cmd.Flags()
	addExamples(f, &options.Examples)
	o.addSpending(f)
	return cmd
}

func newMigrateFinalize(o *migrateOptions) *cobra.Command {
	options := migrate.DefaultFinalizeOptions()
	cmd := &cobra.Command{
		Use:   "finalize --nodes a,b,c",
		Short: "Pause writes, verify, and make v2 the authority",
		Long: `Make v2 the authority. Refused, with nothing changed, while a node is v1-only or
unknown or gives no sign of life, the backfill is not complete or was voided, a
problem is open, the layouts differ, or another finalization holds the write barrier.

Writes are paused from the barrier to the marker: for the requests of verify and
a few more, and never for longer than --max-pause. Whatever goes wrong before the
marker, writes go on as before. After a crash run finalize again, or abort.`,
		Example: `  lakebench migrate finalize --table my-lake --nodes ingest-1,ingest-2,query-1`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if options.Owner, err = o.who(); err != nil {
				return err
			}
			if options.Nodes = o.nodes; len(o.nodes) == 0 && !options.NoNodes {
				return usagef("no nodes: name every node that writes metadata with --nodes, or say with --no-nodes that none does")
			}
			if err := options.Validate(); err != nil {
				return err
			}
			return o.carryOut(cmd, func(ctx context.Context, m *migrationRun, dry bool) (*migrate.Plan, error) {
				options.DryRun = dry
				return m.finalize(ctx, options)
			})
		},
	}
	f := cmd.Flags()
	o.addNodes(f)
	f.BoolVar(&options.NoNodes, "no-nodes", false, "say that no node writes metadata: all of them are stopped")
	f.StringVar(&options.TakeOver, "take-over", "", "take over the write barrier with this `ID`, of a finalization that has crashed")
	f.DurationVar(&options.MaxPause, "max-pause", options.MaxPause, "give up, and let writes go on, after pausing them for so long")
	f.DurationVar(&options.HeartbeatWait, "heartbeat-wait", options.HeartbeatWait, "wait so long for a sign of life of every node")
	addExamples(f, &options.Examples)
	o.addSpending(f)
	return cmd
}

func (m *migrationRun) finalize(ctx context.Context, options migrate.FinalizeOptions) (*migrate.Plan, error) {
	r, err := m.Finalize(ctx, options)
	if r != nil && r.Verification != nil {
		m.metrics.differ(r.Verification)
		if err != nil {
			m.printVerification(r.Verification)
		}
	}
	if err != nil {
		return nil, err
	}
	if r.Plan == nil {
		m.printFinalized(r)
	}
	return r.Plan, nil
}

func newMigrateAbort(o *migrateOptions) *cobra.Command {
	options := migrate.AbortOptions{}
	cmd := &cobra.Command{
		Use:   "abort",
		Short: "End a finalization that has not published, so that writes go on",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd, func(ctx context.Context, m *migrationRun) (err error) {
				options.DryRun = o.dryRun
				if options.Owner, err = o.who(); err != nil {
					return err
				}
				r, err := m.Abort(ctx, options)
				switch {
				case err != nil:
					return err
				case r.Plan != nil:
					m.printPlan(r.Plan)
				case r.Removed == nil:
					fmt.Fprintln(m.out, "There is no write barrier.")
				default:
					fmt.Fprintf(m.out, "Write barrier %s of %s is gone; dual nodes write again.\n", r.Removed.ID, r.Removed.Owner)
				}
				return nil
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&options.ID, "id", "", "the `ID` of the write barrier, if it is of another owner")
	o.addDryRun(f)
	return cmd
}

func newMigrateRepair(o *migrateOptions) *cobra.Command {
	options := migrate.DefaultRepairOptions()
	cmd := &cobra.Command{
		Use:   "repair",
		Short: "Make v2 what v1 is, before the finalization",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.carryOut(cmd, func(ctx context.Context, m *migrationRun, dry bool) (*migrate.Plan, error) {
				options.DryRun = dry
				r, err := m.Repair(ctx, options)
				switch {
				case err != nil:
					return nil, err
				case dry:
					return r.Plan, nil
				}
				return nil, m.printRepair(r)
			})
		},
	}
	f := cmd.Flags()
	addExamples(f, &options.Examples)
	o.addSpending(f)
	return cmd
}

func newMigrateRetire(o *migrateOptions) *cobra.Command {
	options := migrate.RetireOptions{}
	cmd := &cobra.Command{
		Use:   "retire --retention DURATION --confirm TABLE",
		Short: "Delete v1, once every node is v2-only",
		Long: `Delete the v1 table for good. Refused before the migration is final, before
--retention has passed since, and while a node is registered that is not v2-only.`,
		Example: `  lakebench migrate retire --table my-lake --retention 168h --confirm my-lake`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case options.Retention <= 0:
				return usagef("--retention %v: say for how long after the finalization v1 is kept, such as 168h", options.Retention)
			case options.Confirm == "":
				return usagef("no --confirm: the v1 table is deleted for good; confirm that by its name")
			}
			return o.run(cmd, func(ctx context.Context, m *migrationRun) (err error) {
				options.DryRun = o.dryRun
				if options.Owner, err = o.who(); err != nil {
					return err
				}
				r, err := m.Retire(ctx, options)
				switch {
				case err != nil:
					return err
				case r.Plan != nil:
					m.printPlan(r.Plan)
				case r.Deleted == "":
					fmt.Fprintf(m.out, "Table %s is gone.\n", o.table)
				default:
					fmt.Fprintf(m.out, "Table %s was deleted.\n", r.Deleted)
				}
				return nil
			})
		},
	}
	f := cmd.Flags()
	f.DurationVar(&options.Retention, "retention", 0, "how long after the finalization v1 is kept, such as 168h (required)")
	f.StringVar(&options.Confirm, "confirm", "", "the name of the v1 `table`, which is deleted with all that it holds (required)")
	o.addDryRun(f)
	return cmd
}

func newMigrateStatus(o *migrateOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say where the migration stands",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd, func(ctx context.Context, m *migrationRun) error {
				s, err := m.Status(ctx, o.nodes)
				if err != nil {
					return err
				}
				if !asJSON {
					m.printStatus(s)
					return nil
				}
				e := json.NewEncoder(m.out)
				e.SetIndent("", "  ")
				return e.Encode(s)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print it as JSON")
	o.addNodes(f)
	return cmd
}

func newMigratePeers(o *migrateOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "peers",
		Short: "List the nodes on record, or remove one that is gone",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd, func(ctx context.Context, m *migrationRun) error {
				peers, err := m.Peers(ctx)
				if err == nil {
					m.printPeers(peers)
				}
				return err
			})
		},
	}
	remove := &cobra.Command{
		Use:   "remove NODE",
		Short: "Remove the record of a node that is gone for good",
		Long: `Remove the record of a node that is gone for good. Only you can know that: a node
that still runs would not be counted any more. The record of a v1-only node voids
the backfill when it goes, since what the node wrote may be missing in v2.`,
		Args: oneArgument("node id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, func(ctx context.Context, m *migrationRun) error {
				r, err := m.RemovePeer(ctx, migrate.RemovePeerOptions{Node: args[0], DryRun: o.dryRun})
				switch {
				case err != nil:
					return err
				case r.Plan != nil:
					m.printPlan(r.Plan)
				case r.Removed == nil:
					fmt.Fprintf(m.out, "Node %q has no record.\n", args[0])
				default:
					fmt.Fprintf(m.out, "The record of node %q (mode %v) is gone.\n", args[0], r.Removed.Mode)
				}
				return nil
			})
		},
	}
	o.addDryRun(remove.Flags())
	cmd.AddCommand(remove)
	return cmd
}

// since says how long ago a time is, for people.
func since(now, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return now.Sub(t).Round(time.Second).String() + " ago"
}
