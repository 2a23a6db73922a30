package report

import (
	"fmt"
	"time"

	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/migrate"
	"github.com/lakebench/lakebench/store/control"
)

// MigrationPlan is what a verb of the migration would do, at a price in US dollars.
func MigrationPlan(p *migrate.Plan, usd float64) render.Page {
	steps := make(render.List, len(p.Steps))
	for i, step := range p.Steps {
		steps[i].Text = step
	}
	return page(
		text("It would:"), steps,
		text("About %s, %s read and %s write request units, %.4f USD, %s.",
			format.Plural(p.Requests, "request", "requests"), format.Thousands(p.RRU, 0), format.Thousands(p.WRU, 0), usd, roughly(p.Time)),
		text("Estimated from DynamoDB's own counts, which may be hours old. Nothing was changed."),
	)
}

// roughly writes a time that was estimated.
func roughly(d time.Duration) string {
	if d < time.Second {
		return "less than a second"
	}
	return d.Round(time.Second).String()
}

// Backfill is the state of a backfill after a run of it.
func Backfill(r *migrate.BackfillReport) render.Page {
	b := r.Progress
	p := page(text("Run %s is %s: %d items evaluated, %d equal in both layouts, %d of them created.", b.Run, b.State, b.Scanned, b.Converged, b.Created))
	p.Blocks = append(p.Blocks, problems(r.Problems)...)
	if b.State == control.BackfillComplete && r.Problems.Count == 0 {
		p.Blocks = append(p.Blocks, text("Next: verify, then finalize. If v1-only nodes wrote until the run began, wait until %s: DynamoDB accepts a request that they sent for five minutes.",
			r.Settled().UTC().Format(time.RFC3339)))
	}
	return p
}

func problems(p migrate.Problems) []render.Block {
	if p.Count == 0 {
		return nil
	}
	var examples render.List
	for _, e := range p.Examples {
		examples = append(examples, render.Paragraph{Text: fmt.Sprintf("%.80q: %s: %s", e.Key, e.Kind, e.Detail)})
	}
	if left := p.Count - int64(len(p.Examples)); left > 0 {
		examples = append(examples, render.Paragraph{Text: fmt.Sprintf("and %d more", left)})
	}
	return []render.Block{render.Paragraph{Level: render.Bad, Text: format.Plural(p.Count, "problem is open:", "problems are open:")}, examples}
}

// Verification is how the two layouts differ.
func Verification(v *migrate.Verification) render.Page {
	p := page(text("v1 has %d records, v2 has %d.", v.V1, v.V2))
	if v.Equal() {
		p.Blocks = append(p.Blocks, text("They are equal."))
		return p
	}
	for _, kind := range migrate.DifferenceKinds() {
		if n := v.Differences[kind]; n > 0 {
			var keys render.List
			for _, key := range v.Examples[kind] {
				keys = append(keys, render.Paragraph{Text: fmt.Sprintf("%.80q", key)})
			}
			p.Blocks = append(p.Blocks, text("%d %s:", n, kind), keys)
		}
	}
	return p
}

// Finalized is the outcome of a finalization.
func Finalized(r *migrate.FinalizeReport) render.Page {
	published := r.Marker.Published.Format(time.RFC3339)
	if r.Already {
		return page(text("The migration was finalized on %s.", published))
	}
	p := page(text("v2 is the authority since %s. Writes were paused for %v.", published, r.Pause.Round(time.Millisecond)))
	if v := r.Verification; v != nil {
		p.Blocks = append(p.Blocks, text("%d records were compared. The write barrier met %d conflicts.", v.V1, r.Contended))
	}
	p.Blocks = append(p.Blocks, text("Next: restart the nodes, so that none still reads v1. From now on only dual-capable binaries are safe."))
	return p
}

// Repair is what a repair found and changed.
func Repair(r *migrate.RepairReport) render.Page {
	p := Verification(r.Found)
	if !r.Found.Equal() {
		p = page(text("Found %s; %d were made equal to v1.", r.Found.Summary(), r.Healed))
	}
	if len(r.Left) > 0 {
		left := make(render.List, len(r.Left))
		for i, u := range r.Left {
			left[i].Text = fmt.Sprintf("%q: %s; %s", u.Key, u.What, u.Do)
		}
		p.Blocks = append(p.Blocks, render.Paragraph{Level: render.Bad, Text: format.Plural(int64(len(left)), "difference is left:", "differences are left:")}, left)
	}
	p.Blocks = append(p.Blocks, problems(r.Problems)...)
	return p
}

// oldBarrier is the age from which a status says how to lift a barrier: a finalization
// of a small lake is over by then.
const oldBarrier = 10 * time.Second

// MigrationStatus is where a migration stands at a time.
func MigrationStatus(s *migrate.Status, now time.Time) render.Page {
	barrier, marker := "none", "none"
	if s.Barrier != nil {
		barrier = fmt.Sprintf("%s of %s, installed %s", s.Barrier.ID, s.Barrier.Owner, s.Barrier.Installed.Format(time.RFC3339))
		if age := now.Sub(s.Barrier.Installed); s.Marker == nil && age >= oldBarrier {
			barrier += fmt.Sprintf(", %v ago: writes are paused since then; %s", age.Truncate(time.Second), s.Barrier.Lift())
		}
	}
	if s.Marker != nil {
		marker = "published " + s.Marker.Published.Format(time.RFC3339)
	}
	b := s.Backfill
	backfill := b.State
	if b.Run != "" {
		backfill += fmt.Sprintf(", run %s: %d items evaluated, %d equal, %d created, %d problems open", b.Run, b.Scanned, b.Converged, b.Created, b.Problems)
	}
	return page(render.Facts{
		{Name: "mode", Value: fmt.Sprint(s.Mode)}, {Name: "barrier", Value: barrier}, {Name: "marker", Value: marker}, {Name: "backfill", Value: backfill},
		{Name: "peers", Value: fmt.Sprintf("%d v1-only, %d unknown, %d dual, %d v2-authoritative, %d v2-only",
			s.Peers.V1Only, s.Peers.Unknown, s.Peers.Dual, s.Peers.V2-s.Peers.V2Only, s.Peers.V2Only)},
		{Name: "rollback", Value: fmt.Sprintf("%s binaries are safe", s.Rollback)},
	})
}

// Peers lists the nodes on record, as of a time.
func Peers(peers []control.Peer, since func(time.Time) string) render.Page {
	if len(peers) == 0 {
		return page(text("No node has a record."))
	}
	t := render.Table{Columns: []render.Column{
		{Name: "node"}, {Name: "mode", Words: true, Priority: 3}, {Name: "marker", Words: true, Priority: 1}, {Name: "heartbeat", Words: true}, {Name: "incarnation", Words: true},
	}}
	for _, p := range peers {
		observed := "-"
		if p.MarkerObserved {
			observed = "observed"
		}
		t.Rows = append(t.Rows, render.Row{Cells: []string{p.Node, fmt.Sprint(p.Mode), observed, since(p.Heartbeat), p.Incarnation}})
	}
	return page(t)
}

func page(blocks ...render.Block) render.Page { return render.Page{Blocks: blocks} }

func text(layout string, args ...any) render.Paragraph {
	return render.Paragraph{Text: fmt.Sprintf(layout, args...)}
}
