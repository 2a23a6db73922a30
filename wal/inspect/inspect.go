package inspect

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/manifest/object"
)

// ErrNoShard reports that there is no shard below the table.
var ErrNoShard = errors.New("no shard")

// Config is what to look at.
type Config struct {
	// Client reads: an S3 client, or a Folder.
	Client object.ReadClient
	Bucket string
	Table  string // as in manifest.Location
	// Name, if not nil, is how messages name an object; otherwise it is its URL.
	Name func(key string) string
	// Versions is how many versions of a manifest are read, the newest ones; at
	// least 1. All are listed.
	Versions int
}

// DefaultConfig reads the newest 100 versions. Client and Bucket are for the caller
// to set.
func DefaultConfig() Config { return Config{Versions: 100} }

// Validate refuses a configuration with nothing to look at.
func (c Config) Validate() error {
	switch {
	case c.Client == nil:
		return fmt.Errorf("%w: no client to read with", manifest.ErrInvalid)
	case c.Versions < 1:
		return fmt.Errorf("%w: %d versions to read; want at least 1", manifest.ErrInvalid, c.Versions)
	}
	return manifest.Location{Bucket: c.Bucket, Table: c.Table}.Validate()
}

// Table looks at all shards of a table. The error is ErrNoShard, or one of the
// service: what is wrong with a shard is in the report.
func Table(ctx context.Context, cfg Config) (Report, error) {
	if cfg.Name == nil {
		cfg.Name = func(key string) string { return object.URL(cfg.Bucket, key) }
	}
	if err := cfg.Validate(); err != nil {
		return Report{}, err
	}
	ids, err := shardIDs(ctx, cfg)
	if err != nil {
		return Report{}, err
	}
	report := Report{Location: cfg.Name(cfg.Table)}
	for _, id := range ids {
		s, err := look(ctx, cfg, id)
		if err != nil {
			return Report{}, err
		}
		report.Shards = append(report.Shards, s)
	}
	return report, nil
}

