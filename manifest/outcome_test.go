package manifest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/manifesttest"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/manifest/object"
)

// Hazard 3: whatever becomes of the answer, an update is applied exactly once, and
// whoever made it learns that.
func TestLostReply(t *testing.T) {
	inLab(t, func(l *lab) {
		for _, how := range lostReplies {
			l.table = "orders " + how
			var rules strings.Builder
			for version := uint64(1); version <= 4; version++ {
				fmt.Fprintf(&rules, "on s3 PutObject key %s nth 1 : %s\n", key(version), how)
			}
			s, injector := l.faulty(rules.String())
			if _, err := s.InitializeShard(l.ctx); err != nil {
				l.Errorf("%s: initialize: %v", how, err)
			}
			if m, err := s.ClaimEpoch(l.ctx); err != nil || m.WriterEpoch != 1 {
				l.Errorf("%s: claim: epoch %d, %v", how, m.WriterEpoch, err)
			}
			if _, err := s.CommitUpdate(l.ctx, 1, flushed); err != nil {
				l.Errorf("%s: commit: %v", how, err)
			}
			if err := s.Seal(l.ctx); err != nil {
				l.Errorf("%s: seal: %v", how, err)
			}
			if err := injector.Wait(); err != nil { // for what lands late
				l.Errorf("%s: %v", how, err)
			}
			l.wantTip(4, 1, 1)
			for _, w := range injector.Warnings() {
				l.Error(w)
			}
		}
	})
}

// lostReplies are the ways in which nobody hears what became of a request.
var lostReplies = []string{
	"error-after 500", "error-after 503", "error-after reset", "error-after 200", "error-after 200-precondition",
	"timeout 1s lands 2ms", "timeout 1s lands 1005ms", "timeout 1s lands 5s", "timeout 1s",
	"error-before 500", "error-before 503", "error-before reset", "error-before 304", "error-before 200", "error-before 200-precondition",
	"throttle",
}

// What settles a lost answer is looked up before anything is sent again.
func TestLostReplyCosts(t *testing.T) {
	for how, want := range map[string]string{
		"error-after 500": "PUT manifest 2 as #2 if absent [commit] -> InternalError, HEAD manifest 2 [commit] -> found as #2",
		"error-before reset": "PUT manifest 2 as #2 if absent [commit] -> no answer, HEAD manifest 2 [commit] -> absent, " +
			"PUT manifest 2 as #2 if absent [commit] -> ok",
		"error-before 409": "PUT manifest 2 as #2 if absent [commit] -> ConditionalRequestConflict, PUT manifest 2 as #2 if absent [commit] -> ok",
	} {
		l := newLog(t, manifest.Probe)
		onVirtualTime(t, func(ctx context.Context) {
			client, _ := l.service.faulty(ctx, t, "on s3 PutObject key "+key(2)+" nth 1 : "+how)
			l.recorder = manifesttest.NewRecorder(client, l.at())
			s := l.store()
			if _, err := s.ClaimEpoch(ctx); err != nil {
				t.Fatal(err)
			}
			l.recorder.Take()
			if _, err := s.CommitUpdate(ctx, 1, flushed); err != nil {
				t.Fatal(err)
			}
		})
		lines, _ := l.recorder.Take()
		if got := strings.Join(lines, ", "); got != want {
			t.Errorf("%s: %s; want %s", how, got, want)
		}
	}
}

// Hazard 3, the other way round: what is there instead of one's own is somebody
// else's, though its bytes be equal.
func TestLostRequestAndEqualBytes(t *testing.T) {
	inLab(t, func(l *lab) {
		a, b := l.store("on s3 PutObject key "+key(2)+" nth 1 : timeout 1s"), l.store("")
		l.claim(a)
		g := task.NewGroup(l.ctx, 0)
		g.Go("a", func(ctx context.Context) error {
			_, err := a.CommitUpdate(ctx, 1, flushed)
			return err
		})
		g.Go("b", func(ctx context.Context) error {
			if err := task.Sleep(ctx, 1e8); err != nil {
				return err
			}
			_, err := b.CommitUpdate(ctx, 1, flushed)
			return err
		})
		if err := g.Wait(); err != nil {
			l.Error(err)
		}
		l.wantTip(3, 1, 1, 2)
		if got := a.Stats(); got.Lost != 1 || got.Objects.Settled != 1 {
			l.Errorf("a counted %+v; want one lost attempt, and that settled", got)
		}
	})
}

// What cannot be read back stays unknown, and the store forgets its position.
func TestUnknownOutcome(t *testing.T) {
	inLab(t, func(l *lab) {
		s := l.store("on s3 PutObject key " + key(2) + " : error-after reset\non s3 HeadObject cause commit nth 1 : error-before 403")
		l.claim(s)
		_, err := s.CommitUpdate(l.ctx, 1, flushed)
		l.wantError("commit", err, manifest.ErrUnknown, "PUT "+l.at().URL(l.at().ManifestKey(2)), "s3:ListBucket")
		if errors.Is(err, manifest.ErrCollision) {
			l.Errorf("an unknown outcome is no collision: %v", err)
		}
		if got := s.Stats(); got.Objects.Unknown != 1 || got.Commits != 1 {
			l.Errorf("counted %+v; want one unknown and one known commit", got)
		}
		if m, err := s.Latest(l.ctx); err != nil || m.Version != 2 {
			l.Errorf("latest after an unknown outcome: version %d, %v; want what storage has, 2", m.Version, err)
		}
	})
}

// Hazard 5: 409 asks for the same request again, and does not mean that the version
// exists.
func TestConflictIsNotACollision(t *testing.T) {
	inLab(t, func(l *lab) {
		for _, form := range []string{"409", "409-bare"} {
			l.table = "orders " + form
			s := l.store("on s3 PutObject key " + key(2) + " nth 1..3 : error-before " + form + "\non s3 PutObject key " + key(3) + " : error-before " + form)
			l.claim(s)
			l.flush(s, 1)
			l.wantTip(2, 1, 1)
			if got := s.Stats(); got.Lost != 0 || got.Objects.Busy != 3 {
				l.Errorf("%s: counted %+v; want three answers of 409 and no attempt lost", form, got)
			}
			_, err := s.CommitUpdate(l.ctx, 1, flushed)
			l.wantError("commit that meets nothing but "+form, err, object.ErrBusy, "10 tries")
			l.wantTip(2, 1, 1)
		}
	})
}
