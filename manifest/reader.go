package manifest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/manifest/object"
)

// ReaderConfig is what a Reader reads.
type ReaderConfig struct {
	Client   object.ReadClient
	Location Location
	Policy   Policy
}

// Validate refuses a configuration that cannot read.
func (c ReaderConfig) Validate() error {
	if c.Client == nil {
		return fmt.Errorf("%w: no client to read with", ErrInvalid)
	}
	return errors.Join(c.Location.Validate(), c.Policy.Validate())
}

// A Reader reads the manifest of a shard that another process may write. It asks
// storage every time and remembers nothing, so that whoever polls through it is
// never pinned to what it saw first. Any number of tasks may use one.
type Reader struct{ finder *finder }

// NewReader returns a reader. It makes no request.
func NewReader(cfg ReaderConfig) (*Reader, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Reader{newFinder(cfg.Client, cfg.Location, cfg.Policy)}, nil
}

func newFinder(client object.ReadClient, at Location, policy Policy) *finder {
	return &finder{objects: object.Reader{Client: client, Bucket: at.Bucket}, at: at, policy: policy}
}

// Latest looks for the tip and returns it, or ErrNoManifest.
func (r *Reader) Latest(ctx context.Context) (Manifest, error) {
	t, err := r.finder.find(ctx)
	return r.finder.only(t, err)
}

// only returns the manifest of a tip that has to exist.
func (f *finder) only(t tip, err error) (Manifest, error) {
	if err == nil && !t.exists {
		return Manifest{}, fmt.Errorf("%s: %w", f.at.URL(f.at.ManifestPrefix()), ErrNoManifest)
	}
	return t.manifest, err
}

// Version reads one version. If there is none the error is object.ErrAbsent.
func (r *Reader) Version(ctx context.Context, version uint64) (Manifest, error) {
	return r.finder.read(cause.With(ctx, cause.ManifestBody), version)
}

// Versions is what a list of a shard's manifest has.
type Versions struct {
	Numbers []uint64 // in order
	Others  []string // keys that are neither a version's nor the hint's
}

// Gap returns the first version that is missing below one that exists, as a
// *GapError, or nil.
func (v Versions) Gap(at Location) error {
	for i, n := range v.Numbers {
		if want := uint64(i) + 1; n != want {
			return &GapError{Path: at.URL(at.ManifestKey(want)), Version: want, Beyond: n}
		}
	}
	return nil
}

// Versions lists the versions that exist: a request for each thousand objects. The
// list is not of one moment, if there is a commit meanwhile.
func (r *Reader) Versions(ctx context.Context) (Versions, error) {
	var v Versions
	at := r.finder.at
	for l, err := range r.finder.objects.List(cause.With(ctx, cause.Probe), at.ManifestPrefix(), "") {
		if err != nil {
			return Versions{}, err
		}
		if n, ok := Number(strings.TrimPrefix(l.Key, at.ManifestPrefix()), ManifestExtension); ok {
			v.Numbers = append(v.Numbers, n)
		} else if l.Key != at.HintKey() {
			v.Others = append(v.Others, l.Key)
		}
	}
	slices.Sort(v.Numbers)
	return v, nil
}
