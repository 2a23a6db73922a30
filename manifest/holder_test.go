package manifest_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest"
)

// A fence check sees a successor through a position that is held, and so does a
// commit that the position would have allowed (hazard 8).
func TestFencedThroughHeldPosition(t *testing.T) {
	inLab(t, func(l *lab) {
		a, b := l.store(""), l.store("")
		l.claim(a)
		l.claim(b)
		_, err := a.CommitUpdate(l.ctx, 1, flushed)
		l.wantError("commit of the fenced", err, manifest.ErrFenced, "epoch 1", l.at().URL(l.at().ManifestKey(2)), "epoch 2")
		l.wantError("fence check of the fenced", a.CheckFenced(l.ctx, 1), manifest.ErrFenced)
		l.flush(b, 2)
		c := l.store("")
		l.claim(c)
		l.wantError("fence check through a warm position", b.CheckFenced(l.ctx, 2), manifest.ErrFenced)
		l.wantTip(4, 3, 1)
		l.wantError("an epoch that nobody claimed", c.CheckFenced(l.ctx, 9), manifest.ErrInvalid)
	})
}

// Hazard 10: while a shard is sealed nobody claims it, and the holder stops once
// it sees that. Unsealed, all is as it was.
func TestSealed(t *testing.T) {
	inLab(t, func(l *lab) {
		holder, dropper, other := l.store(""), l.store(""), l.store("")
		l.claim(holder)
		l.flush(holder, 1)
		if err := dropper.Seal(l.ctx); err != nil {
			l.Fatal(err)
		}
		sealed := l.at().URL(l.at().ManifestKey(3))
		_, err := other.ClaimEpoch(l.ctx)
		l.wantError("claim", err, manifest.ErrSealed, sealed, "unseal")
		for range 2 {
			_, err = holder.CommitUpdate(l.ctx, 1, flushed)
			l.wantError("commit of the holder", err, manifest.ErrSealed, sealed)
		}
		l.wantTip(3, 1, 1)
		if err := dropper.Seal(l.ctx); err != nil {
			l.Errorf("sealing again: %v", err)
		}
		l.wantTip(3, 1, 1)
		if err := dropper.Unseal(l.ctx); err != nil {
			l.Fatal(err)
		}
		l.flush(holder, 1)
		l.wantTip(5, 1, 1, 2)
		if err := holder.Seal(l.ctx); err != nil {
			l.Fatal(err)
		}
		// The holder's position says sealed; that it is not any more is only in storage.
		if err := dropper.Unseal(l.ctx); err != nil {
			l.Fatal(err)
		}
		if err := holder.Seal(l.ctx); err != nil {
			l.Fatal(err)
		}
		if m := l.tip(); m.Status != manifest.Sealed || m.Version != 8 {
			l.Errorf("version %d is %v; want 8, sealed", m.Version, m.Status)
		}
	})
}

// A status that a newer program wrote can be read; nobody writes because of it.
func TestUnknownStatus(t *testing.T) {
	inLab(t, func(l *lab) {
		holder := l.store("")
		l.claim(holder)
		m := l.tip().Next()
		m.Status = 7
		body, err := m.Encode()
		if err != nil {
			l.Fatal(err)
		}
		l.service.Put(l, l.at().ManifestKey(2), body)
		if m := l.tip(); m.Status != 7 {
			l.Errorf("the tip is %v", m.Status)
		}
		path := l.at().URL(l.at().ManifestKey(2))
		_, err = l.store("").ClaimEpoch(l.ctx)
		l.wantError("claim", err, manifest.ErrUnknownStatus, path, "status 7")
		_, err = holder.CommitUpdate(l.ctx, 1, flushed)
		l.wantError("commit", err, manifest.ErrUnknownStatus, path)
		l.wantError("seal", holder.Seal(l.ctx), manifest.ErrUnknownStatus, path)
		l.wantError("unseal", l.store("").Unseal(l.ctx), manifest.ErrUnknownStatus, path)
	})
}

