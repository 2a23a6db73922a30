package history

import (
	"fmt"
	"iter"
	"time"
)

// An OpKind is what an operation does to its record.
type OpKind int

// Every operation is conditional: Create on the key being absent, Update and
// Delete on the exact value before.
const (
	Create OpKind = iota
	Update
	Delete
)

// String returns the name used in traces.
func (k OpKind) String() string {
	switch k {
	case Create:
		return "create"
	case Update:
		return "update"
	case Delete:
		return "delete"
	}
	return fmt.Sprintf("OpKind(%d)", int(k))
}

// An Op is one operation on a lake's metadata.
type Op struct {
	// At is when, from the beginning of the history. No two operations have the
	// same.
	At   time.Duration
	Kind OpKind
	// Record is the record after a Create or an Update, and before a Delete.
	Record Record
	// Table is the number of the table that the record belongs to, or -1.
	Table int
}

// Before returns the record that the operation expects, and false if it expects
// the key to be absent.
func (o Op) Before() (Record, bool) {
	switch o.Kind {
	case Create:
		return Record{}, false
	case Update:
		r := o.Record
		r.Version--
		return r, true
	default:
		return o.Record, true
	}
}

// After returns the record that the operation leaves, and false if it removes
// it.
func (o Op) After() (Record, bool) {
	if o.Kind == Delete {
		return Record{}, false
	}
	return o.Record, true
}

// Ops yields the operations with from ≤ At < until in order of time: the
// tables' and settings' creation, then what commits write and retention deletes.
// What comes before from is computed but costs no keys. It needs memory for the
// tables only.
func (l *Lake) Ops(from, until time.Duration) iter.Seq[Op] {
	return func(yield func(Op) bool) {
		for s := range l.steps(min(until, Horizon)) {
			if s.at >= from && !yield(l.op(s)) {
				return
			}
		}
	}
}

func (l *Lake) op(s step) Op {
	o := Op{At: s.at, Kind: s.act, Table: s.commit.table}
	if s.kind == kindRoot {
		o.Table = -1
		o.Record = Record{Key: rootKey(int(s.commit.version)), ItemBytes: l.cfg.ItemBytes}
		return o
	}
	o.Record = l.record(s.kind, s.commit)
	return o
}

// A step is an operation without its key: enough to count. Of a root key, the
// commit's version is the number.
type step struct {
	at     time.Duration
	kind   recordKind
	act    OpKind
	commit commit
}

// What a commit writes, and what a retention later is deleted, in order.
var (
	written  = []recordKind{kindLease, kindAppend, kindManifest, kindTable, kindTombstone}
	expiring = []recordKind{kindAppend, kindManifest, kindTombstone}
	retained = []recordKind{kindLease, kindAppend, kindManifest, kindTombstone}
)

// steps yields the operations before until, in order of time.
func (l *Lake) steps(until time.Duration) iter.Seq[step] {
	return func(yield func(step) bool) {
		if !l.setUp(until, yield) {
			return
		}
		// In this order cursors that are due in one tick do not overlap.
		cursors := [...]*cursor{
			newCursor(l.source(), 0, written),
			newCursor(l.source(), l.cfg.LeaseHold, []recordKind{kindLease}),
			newCursor(l.source(), l.cfg.Retention, expiring),
		}
		for {
			next := cursors[0]
			for _, c := range cursors[1:] {
				if c.due < next.due {
					next = c
				}
			}
			if next.due >= until || !next.emit(until, yield) {
				return
			}
			next.advance()
		}
	}
}

func (l *Lake) setUp(until time.Duration, yield func(step) bool) bool {
	for table := range l.cfg.Tables {
		s := step{at: l.tableBorn(table), kind: kindTable, act: Create, commit: commit{table: table}}
		if s.at >= until || !yield(s) {
			return false
		}
	}
	for number := range l.cfg.RootKeys {
		s := step{at: l.rootBorn(number), kind: kindRoot, act: Create, commit: commit{version: uint64(number)}}
		if s.at >= until || !yield(s) {
			return false
		}
	}
	return true
}

// A cursor reads the commits with a delay: without one it writes their records,
// with one it deletes those.
type cursor struct {
	source *source
	delay  time.Duration
	kinds  []recordKind
	head   commit
	due    time.Duration
}

func newCursor(s *source, delay time.Duration, kinds []recordKind) *cursor {
	c := &cursor{source: s, delay: delay, kinds: kinds}
	c.advance()
	return c
}

func (c *cursor) advance() {
	c.head = c.source.next()
	c.due = c.head.at + c.delay
}

func (c *cursor) emit(until time.Duration, yield func(step) bool) bool {
	for _, kind := range c.kinds {
		if !c.head.writes(kind) {
			continue
		}
		s := step{kind: kind, commit: c.head}
		switch {
		case c.delay > 0:
			s.at, s.act = c.due+dies(kind), Delete
		case kind == kindTable:
			s.at, s.act = c.due+born(kind), Update
		default:
			s.at, s.act = c.due+born(kind), Create
		}
		if s.at >= until || !yield(s) {
			return false
		}
	}
	return true
}
