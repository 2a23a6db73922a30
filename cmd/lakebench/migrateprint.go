package main

import (
	"fmt"
	"io"
	"time"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/report"
	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/store/control"
)

// show writes a page. An error is ignored: the verb has done its work.
func (m *migrationRun) show(p render.Page) { _ = render.Text(m.out, p, terminalOf(m.out)) }

func (m *migrationRun) printPlan(p *migrate.Plan) {
	m.show(report.MigrationPlan(p, m.prices.DynamoDB(p.RRU, p.WRU)))
}

func (m *migrationRun) printBackfill(r *migrate.BackfillReport) error {
	m.show(report.Backfill(r))
	return r.Problems.Err("backfill")
}

func (m *migrationRun) printVerification(v *migrate.Verification) { m.show(report.Verification(v)) }

func (m *migrationRun) printFinalized(r *migrate.FinalizeReport) { m.show(report.Finalized(r)) }

func (m *migrationRun) printRepair(r *migrate.RepairReport) error {
	m.show(report.Repair(r))
	return r.Err()
}

func (m *migrationRun) printStatus(s *migrate.Status) { m.show(report.MigrationStatus(s, m.began)) }

func (m *migrationRun) printPeers(peers []control.Peer) {
	m.show(report.Peers(peers, func(t time.Time) string { return since(m.began, t) }))
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