// shardIDs lists the directories of shards.
func shardIDs(ctx context.Context, cfg Config) ([]manifest.ShardID, error) {
	prefix := manifest.ShardsPrefix(cfg.Table)
	var ids []manifest.ShardID
	objects := object.Reader{Client: cfg.Client, Bucket: cfg.Bucket}
	for l, err := range objects.List(cause.With(ctx, cause.Probe), prefix, "/") {
		if err != nil {
			return nil, err
		}
		if id, err := manifest.ParseShardID(path.Base(l.Key)); err == nil && l.Prefix {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("%w below %s: want a directory named by a UUID there, with manifest/ and wal/ in it", ErrNoShard, cfg.Name(prefix))
	}
	slices.SortFunc(ids, func(a, b manifest.ShardID) int { return slices.Compare(a[:], b[:]) })
	return ids, nil
}

// A shard is one under inspection.
type shard struct {
	Shard
	cfg   Config
	at    manifest.Location
	copy  *snapshot
	tip   manifest.Manifest
	found bool // the tip could be read
}

// look reports everything about one shard.
func look(ctx context.Context, cfg Config, id manifest.ShardID) (Shard, error) {
	s := &shard{cfg: cfg, at: manifest.Location{Bucket: cfg.Bucket, Table: cfg.Table, Shard: id}}
	s.Shard = Shard{ID: id.String(), Generations: []Generation{}, Orphans: []string{}, Foreign: []string{}, Cost: map[string]Cost{}, NewerFields: []string{}, Problems: []string{}}
	var err error
	if s.copy, err = takeSnapshot(ctx, cfg, s.at); err != nil {
		return Shard{}, err
	}
	for _, step := range []func(context.Context) error{s.lookAtManifest, s.lookAtHint, s.lookAtGenerations, s.lookAtWAL, s.lookAtCost} {
		if err := step(ctx); err != nil {
			return Shard{}, err
		}
	}
	return s.Shard, nil
}

// problem notes a problem.
func (s *shard) problem(format string, args ...any) {
	s.Problems = append(s.Problems, fmt.Sprintf(format, args...))
}

// name is how messages name an object.
func (s *shard) name(key string) string { return s.cfg.Name(key) }

// lookAtManifest reads the newest versions, the last of which is the tip.
func (s *shard) lookAtManifest(ctx context.Context) error {
	numbers := s.copy.numbers(s.at.ManifestPrefix(), manifest.ManifestExtension)
	if len(numbers) == 0 {
		s.problem("%s: no version of a manifest", s.name(s.at.ManifestPrefix()))
		return nil
	}
	for i, n := range numbers {
		if want := uint64(i) + 1; n != want {
			s.problem("%s: version %d is missing, while version %d exists: what is beyond the gap may be hidden", s.name(s.at.ManifestKey(want)), want, n)
			break
		}
	}
	for _, n := range numbers[max(0, len(numbers)-s.cfg.Versions):] {
		m, err := s.readVersion(ctx, n)
		if err != nil {
			return err
		}
		if m.Version == numbers[len(numbers)-1] {
			s.tip, s.found = m, true
		}
	}
	s.Version = numbers[len(numbers)-1]
	s.Foreign = s.copy.foreign(s.at)
	if s.found {
		s.describeTip()
	}
	return nil
}

// readVersion reads a version; if it is damaged it is noted and zero.
func (s *shard) readVersion(ctx context.Context, version uint64) (manifest.Manifest, error) {
	key := s.at.ManifestKey(version)
	body, err := s.copy.read(ctx, cause.ManifestBody, key)
	if err != nil {
		return manifest.Manifest{}, err
	}
	m, err := manifest.Decode(s.name(key), body)
	switch {
	case err != nil:
		s.problem("%v", err)
	case m.Version != version || m.Shard != s.at.Shard:
		s.problem("%s is damaged: it says that it is version %d of shard %v", s.name(key), m.Version, m.Shard)
	default:
		return m, nil
	}
	return manifest.Manifest{}, nil
}

func (s *shard) describeTip() {
	m := s.tip
	s.Status, s.WriterEpoch, s.SpecID = m.Status.String(), m.WriterEpoch, m.Spec.ID
	s.ReplayAfter, s.LastSeen, s.CurrentGeneration = m.ReplayAfter, m.LastSeen, m.CurrentGeneration
	for _, g := range m.Generations {
		s.Generations = append(s.Generations, Generation{g.Number, g.Path})
	}
	key := s.name(s.at.ManifestKey(m.Version))
	if m.Status != manifest.Active && m.Status != manifest.Sealed {
		s.problem("%s: unknown %v; want %d (active) or %d (sealed): a newer program wrote it", key, m.Status, manifest.Active, manifest.Sealed)
	}
	for _, n := range m.Repeated() {
		s.problem("%s: it lists generation %d twice: a flush was committed again after its reply was lost; readers take it once", key, n)
	}
	for _, f := range m.NewerFields() {
		s.NewerFields = append(s.NewerFields, fmt.Sprintf("%s: field %d of the %s, %d bytes", key, f.Number, f.Message, f.Bytes))
	}
}

// lookAtHint compares the hint with the tip.
func (s *shard) lookAtHint(ctx context.Context) error {
	key := s.at.HintKey()
	if s.copy.keys[key] {
		body, err := s.copy.read(ctx, cause.Hint, key)
		if err != nil {
			return err
		}
		s.Hint = manifest.DecodeHint(body)
	}
	s.HintState = hintState(s.copy.keys[key], s.Hint, s.Version)
	switch {
	case s.HintState == HintAhead && s.Version > 0:
		s.problem("%s: the hint is version %d, and the newest one is %d: what was beyond is gone", s.name(key), s.Hint, s.Version)
	case s.HintState == HintDamaged:
		s.problem(`%s is damaged: want {"version":%d}; every search begins with version 1 until it is written again`, s.name(key), s.Version)
	}
	return nil
}

// lookAtGenerations compares the directories with what the tip lists.
func (s *shard) lookAtGenerations(context.Context) error {
	if !s.found {
		return nil
	}
	listed := map[string]bool{}
	for _, g := range s.tip.Generations {
		listed[g.Path] = true
		if !s.copy.dirs[g.Path] {
			s.problem("%s: generation %d is missing, though version %d lists it", s.name(s.at.GenerationPrefix(g.Path)), g.Number, s.Version)
		}
	}
	for dir := range s.copy.dirs {
		if strings.Contains(dir, "_gen_") && !listed[dir] {
			s.Orphans = append(s.Orphans, dir)
		}
	}
	slices.Sort(s.Orphans)
	return nil
}
