package manifest

import (
	"fmt"
	"strings"
)

// A Kind is what a policy is about (docs/spec/shard-manifest.md §2).
type Kind int

// The kinds. Each does what the one before does, and more.
const (
	// Scan looks for the tip on every read.
	Scan Kind = iota
	// Serve serves the manifest that the store wrote itself last, until a commit
	// collides.
	Serve
	// Serialized is Serve, and the commits of one store pass the position on under
	// a lock, so that they do not collide with each other.
	Serialized
	// Probe is Serialized, and a position that is held, or hinted, is where a look
	// at storage begins; the hint is written once in a while.
	Probe
)

var kindNames = []string{"scan", "serve", "serialized", "probe"}

// Kinds returns all of them, in order.
func Kinds() []Kind { return []Kind{Scan, Serve, Serialized, Probe} }

func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindNames[k]
}

// Serves reports whether reads and commits begin with the version that the store
// holds; else each looks for the newest one.
func (k Kind) Serves() bool { return k >= Serve }

// Probes reports whether a look at storage begins with the version that is held or
// hinted, and the hint is written once in a while.
func (k Kind) Probes() bool { return k == Probe }

// ParseKind reads what String writes.
func ParseKind(name string) (Kind, error) {
	for k, known := range kindNames {
		if name == known {
			return Kind(k), nil
		}
	}
	return 0, fmt.Errorf("%w: policy %q: want %s", ErrInvalid, name, strings.Join(kindNames, ", "))
}

// Adaptive is a scan batch that begins with 2 versions and doubles, up to 64, as
// long as it finds some.
const Adaptive = 0

const (
	adaptiveFirst = 2
	adaptiveLast  = 64
	// maxBatch is how many requests at once are sensible.
	maxBatch = 1024
)

// A Policy is what a store asks of storage.
type Policy struct {
	Kind Kind
	// ScanBatch is how many versions a scan asks for at once, or Adaptive. Probe
	// does not use it.
	ScanBatch int
	// HintEvery is how many versions the hint may lag behind under Probe, at least
	// 1. The other kinds write it with every version.
	HintEvery uint64
}

// DefaultPolicy is Serialized, batches of 2, and a hint for every 16th version.
func DefaultPolicy() Policy { return Policy{Kind: Serialized, ScanBatch: 2, HintEvery: 16} }

// Validate refuses what no store can do.
func (p Policy) Validate() error {
	switch {
	case p.Kind < Scan || p.Kind > Probe:
		return fmt.Errorf("%w: policy %v", ErrInvalid, p.Kind)
	case p.ScanBatch < 0 || p.ScanBatch > maxBatch:
		return fmt.Errorf("%w: scan batch of %d; want 1 to %d, or %d for adaptive", ErrInvalid, p.ScanBatch, maxBatch, Adaptive)
	case p.HintEvery < 1:
		return fmt.Errorf("%w: a hint for every %d versions; want at least 1", ErrInvalid, p.HintEvery)
	}
	return nil
}

// firstBatch and nextBatch are the sizes of a scan's batches.
func (p Policy) firstBatch() int {
	if p.ScanBatch == Adaptive {
		return adaptiveFirst
	}
	return p.ScanBatch
}

func (p Policy) nextBatch(last int) int {
	if p.ScanBatch == Adaptive {
		return min(2*last, adaptiveLast)
	}
	return p.ScanBatch
}
