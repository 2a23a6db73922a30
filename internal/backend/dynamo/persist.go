package dynamo

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/lakebench/lakebench/internal/backend/dynamo/durable"
	"github.com/lakebench/lakebench/internal/backend/dynamo/rows"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// Restored says what an engine found in its directory.
type Restored struct {
	Tables, Items int
	durable.Recovery
}

// Open returns an engine whose tables survive the process: it answers a request
// once the directory has, on disk, everything that the answer may show, be it the
// request's own writes or another's. A directory that does not exist is made. One
// that another process has open is refused; damage is a *durable.DamageError.
// Requests that were not answered when the process ended have happened or not,
// each as a whole.
//
// Whoever opens an engine keeps [Engine.Maintain] running, and calls
// [Engine.Close] at the end.
func Open(cfg Config, dir string) (*Engine, Restored, error) {
	if cfg.VisibleOneByOne {
		return nil, Restored{}, errors.New("dynamo: Config.VisibleOneByOne is for engines in memory: a directory keeps transactions whole")
	}
	e, err := New(cfg)
	if err != nil {
		return nil, Restored{}, err
	}
	log, found, err := durable.Open(dir, e.restore)
	if err != nil {
		return nil, Restored{}, err
	}
	e.log = log
	restored := Restored{Tables: len(e.tables), Recovery: found}
	for _, t := range e.tables {
		restored.Items += t.rows.Len()
	}
	return e, restored, nil
}

// Close writes what is not yet on disk and lets go of the directory. No request
// may be under way. Engines in memory have nothing to close.
func (e *Engine) Close() error {
	if e.log == nil {
		return nil
	}
	return e.log.Close()
}

// maintainEvery is how often Maintain looks whether there is something to do.
const maintainEvery = 100 * time.Millisecond

// Maintain replaces the log by a snapshot whenever it has grown longer than that
// would be, until ctx ends; in memory there is nothing to do meanwhile. The error
// is why the directory cannot be written; what was acknowledged before is safe.
func (e *Engine) Maintain(ctx context.Context) error {
	for task.Sleep(ctx, maintainEvery) == nil {
		if err := e.maintain(); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) maintain() error {
	if e.log == nil {
		return nil
	}
	if err := e.log.Err(); err != nil || !e.log.Due() {
		return err
	}
	return e.Snapshot()
}

// settle waits until everything done so far is on disk, since an answer may show
// any of it.
func (e *Engine) settle(ctx context.Context) *serviceError {
	if e.log == nil {
		return nil
	}
	if err := e.log.Sync(ctx); err != nil {
		return &serviceError{code: internalServerError, message: "embedded DynamoDB: " + err.Error()}
	}
	return nil
}

// Snapshot writes the tables to the directory, so that the log before can be
// forgotten. Requests go on meanwhile, but for a moment at its beginning. There
// must not be two at a time; [Engine.Maintain] calls it when it is worth its while.
func (e *Engine) Snapshot() error {
	cut, contents, err := e.cut()
	if err != nil {
		return err
	}
	return cut.Write(contents.write)
}

// contents is all that a snapshot has to hold.
type contents struct {
	created int
	tables  []tableContents
	tokens  []completed
}

type tableContents struct {
	table *table // of which only what does not change is looked at
	first []byte // its definition, a change
	rows  *rows.Table
}

// cut stops the engine for the moment that it takes to have the log begin anew and
// to take hold of the tables as they are. Locks are taken in the order of commit.
func (e *Engine) cut() (durable.Cut, contents, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	tables := make([]*table, 0, len(e.tables))
	for _, t := range e.tables {
		tables = append(tables, t)
	}
	slices.SortFunc(tables, byNumber)
	for _, t := range tables {
		t.mu.Lock()
		defer t.mu.Unlock()
	}
	cut, err := e.log.Cut()
	c := contents{created: e.created, tokens: e.tokens.all()}
	for _, t := range tables {
		c.tables = append(c.tables, tableContents{t, t.definition(), t.rows.Clone()})
	}
	return cut, c, err
}

func (c *contents) write(add func(record []byte) error) error {
	if err := add(appendCreated(nil, c.created)); err != nil {
		return err
	}
	for _, t := range c.tokens {
		if err := add(t.appendChange(nil)); err != nil {
			return err
		}
	}
	for _, t := range c.tables {
		if err := t.write(add); err != nil {
			return err
		}
	}
	return nil
}

func (c *tableContents) write(add func(record []byte) error) error {
	err := add(c.first)
	var record []byte
	c.rows.Scan(0, 1, "", func(row rows.Row) bool {
		if err == nil {
			record = appendRow(record[:0], c.table, row)
			err = add(record)
		}
		return err == nil
	})
	return err
}
