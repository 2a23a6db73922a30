package inspect

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/manifest/object"
)

// A snapshot is a shard as lists have shown it. Bodies are read when they are asked
// for, once.
type snapshot struct {
	objects object.Reader
	keys    map[string]bool // of manifest and WAL
	dirs    map[string]bool // below the shard

	mu     sync.Mutex        // never held over a request
	bodies map[string][]byte // of those that were read
}

func takeSnapshot(ctx context.Context, cfg Config, at manifest.Location) (*snapshot, error) {
	s := &snapshot{
		objects: object.Reader{Client: cfg.Client, Bucket: cfg.Bucket},
		keys:    map[string]bool{}, bodies: map[string][]byte{}, dirs: map[string]bool{},
	}
	for _, part := range []struct {
		label             cause.Label
		prefix, delimiter string
	}{{cause.Data, at.Prefix(), "/"}, {cause.Probe, at.ManifestPrefix(), ""}, {cause.WAL, at.WALPrefix(), ""}} {
		for l, err := range s.objects.List(cause.With(ctx, part.label), part.prefix, part.delimiter) {
			if err != nil {
				return nil, err
			}
			if l.Prefix {
				s.dirs[path.Base(l.Key)] = true
			} else {
				s.keys[l.Key] = true
			}
		}
	}
	return s, nil
}

// numbers returns the numbers of the objects below a prefix, in order.
func (s *snapshot) numbers(prefix, extension string) []uint64 {
	var numbers []uint64
	for key := range s.keys {
		name, ok := strings.CutPrefix(key, prefix)
		if n, numbered := manifest.Number(name, extension); ok && numbered {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers
}

// foreign returns the names of objects beside the manifest's versions that are neither
// a version nor the hint, sorted.
func (s *snapshot) foreign(at manifest.Location) []string {
	names := []string{}
	for key := range s.keys {
		name, ok := strings.CutPrefix(key, at.ManifestPrefix())
		if _, version := manifest.Number(name, manifest.ManifestExtension); ok && !version && key != at.HintKey() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// read returns the body of an object.
func (s *snapshot) read(ctx context.Context, label cause.Label, key string) ([]byte, error) {
	s.mu.Lock()
	body, ok := s.bodies[key]
	s.mu.Unlock()
	if ok {
		return body, nil
	}
	o, err := s.objects.Get(cause.With(ctx, label), key)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bodies[key] = o.Body
	return o.Body, nil
}
