package meter

import (
	"time"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/counts"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// TraceRecord tells of one attempt, when it has ended.
type TraceRecord struct {
	Seq     int64         `json:"seq"`     // in order of ending, from 1
	At      time.Duration `json:"at_ns"`   // when it was sent, from the first attempt traced
	Took    time.Duration `json:"took_ns"` // until its answer was read
	Actor   string        `json:"actor,omitempty"`
	Phase   string        `json:"phase"`
	Cause   cause.Label   `json:"cause"`
	Service string        `json:"service"`
	API     string        `json:"api"`
	Call    int64         `json:"call"`    // attempts of one call have one number, from 1
	Attempt int           `json:"attempt"` // from 1
	Outcome string        `json:"outcome"`
	// Error tells how the reply was lost; it is empty for all other outcomes.
	Error   string   `json:"error,omitempty"`
	Targets []Target `json:"targets,omitempty"`
	// Units, items and bytes are those that the embedded service computed, or that
	// the answer of a service on an endpoint reports.
	counts.Work
	counts.Units
}

// Target is one thing that a request is about.
type Target struct {
	// Action is what is to be done, where the operation's name does not say it:
	// "put", "delete", "update" or "check".
	Action string `json:"action,omitempty"`
	Table  string `json:"table"` // or bucket
	// Key is the item's key, or the condition by which a Query or a Scan picks
	// items, names and values filled in; the object's key, or the prefix of a list.
	Key string `json:"key,omitempty"`
	// Bytes is the size of an item that a transaction puts, by the sizing rules.
	Bytes int64 `json:"bytes,omitempty"`
}

func (m *Meter) trace(a *attempt, outcome Outcome, err error, u counts.Usage) {
	if served := a.served.Load(); served != nil {
		u = *served
	}
	c := a.call
	r := TraceRecord{
		Took:  task.Since(a, a.at),
		Actor: cause.Actor(a), Phase: phaseOf(a), Cause: cause.From(a),
		Service: c.service.name(), API: c.api, Call: c.number, Attempt: a.number,
		Outcome: outcome.String(), Targets: c.service.targets(c.input, m.cfg.KeyAttributes),
		Work: u.Work, Units: u.Units,
	}
	if outcome == ReplyLost {
		r.Error = err.Error()
	}
	m.traceMu.Lock()
	defer m.traceMu.Unlock()
	if m.traced == 0 {
		m.began = a.at
	}
	m.traced++
	r.Seq, r.At = m.traced, a.at.Sub(m.began)
	m.cfg.Trace(r)
}
