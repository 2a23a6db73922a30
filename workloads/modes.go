package workloads

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/v1"
	"github.com/lakebench/lakebench/store/v2"
)

// modeVariants are the variants of workloads that compare what a node does in
// each mode (docs/spec/metadata-store.md §4). They are called as the modes are.
func modeVariants() []run.Variant {
	return []run.Variant{
		{Name: control.ModeV1.String(), Doc: "before the migration: reads and writes v1"},
		{Name: control.ModeDual.String(), Doc: "during it: reads v1, writes both under the write barrier's check"},
		{Name: control.ModeV2Authoritative.String(), Doc: "after it: reads v2, writes v2 and its mirror v1"},
		{Name: control.ModeV2Only.String(), Doc: "at its end: reads and writes v2, v1 is gone"},
	}
}

// modeNames names the modes as headlines do.
func modeNames() (names []string) {
	for _, v := range modeVariants() {
		names = append(names, v.Name)
	}
	return names
}

// A lake is a pair of tables in the state in which nodes of one mode find them.
type lake struct {
	*run.Site
	mode  control.Mode
	v1    string // the name of the v1 table, whether it exists or not
	owner string // of what is drawn for setting it up
}

// newLake makes the tables that a mode needs, loads both with the same records,
// and puts the control records in place. total is the number of records, for
// progress.
func newLake(ctx context.Context, s *run.Site, name string, mode control.Mode, records iter.Seq2[history.Record, error], total int64) (*lake, error) {
	l := &lake{Site: s, mode: mode, owner: name}
	layout := fmt.Sprintf("%d-%s", s.Number, name)
	l.v1 = s.Backend.TableName(layout)
	var tables []run.Table
	if mode != control.ModeV2Only {
		if err := l.makeV1(ctx, layout); err != nil {
			return nil, err
		}
		tables = append(tables, run.Table{Name: l.v1, Item: v1.Item})
	}
	if err := l.makeV2(ctx, layout); err != nil {
		return nil, err
	}
	// In mode v1 the companion stays empty: a migration has been prepared, so that
	// nodes are registered, and has not begun.
	if mode != control.ModeV1 {
		tables = append(tables, run.Table{Name: v2.TableName(l.v1), Item: itemV2})
	}
	if err := l.Load(ctx, records, total, tables...); err != nil {
		return nil, err
	}
	if mode.ReadsV2() {
		return l, l.finalize(ctx)
	}
	return l, nil
}

func (l *lake) makeV1(ctx context.Context, layout string) error {
	client := l.SetupClient()
	_, err := l.Backend.Table(ctx, layout, func(ctx context.Context, name string) error { return v1.Create(ctx, client, name) })
	return err
}

func (l *lake) makeV2(ctx context.Context, layout string) error {
	client := l.SetupClient()
	_, err := l.Backend.Table(ctx, v2.TableName(layout), func(ctx context.Context, name string) error {
		cfg := v2.DefaultConfig()
		cfg.Table, cfg.Random = name, l.Random("create "+l.owner)
		return v2.Create(ctx, client, cfg)
	})
	return err
}

// finalize puts the control records of a finished migration.
func (l *lake) finalize(ctx context.Context) error {
	records, err := control.New(control.Config{
		Client: l.SetupClient(), Table: v2.TableName(l.v1), Random: l.Random("finalize " + l.owner), Backoff: item.DefaultBackoff(),
	})
	if err != nil {
		return err
	}
	const id = "lakebench"
	if err := records.InstallBarrier(ctx, control.Barrier{ID: id, Owner: id, Installed: time.Unix(0, 0)}); err != nil {
		return err
	}
	return records.PublishMarker(ctx, id)
}

// node opens a node of the lake's mode. name must be that of no other node of the
// lake that is alive.
func (l *lake) node(ctx context.Context, client dual.Client, name string, pageLimit int64) (*dual.Store, error) {
	cfg := dual.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Node, cfg.Mode = client, l.v1, name, l.mode
	cfg.Random = l.Random(l.owner + " node " + name)
	cfg.PageLimit = int(pageLimit)
	return dual.Open(ctx, cfg)
}

// authority is the table that the lake's nodes read.
func (l *lake) authority() string {
	if l.mode.ReadsV2() {
		return v2.TableName(l.v1)
	}
	return l.v1
}

// checkMirrored is about both layouts after all that was done in the modes that
// write both.
const checkMirrored = "both layouts end equal"

// mirrors reports whether nodes of the lake's mode write both layouts.
func (l *lake) mirrors() bool {
	return l.mode == control.ModeDual || l.mode == control.ModeV2Authoritative
}

// checkMirrored books whether both layouts hold the same.
func (l *lake) checkMirrored(ctx context.Context, into *run.CheckList) error {
	client := l.SetupClient()
	a, err := contentsOf(ctx, client, l.v1)
	if err != nil {
		return err
	}
	b, err := contentsOf(ctx, client, v2.TableName(l.v1))
	if err != nil {
		return err
	}
	c := results.Check{Name: checkMirrored, Status: results.Passed, Detail: "v1 and v2 hold the same keys and values in the modes that write both"}
	if a != b {
		c.Status, c.Detail = results.Failed, fmt.Sprintf("%v at %s: v1 ends with %v, v2 with %v", l.mode, run.PointText(l.Point), a, b)
	}
	into.Add(c)
	return nil
}
