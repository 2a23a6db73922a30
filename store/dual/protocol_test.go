package dual_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/lakebench/lakebench/internal/requestlog"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
)

// A protocolLog writes down the requests of what nodes do beside their users' reads
// and writes.
type protocolLog struct {
	*testLake
	rec *storetest.Recorder
	log strings.Builder
}

// step does something and notes the requests that it made.
func (p *protocolLog) step(what string, do func() error) {
	p.Helper()
	p.rec.Take()
	err := do()
	fmt.Fprintf(&p.log, "== %s\n", what)
	for _, line := range p.rec.Take() {
		p.log.WriteString(line + "\n")
	}
	outcome := "ok"
	var forbidden *dual.ForbiddenError
	switch {
	case errors.As(err, &forbidden):
		outcome = "error: " + forbidden.Error()
	case errors.Is(err, store.ErrWritesPaused):
		outcome = "error: " + store.ErrWritesPaused.Error()
	case err != nil:
		p.Error(err)
	}
	fmt.Fprintf(&p.log, "%s\n\n", outcome)
}

func (p *protocolLog) open(node string, mode control.Mode) (s *dual.Store) {
	p.Helper()
	p.step(fmt.Sprintf("node %s: open in mode %v", node, mode), func() (err error) {
		s, err = dual.Open(context.Background(), p.config(p.rec, node, mode))
		return err
	})
	return s
}

// TestProtocol: the requests of opening, heartbeats and switches, as a file that
// reviewers read.
func TestProtocol(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // heartbeats of one time
		ctx, l := context.Background(), legacyLake(t)
		p := &protocolLog{testLake: l, rec: storetest.NewRecorder(l.direct)}
		p.open("old", control.ModeDual)
		old := p.open("old", control.ModeV1)
		p.step("node old: heartbeat before init", func() error { return old.Heartbeat(ctx) })
		initialize(t, l.direct, lake, 1)
		p.step("node old: heartbeat after init", func() error { return old.Heartbeat(ctx) })
		p.step("node old: heartbeat", func() error { return old.Heartbeat(ctx) })

		writer := p.open("old", control.ModeDual)
		reader, lister := p.open("reader", control.ModeDual), p.open("lister", control.ModeDual)
		p.step("node reader: heartbeat", func() error { return reader.Heartbeat(ctx) })
		p.open("new", control.ModeV2Only)
		l.barrier()
		p.open("late", control.ModeV1)
		p.step("node old: create, the barrier is there", func() error { return writer.CAS(ctx, "tbl/a", store.Absent(), nil) })
		l.must(l.records.PublishMarker(ctx, "b1"))
		p.step("node old: create, the marker is there", func() error { return writer.CAS(ctx, "tbl/a", store.Absent(), nil) })
		p.open("new", control.ModeV2Only)
		p.step("node lister: first page, the marker is there", func() error { _, err := lister.Page(ctx, "tbl/", 0, ""); return err })
		p.step("node reader: get, the marker is there", func() error { _, err := reader.Get(ctx, "tbl/a"); return err })
		p.step("node reader: heartbeat, the marker is there", func() error { return reader.Heartbeat(ctx) })
		only := p.open("new", control.ModeV2Only)
		p.step("node new: heartbeat", func() error { return only.Heartbeat(ctx) })
		p.open("late", control.ModeV1)
		p.open("late", control.ModeDual)
		p.step("node reader: close", func() error { return reader.Close(ctx) })
		requestlog.Golden(t, "testdata/protocol.golden", strings.TrimSuffix(p.log.String(), "\n"), *rewrite)
	})
}
