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
		Short: "Create the v2 table and its layout record",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.carryOut(cmd, func(ctx context.Context, m *migrationRun, dry bool) (*migrate.Plan, error) {
				r, err := m.Init(ctx, migrate.InitOptions{DryRun: dry})
				switch {
				case err != nil:
					return nil, err
				case r.Plan != nil:
					return r.Plan, nil
				case r.Created:
					fmt.Fprintf(m.out, "Table %s was made.\nNext: open every node in mode dual, then run backfill.\n", r.Table)
				default:
					fmt.Fprintf(m.out, "Table %s exists.\n", r.Table)
				}
				return nil, nil
			})
		},
	}
	o.addConsent(cmd.Flags())
	return cmd
}

func newMigrateBackfill(o *migrateOptions) *cobra.Command {
	options := migrate.DefaultBackfillOptions()
	cmd := &cobra.Command{
		Use:   "backfill",
		Short: "Copy the items that v2 does not have yet",
		Long: `Backfill copies every item of v1 that v2 does not have, page by page. It never
overwrites an item of v2. Its cursor passes a page only when each item of the
page is equal in both layouts or recorded as a problem, so an interrupted run
continues where it stopped.

Problems are items that v2 cannot hold, and copies that differ. An open problem
blocks the finalization: change the item in v1 and run backfill again, or run
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
	f.IntVar(&options.PageSize, "page-size", options.PageSize, fmt.Sprintf("items per page of the scan and per step of the cursor: 1 to %d", migrate.MaxPageSize))
	f.IntVar(&options.Batch, "batch", options.Batch, fmt.Sprintf("records created per transaction: 1 to %d", migrate.MaxBatch))
	f.IntVar(&options.Workers, "workers", options.Workers, "concurrent transactions")
	f.Float64Var(&options.Rate, "rate", 0, "maximum items copied per second; 0 means no limit")
	o.addConsent(f)
	return cmd
}

func newMigrateVerify(o *migrateOptions) *cobra.Command {
	options := migrate.DefaultVerifyOptions()
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Compare both layouts, record by record, in both directions",
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
	o.addConsent(f)
	return cmd
}

func newMigrateFinalize(o *migrateOptions) *cobra.Command {
	options := migrate.DefaultFinalizeOptions()
	cmd := &cobra.Command{
		Use:   "finalize --nodes a,b,c",
		Short: "Pause writes, verify, and make v2 the authority",
		Long: `Finalize makes v2 authoritative. It refuses, and changes nothing, while a node
is v1-only, unknown or without a recent heartbeat, the backfill is incomplete
or was invalidated, a problem is open, the layouts differ, or another
finalization holds the write barrier.

Writes are paused from the barrier to the completion marker: for the time of a
verify and a few more requests, at most --max-pause. If anything fails before
the marker, writes continue as before. After a crash, run finalize again, or
abort.`,
		Example: `  lakebench migrate finalize --table my-lake --nodes ingest-1,ingest-2,query-1`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if options.Owner, err = o.who(); err != nil {
				return err
			}
			if options.Nodes = o.nodes; len(o.nodes) == 0 && !options.NoNodes {
				return usagef("--nodes is required: name every node that writes metadata, or confirm with --no-nodes that none is running")
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
	f.BoolVar(&options.NoNodes, "no-nodes", false, "confirm that no node is running")
	f.StringVar(&options.TakeOver, "take-over", "", "take over the write barrier with this `ID`, left by a crashed finalization")
	f.DurationVar(&options.MaxPause, "max-pause", options.MaxPause, "longest pause of writes; after it, finalize gives up and writes continue")
	f.DurationVar(&options.HeartbeatWait, "heartbeat-wait", options.HeartbeatWait, "longest time to wait for a heartbeat of every node")
	addExamples(f, &options.Examples)
	o.addConsent(f)
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
		Short: "Cancel an unpublished finalization, so that writes continue",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.carryOut(cmd, func(ctx context.Context, m *migrationRun, dry bool) (_ *migrate.Plan, err error) {
				options.DryRun = dry
				if options.Owner, err = o.who(); err != nil {
					return nil, err
				}
				r, err := m.Abort(ctx, options)
				switch {
				case err != nil:
					return nil, err
				case r.Plan != nil:
					return r.Plan, nil
				case r.Removed == nil:
					fmt.Fprintln(m.out, "There is no write barrier.")
				default:
					fmt.Fprintf(m.out, "Removed write barrier %s of %s; dual nodes can write again.\n", r.Removed.ID, r.Removed.Owner)
				}
				return nil, nil
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&options.ID, "id", "", "`ID` of the write barrier, if another owner holds it")
	o.addConsent(f)
	return cmd
}

func newMigrateRepair(o *migrateOptions) *cobra.Command {
	options := migrate.DefaultRepairOptions()
	cmd := &cobra.Command{
		Use:   "repair",
		Short: "Make v2 equal to v1, before the finalization",
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
	o.addConsent(f)
	return cmd
}

func newMigrateRetire(o *migrateOptions) *cobra.Command {
	options := migrate.RetireOptions{}
	cmd := &cobra.Command{
		Use:   "retire --retention DURATION --confirm TABLE",
		Short: "Delete the v1 table, once every node is v2-only",
		Long: `Retire deletes the v1 table permanently. It refuses before the migration is
final, before --retention has passed since then, and while a registered node is
not v2-only.`,
		Example: `  lakebench migrate retire --table my-lake --retention 7d --confirm my-lake`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case options.Retention <= 0:
				return usagef("--retention %v: expected the time to keep v1 after the finalization, such as 7d", options.Retention)
			case options.Confirm == "":
				return usagef("--confirm is required: retire deletes the v1 table permanently; give its name")
			}
			return o.carryOut(cmd, func(ctx context.Context, m *migrationRun, dry bool) (_ *migrate.Plan, err error) {
				options.DryRun = dry
				if options.Owner, err = o.who(); err != nil {
					return nil, err
				}
				r, err := m.Retire(ctx, options)
				switch {
				case err != nil:
					return nil, err
				case r.Plan != nil:
					return r.Plan, nil
				case r.Deleted == "":
					fmt.Fprintf(m.out, "Table %s does not exist.\n", o.table)
				default:
					fmt.Fprintf(m.out, "Table %s was deleted.\n", r.Deleted)
				}
				return nil, nil
			})
		},
	}
	f := cmd.Flags()
	f.DurationVar(&options.Retention, "retention", 0, "time to keep v1 after the finalization, such as 7d (required)")
	f.StringVar(&options.Confirm, "confirm", "", "name of the v1 `table`, which is deleted with all its items (required)")
	o.addConsent(f)
	return cmd
}

func newMigrateStatus(o *migrateOptions) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Report the state of the migration",
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
	f.BoolVar(&asJSON, "json", false, "print the state as JSON")
	o.addNodes(f)
	return cmd
}

func newMigratePeers(o *migrateOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "peers",
		Short: "List the registered nodes, or remove one that is gone",
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
	cmd.AddCommand(newMigratePeersRemove(o))
	return cmd
}

func newMigratePeersRemove(o *migrateOptions) *cobra.Command {
	options := migrate.DefaultRemovePeerOptions()
	cmd := &cobra.Command{
		Use:   "remove NODE --incarnation ID",
		Short: "Remove the record of a node that will not return",
		Long: `Remove deletes the record of a node that will not return. It refuses while the
node gives a sign of life: its last heartbeat must be older than
--heartbeat-wait, and none may follow while the record is watched for as long.
The incarnation, which peers prints, names one process: a node that was started
again has another. Removing a v1-only node invalidates the backfill, because v2
may lack what that node wrote.`,
		Args: oneArgument("node id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case options.Incarnation == "":
				return usagef("--incarnation is required: lakebench migrate peers prints that of each node")
			case options.HeartbeatWait <= 0:
				return usagef("--heartbeat-wait %v: expected more than 0", options.HeartbeatWait)
			}
			return o.carryOut(cmd, func(ctx context.Context, m *migrationRun, dry bool) (*migrate.Plan, error) {
				options.Node, options.DryRun = args[0], dry
				r, err := m.RemovePeer(ctx, options)
				switch {
				case err != nil:
					return nil, err
				case r.Plan != nil:
					return r.Plan, nil
				case r.Removed == nil:
					fmt.Fprintf(m.out, "Node %q has no record.\n", args[0])
				default:
					fmt.Fprintf(m.out, "Removed the record of node %q (mode %v).\n", args[0], r.Removed.Mode)
				}
				return nil, nil
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&options.Incarnation, "incarnation", "", "incarnation `ID` of the record (required)")
	f.DurationVar(&options.HeartbeatWait, "heartbeat-wait", options.HeartbeatWait, "how long the node must have been silent, and is watched")
	o.addConsent(f)
	return cmd
}

// since returns how long ago a time is, for display.
func since(now, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return now.Sub(t).Round(time.Second).String() + " ago"
}
