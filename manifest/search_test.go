package manifest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/manifest/object"
)

// Hazard 1: whatever goes wrong but "not found" ends a search. An older version
// must not pass for the tip, nor a fence check pass because of it.
func TestFailedProbeIsNotTheEnd(t *testing.T) {
	inLab(t, func(l *lab) {
		a := l.store("")
		l.claim(a)
		for range 3 {
			l.flush(a, 1)
		}
		l.service.Put(l, l.at().HintKey(), []byte(`{"version":2}`))
		for _, form := range []string{"503", "500", "reset", "403"} {
			for _, where := range []string{key(3), `"*version_hint.json"`} {
				blind := l.store(fmt.Sprintf("on s3 key %s nth 1..9 : error-before %s", where, form))
				if m, err := blind.RefreshLatest(l.ctx); err == nil {
					l.Errorf("%s at %s: a refresh found version %d, while the tip is 4", form, where, m.Version)
				}
				if m, err := blind.Reader().Latest(l.ctx); err == nil {
					l.Errorf("%s at %s: a reader found version %d", form, where, m.Version)
				}
				if err := blind.CheckFenced(l.ctx, 1); err == nil {
					l.Errorf("%s at %s: the fence check passed", form, where)
				}
			}
		}
		l.wantTip(4, 1, 1, 2, 3)
	})
}

// Hazard 2: a gap hides what is beyond it, so nobody may make one, and one that is
// there is named.
func TestGap(t *testing.T) {
	inLab(t, func(l *lab) {
		a := l.store("")
		l.claim(a)
		_, err := a.CommitUpdate(l.ctx, 1, func(m manifest.Manifest) (manifest.Manifest, error) { return m.Next().Next(), nil })
		l.wantError("a skipped version", err, manifest.ErrInvalid, "version is 3")
		_, err = a.CommitUpdate(l.ctx, 1, func(m manifest.Manifest) (manifest.Manifest, error) { return m, nil })
		l.wantError("the same version", err, manifest.ErrInvalid, "version is 1")
		l.wantTip(1, 1)
		for range 4 {
			l.flush(a, 1)
		}
		l.service.Remove(l, l.at().ManifestKey(4))
		l.service.Put(l, l.at().HintKey(), []byte(`{"version":3}`))
		missing := l.at().URL(l.at().ManifestKey(4))
		reader := l.store("").Reader()
		v, err := reader.Versions(l.ctx)
		if err != nil {
			l.Fatal(err)
		}
		l.wantError("the list", v.Gap(l.at()), manifest.ErrGap, missing, "version 5")
		if l.kind != manifest.Probe { // which trusts that nobody makes one
			_, err = reader.Latest(l.ctx)
			l.wantError("latest", err, manifest.ErrGap, missing, "version 5")
		}
	})
}

// A version that is created while a batch is on its way is no gap.
func TestNoGapWhileOthersCommit(t *testing.T) {
	inLab(t, func(l *lab) {
		a := l.store("")
		l.claim(a)
		// The search asks for version 3 a second later than for version 2.
		slow := l.store("on s3 key " + key(3) + " nth 1 : delay 1s")
		g := task.NewGroup(l.ctx, 0)
		g.Go("reader", func(ctx context.Context) error {
			m, err := slow.Reader().Latest(ctx)
			if err != nil || m.Version != 3 && m.Version != 1 {
				l.Errorf("version %d, %v; want 1 or 3", m.Version, err)
			}
			return nil
		})
		g.Go("writer", func(ctx context.Context) error {
			if err := task.Sleep(ctx, 1e8); err != nil {
				return err
			}
			l.flush(a, 1)
			l.flush(a, 1)
			return nil
		})
		if err := g.Wait(); err != nil {
			l.Error(err)
		}
	})
}

// Hazard 6: without permission to list, S3 answers 403 for what is not there. That
// is not absence.
func TestNoPermissionToList(t *testing.T) {
	for _, kind := range manifest.Kinds() {
		t.Run(kind.String(), func(t *testing.T) {
			cfg := backend.DefaultConfig()
			cfg.S3.ListPermission = false
			s := openService(t, cfg)
			onVirtualTime(t, func(ctx context.Context) {
				l := &lab{T: t, ctx: ctx, service: s, kind: kind, table: "orders"}
				a := l.store("")
				_, claim := a.ClaimEpoch(ctx)
				l.service.Load(l, os.DirFS("testdata/orders"), "orders")
				_, latest := a.Reader().Latest(ctx)
				_, versions := a.Reader().Versions(ctx)
				for what, err := range map[string]error{
					"claim of a new shard": claim, "latest": latest, "versions": versions, "fence check": a.CheckFenced(ctx, 3),
				} {
					var denied *object.PermissionError
					if !errors.As(err, &denied) || !strings.Contains(err.Error(), "s3:ListBucket") {
						l.Errorf("%s: %v; want a PermissionError that names s3:ListBucket", what, err)
					}
				}
			})
		})
	}
}

