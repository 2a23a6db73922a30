package main

import (
	"fmt"
	"io"
	"time"

	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/store/control"
)

func (m *migrationRun) printPlan(p *migrate.Plan) {
	fmt.Fprintln(m.out, "It would:")
	for _, step := range p.Steps {
		fmt.Fprintf(m.out, "  - %s\n", step)
	}
	fmt.Fprintf(m.out, "About %d requests, %.0f read and %.0f write request units, %.4f USD, %s.\n",
		p.Requests, p.RRU, p.WRU, m.prices.DynamoDB(p.RRU, p.WRU), roughly(p.Time))
	fmt.Fprintln(m.out, "Estimated from DynamoDB's own counts, which may be hours old. Nothing was changed.")
}

// roughly is a time that was estimated.
func roughly(d time.Duration) string {
	if d < time.Second {
		return "less than a second"
	}
	return d.Round(time.Second).String()
}

func (m *migrationRun) printBackfill(r *migrate.BackfillReport) error {
	b := r.Progress
	fmt.Fprintf(m.out, "Run %s is %s: %d items evaluated, %d equal in both layouts, %d of them created.\n", b.Run, b.State, b.Scanned, b.Converged, b.Created)
	m.printProblems(r.Problems)
	if b.State == control.BackfillComplete && r.Problems.Count == 0 {
		fmt.Fprintf(m.out, "Next: verify, then finalize; from %s on, if v1-only nodes wrote until\nthe run began, since a request that they sent is accepted for five minutes.\n",
			r.Settled().UTC().Format(time.RFC3339))
	}
	return r.Problems.Err("backfill")
}

func (m *migrationRun) printProblems(p migrate.Problems) {
	if p.Count == 0 {
		return
	}
	fmt.Fprintf(m.out, "%d problems are open:\n", p.Count)
	for _, e := range p.Examples {
		fmt.Fprintf(m.out, "  %.80q: %s: %s\n", e.Key, e.Kind, e.Detail)
	}
	if left := p.Count - int64(len(p.Examples)); left > 0 {
		fmt.Fprintf(m.out, "  and %d more\n", left)
	}
}

func (m *migrationRun) printVerification(v *migrate.Verification) {
	fmt.Fprintf(m.out, "v1 has %d records, v2 has %d.\n", v.V1, v.V2)
	if v.Equal() {
		fmt.Fprintln(m.out, "Both hold the same.")
		return
	}
	for _, kind := range migrate.DifferenceKinds() {
		if n := v.Differences[kind]; n > 0 {
			fmt.Fprintf(m.out, "%d %s:\n", n, kind)
			for _, key := range v.Examples[kind] {
				fmt.Fprintf(m.out, "  %.80q\n", key)
			}
		}
	}
}

func (m *migrationRun) printFinalized(r *migrate.FinalizeReport) {
	if r.Already {
		fmt.Fprintf(m.out, "The migration was finalized on %s.\n", r.Marker.Published.Format(time.RFC3339))
		return
	}
	fmt.Fprintf(m.out, "v2 is the authority since %s. Writes were paused for %v.\n", r.Marker.Published.Format(time.RFC3339), r.Pause.Round(time.Millisecond))
	if v := r.Verification; v != nil {
		fmt.Fprintf(m.out, "%d records were compared. The write barrier met %d conflicts.\n", v.V1, r.Contended)
	}
	fmt.Fprintln(m.out, "Next: restart the nodes, so that none still reads v1. From now on only dual-capable binaries are safe.")
}

func (m *migrationRun) printRepair(r *migrate.RepairReport) error {
	if r.Found.Equal() {
		m.printVerification(r.Found)
	} else {
		fmt.Fprintf(m.out, "Found %s; %d were made equal to v1.\n", r.Found.Summary(), r.Healed)
	}
	m.printProblems(r.Problems)
	if err := r.Problems.Err("repair"); err != nil {
		return err
	}
	if r.Found.Differences[migrate.DiffUnmigratable] > 0 {
		return r.Found.Err()
	}
	return nil
}

func (m *migrationRun) printStatus(s *migrate.Status) {
	fmt.Fprintf(m.out, "mode       %v\n", s.Mode)
	if s.Barrier != nil {
		fmt.Fprintf(m.out, "barrier    %s of %s, installed %s\n", s.Barrier.ID, s.Barrier.Owner, s.Barrier.Installed.Format(time.RFC3339))
	} else {
		fmt.Fprintln(m.out, "barrier    none")
	}
	if s.Marker != nil {
		fmt.Fprintf(m.out, "marker     published %s\n", s.Marker.Published.Format(time.RFC3339))
	} else {
		fmt.Fprintln(m.out, "marker     none")
	}
	b := s.Backfill
	fmt.Fprintf(m.out, "backfill   %s", b.State)
	if b.Run != "" {
		fmt.Fprintf(m.out, ", run %s: %d items evaluated, %d equal, %d created, %d problems open", b.Run, b.Scanned, b.Converged, b.Created, b.Problems)
	}
	fmt.Fprintf(m.out, "\npeers      %d v1-only, %d unknown, %d dual, %d v2\n", s.Peers.V1Only, s.Peers.Unknown, s.Peers.Dual, s.Peers.V2)
	fmt.Fprintf(m.out, "rollback   %s binaries are safe\n", s.Rollback)
}

func (m *migrationRun) printPeers(peers []control.Peer) {
	if len(peers) == 0 {
		fmt.Fprintln(m.out, "No node has a record.")
		return
	}
	fmt.Fprintf(m.out, "%-24s %-18s %-9s %s\n", "node", "mode", "marker", "heartbeat")
	for _, p := range peers {
		observed := "-"
		if p.MarkerObserved {
			observed = "observed"
		}
		fmt.Fprintf(m.out, "%-24s %-18v %-9s %s\n", p.Node, p.Mode, observed, since(m.began, p.Heartbeat))
	}
}

// printCost prints the cost of the verb on standard error: it is not the result.
func (m *migrationRun) printCost(stderr io.Writer) {
	var attempts, unreported int64
	var rru, wru float64
	for _, phase := range m.meter.Phases() {
		for _, row := range m.meter.Ledger(phase).Rows {
			attempts += row.Attempts
			rru, wru, unreported = rru+row.RRU, wru+row.WRU, unreported+row.Unreported
		}
	}
	silent := ""
	if unreported > 0 {
		silent = fmt.Sprintf(", and %d requests without a report", unreported)
	}
	fmt.Fprintf(stderr, "lakebench: %d requests, %g read and %g write request units as reported%s, %.6f USD (%.0f s)\n",
		attempts, rru, wru, silent, m.prices.DynamoDB(rru, wru), time.Since(m.began).Seconds())
}