// Of two that claim at once one wins, and the other is told that it lost; a commit
// of the holder in between makes nobody lose.
func TestClaims(t *testing.T) {
	inLab(t, func(l *lab) {
		holder := l.store("")
		l.claim(holder)
		slow := l.store("on s3 PutObject key " + key(2) + " nth 1 : delay 1s\non s3 PutObject key " + key(3) + " nth 1 : delay 1s")
		meanwhile := func(do func()) (manifest.Manifest, error) {
			var m manifest.Manifest
			var err error
			g := task.NewGroup(l.ctx, 0)
			g.Go("claim", func(ctx context.Context) error {
				m, err = slow.ClaimEpoch(ctx)
				return nil
			})
			g.Go("meanwhile", func(context.Context) error {
				do()
				return nil
			})
			if err := g.Wait(); err != nil {
				l.Fatal(err)
			}
			return m, err
		}
		if m, err := meanwhile(func() { l.flush(holder, 1) }); err != nil || m.WriterEpoch != 2 || m.Version != 3 {
			l.Fatalf("claim while the holder commits: version %d of epoch %d, %v; want version 3 of epoch 2", m.Version, m.WriterEpoch, err)
		}
		l.table = "lake"
		l.claim(l.store(""))
		slow = l.store("on s3 PutObject key " + key(2) + " nth 1 : delay 1s")
		_, err := meanwhile(func() { l.claim(l.store("")) })
		l.wantError("claim while another claims", err, manifest.ErrFenced, "epoch 2")
		l.wantTip(2, 2)
	})
}

// A spec is for ever.
func TestSpec(t *testing.T) {
	inLab(t, func(l *lab) {
		spec := manifest.Spec{ID: 3, Fields: []manifest.FieldValue{{FieldID: "a", Value: []byte{1}}, {FieldID: "b", Value: []byte{2}}}}
		withSpec := func(spec *manifest.Spec) *manifest.Store {
			cfg := manifest.DefaultConfig()
			l.stores++
			cfg.Client, cfg.Location, cfg.Policy, cfg.Spec, cfg.Random = l.service.SDK(), l.at(), policy(l.kind), spec, rand.NewPCG(3, l.stores)
			s, err := manifest.NewStore(cfg)
			if err != nil {
				l.Fatal(err)
			}
			return s
		}
		if m, err := withSpec(&spec).InitializeShard(l.ctx); err != nil || m.WriterEpoch != 0 || !m.Spec.Equal(spec) {
			l.Fatalf("initialized as epoch %d, %v, %v", m.WriterEpoch, m.Spec, err)
		}
		turned := manifest.Spec{ID: 3, Fields: []manifest.FieldValue{spec.Fields[1], spec.Fields[0]}}
		for _, same := range []*manifest.Spec{&spec, &turned, nil} {
			if _, err := withSpec(same).InitializeShard(l.ctx); err != nil {
				l.Errorf("initialized again with %v: %v", same, err)
			}
		}
		for _, other := range []manifest.Spec{{}, {ID: 3}, {ID: 4, Fields: spec.Fields}, {ID: 3, Fields: []manifest.FieldValue{spec.Fields[0], {FieldID: "b"}}}} {
			_, err := withSpec(&other).InitializeShard(l.ctx)
			l.wantError("initialized with another spec", err, manifest.ErrOtherShard, "spec 3 a=0x01 b=0x02", other.String())
			_, err = withSpec(&other).ClaimEpoch(l.ctx)
			l.wantError("claimed with another spec", err, manifest.ErrOtherShard)
		}
		s := withSpec(nil)
		l.claim(s)
		for what, change := range map[string]func(*manifest.Manifest){
			"the spec":               func(m *manifest.Manifest) { m.Spec.ID++ },
			"the shard":              func(m *manifest.Manifest) { m.Shard[0]++ },
			"the epoch":              func(m *manifest.Manifest) { m.WriterEpoch++ },
			"the status":             func(m *manifest.Manifest) { m.Status = manifest.Sealed },
			"the current generation": func(m *manifest.Manifest) { m.CurrentGeneration = 0 },
			"a generation to come": func(m *manifest.Manifest) {
				m.Generations = append(m.Generations, manifest.Generation{Number: 9, Path: "x"})
			},
		} {
			_, err := s.CommitUpdate(l.ctx, 1, func(m manifest.Manifest) (manifest.Manifest, error) {
				next := m.Next()
				change(&next)
				return next, nil
			})
			l.wantError("an update of "+what, err, manifest.ErrInvalid)
		}
		l.wantTip(2, 1)
	})
}