// Hazard 7: who polls is not pinned to what it saw first, and does not unpin a
// writer.
func TestPolling(t *testing.T) {
	inLab(t, func(l *lab) {
		writer, poller := l.store(""), l.store("")
		l.claim(writer)
		for version := uint64(2); version <= 4; version++ {
			l.flush(writer, 1)
			for what, latest := range map[string]func(context.Context) (manifest.Manifest, error){
				"a reader": poller.Reader().Latest, "a store that never wrote": poller.Latest, "the writer's reader": writer.Reader().Latest,
			} {
				if m, err := latest(l.ctx); err != nil || m.Version != version {
					l.Errorf("%s sees version %d, %v; want %d", what, m.Version, err, version)
				}
			}
		}
		scans := writer.Stats().Scans
		if m, err := writer.Latest(l.ctx); err != nil || m.Version != 4 || l.kind != manifest.Scan && writer.Stats().Scans != scans {
			l.Errorf("the writer sees version %d, %v, after %d scans; want 4 from its position", m.Version, err, writer.Stats().Scans-scans)
		}
	})
}

// Hazard 11: an answer that arrives after that of a later request does not move
// the position back.
func TestLateAnswer(t *testing.T) {
	inLab(t, func(l *lab) {
		// The refresh has found that version 2 is the tip, and its body takes a while.
		slow := "on s3 GetObject key " + key(2) + " nth 1 : delay 1s"
		if l.kind == manifest.Probe { // there is no more to ask when version 2 is known to be absent
			slow = "on s3 GetObject key " + key(3) + " nth 1 : error-before 500\non s3 GetObject key " + key(3) + " nth 2 : delay 1s"
		}
		a := l.store(slow)
		l.claim(a)
		if l.kind != manifest.Probe {
			l.flush(a, 1)
		}
		g := task.NewGroup(l.ctx, 0)
		g.Go("refresh", func(ctx context.Context) error {
			_, err := a.RefreshLatest(ctx)
			return err
		})
		g.Go("commit", func(ctx context.Context) error {
			if err := task.Sleep(ctx, 5e8); err != nil {
				return err
			}
			for range 3 {
				if _, err := a.CommitUpdate(ctx, 1, flushed); err != nil {
					return err
				}
			}
			return nil
		})
		if err := g.Wait(); err != nil {
			l.Error(err)
		}
		want := l.tip()
		if m, err := a.Latest(l.ctx); err != nil || m.Version != want.Version {
			l.Errorf("latest is version %d, %v; want %d", m.Version, err, want.Version)
		}
		lost := a.Stats().Lost
		l.flush(a, 1)
		if got := a.Stats().Lost - lost; got != 0 {
			l.Errorf("the next commit lost %d attempts: the position has moved back", got)
		}
	})
}

// Hazard 12: whatever the hint is, the tip is found.
func TestHints(t *testing.T) {
	inLab(t, func(l *lab) {
		l.service.Load(l, os.DirFS("testdata/orders"), "orders")
		exact := l.tip()
		for _, hint := range []string{
			"", "{", "null", "7", "[7]", `{"version":"7"}`, `{"version":-7}`, `{"version":7.5}`, `{"version":0}`, `{"version":null}`, `{"other":7}`,
			`{"version":1}`, `{"version":6}`, `{"version":7,"newer":true}`, `{"version":8}`, `{"version":99}`,
			`{"version":18446744073709551615}`, `{"version":18446744073709551616}`, "\x00\xff",
		} {
			l.service.Put(l, l.at().HintKey(), []byte(hint))
			l.sameTip("hint "+hint, exact)
		}
		l.service.Remove(l, l.at().HintKey())
		l.sameTip("no hint", exact)
		l.claim(l.store(""))
		l.wantTip(8, 4, 1, 2)
	})
}

func (l *lab) sameTip(what string, want manifest.Manifest) {
	l.Helper()
	for how, latest := range map[string]func(context.Context) (manifest.Manifest, error){
		"reader": l.store("").Reader().Latest, "refresh": l.store("").RefreshLatest,
	} {
		m, err := latest(l.ctx)
		if diff := cmp.Diff(want, m, cmpopts.IgnoreUnexported(manifest.Manifest{}, manifest.Generation{})); err != nil || diff != "" {
			l.Errorf("%s, %s: %v (-want +got):\n%s", what, how, err, diff)
		}
	}
}
