package manifest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest/object"
)

// A finder looks for the tip of a shard's manifest: the version after which there
// is none. Whatever it is told but "not found" ends the search: an older version
// must never pass for the tip (hazard 1).
type finder struct {
	objects object.Reader
	at      Location
	policy  Policy

	scans, follows atomic.Int64
}

// A tip is what a search has found.
type tip struct {
	manifest Manifest
	exists   bool   // false: the shard has no manifest
	hinted   uint64 // what the hint said; 0 is nothing
}

// find looks for the tip without knowing anything.
func (f *finder) find(ctx context.Context) (tip, error) {
	f.scans.Add(1)
	hinted, err := f.readHint(ctx)
	if err != nil {
		return tip{}, err
	}
	search := f.scan
	if f.policy.Kind == Probe {
		search = f.probe
	}
	t, err := search(ctx, hinted)
	t.hinted = hinted
	return t, err
}

// readHint returns the hinted version. A hint that is missing or damaged is as
// good as none: 0.
func (f *finder) readHint(ctx context.Context) (uint64, error) {
	hint, err := f.objects.Get(cause.With(ctx, cause.Hint), f.at.HintKey())
	if errors.Is(err, object.ErrAbsent) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return DecodeHint(hint.Body), nil
}

// scan confirms the hinted version, or else the first, and asks for those after
// it until a whole batch is absent (docs/facts/memwal.md §2.1).
func (f *finder) scan(ctx context.Context, hinted uint64) (tip, error) {
	last := max(hinted, 1)
	there, err := f.exists(ctx, last)
	if err == nil && !there && last > 1 {
		last = 1
		there, err = f.exists(ctx, last)
	}
	if err != nil {
		return tip{}, err
	}
	if !there {
		last = 0
	}
	last, err = f.forward(ctx, last)
	if err != nil || last == 0 {
		return tip{}, err
	}
	m, err := f.read(cause.With(ctx, cause.ManifestBody), last)
	return tip{manifest: m, exists: err == nil}, vanished(f.at, last, err)
}

// forward returns the last version that exists, from one that does (or 0) on.
// Versions of one batch are asked for at the same time, so one may be absent below
// one that is there, if it was created meanwhile. The next batch begins with it:
// if it is absent even then there is a gap.
func (f *finder) forward(ctx context.Context, last uint64) (uint64, error) {
	beyond := last
	for size := f.policy.firstBatch(); ; size = f.policy.nextBatch(size) {
		there, err := f.batch(ctx, last+1, size)
		if err != nil {
			return 0, err
		}
		hits := 0
		for hits < size && there[hits] {
			hits++
		}
		if hits == 0 && beyond > last {
			return 0, &GapError{Path: f.at.URL(f.at.ManifestKey(last + 1)), Version: last + 1, Beyond: beyond}
		}
		for i, hit := range there {
			if hit {
				beyond = last + 1 + uint64(i)
			}
		}
		if beyond == last {
			return last, nil
		}
		last += uint64(hits)
	}
}

// batch asks for versions from first on, all at once.
func (f *finder) batch(ctx context.Context, first uint64, size int) ([]bool, error) {
	there := make([]bool, size)
	g := task.NewGroup(ctx, 0)
	for i := range there {
		g.Go(fmt.Sprintf("version %d", first+uint64(i)), func(ctx context.Context) (err error) {
			there[i], err = f.exists(ctx, first+uint64(i))
			return err
		})
	}
	return there, g.Wait()
}

// probe reads the hinted version, or else the first, and follows from there.
func (f *finder) probe(ctx context.Context, hinted uint64) (tip, error) {
	body := cause.With(ctx, cause.ManifestBody)
	from := max(hinted, 1)
	m, err := f.read(body, from)
	if errors.Is(err, object.ErrAbsent) && from > 1 {
		m, err = f.read(body, 1)
	}
	if errors.Is(err, object.ErrAbsent) {
		return tip{}, nil
	}
	if err != nil {
		return tip{}, err
	}
	m, err = f.follow(ctx, m)
	return tip{manifest: m, exists: err == nil}, err
}

// follow looks for the tip from a version on that exists. Since versions have no
// gaps and none is ever deleted, one that is absent proves that the tip is below:
// a single request if from is still the tip. Otherwise the distance is doubled
// until a version is absent, and halved from there. It reads what it asks for, so
// that the last one found need not be asked for again.
func (f *finder) follow(ctx context.Context, from Manifest) (Manifest, error) {
	f.follows.Add(1)
	ctx = cause.With(ctx, cause.Probe)
	last, absent := from.Version, uint64(0) // 0: none is known
	var found object.Object
	for absent == 0 || absent-last > 1 {
		ask := from.Version + max(1, 2*(last-from.Version))
		if absent != 0 {
			ask = last + (absent-last)/2
		}
		o, err := f.objects.Get(ctx, f.at.ManifestKey(ask))
		switch {
		case errors.Is(err, object.ErrAbsent):
			absent = ask
		case err != nil:
			return Manifest{}, err
		default:
			last, found = ask, o
		}
	}
	if last == from.Version {
		return from, nil
	}
	return decodeAt(f.at, last, found.Body)
}

func (f *finder) exists(ctx context.Context, version uint64) (bool, error) {
	return f.objects.Exists(cause.With(ctx, cause.Probe), f.at.ManifestKey(version))
}

func (f *finder) read(ctx context.Context, version uint64) (Manifest, error) {
	o, err := f.objects.Get(ctx, f.at.ManifestKey(version))
	if err != nil {
		return Manifest{}, err
	}
	return decodeAt(f.at, version, o.Body)
}

// vanished is the error of a version that was there a moment ago: it must not
// read as the end of the versions.
func vanished(at Location, version uint64, err error) error {
	if errors.Is(err, object.ErrAbsent) {
		return &DamagedError{Path: at.URL(at.ManifestKey(version)), Reason: "it existed and is gone; a version must never be deleted"}
	}
	return err
}
