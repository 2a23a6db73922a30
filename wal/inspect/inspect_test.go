package inspect_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/backendtest"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/wal"
	"github.com/lakebench/lakebench/wal/entry"
	"github.com/lakebench/lakebench/wal/inspect"
)

var shard = manifest.ShardID{0xaa, 0x48, 0x49, 0x8d, 0xac, 0x91, 0x59, 0xe2, 0x84, 0x52, 0x69, 0xf4, 0x60, 0x10, 0xac, 0xe2}

// at is where everything is: the directory of a table has no bucket, and is its
// root.
func at(table string) manifest.Location {
	return manifest.Location{Bucket: "b", Table: table, Shard: shard}
}

// realShard is the shard that the real system wrote (wal/testdata/real/README.md).
func realShard(t *testing.T) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	written := os.DirFS("../testdata/real")
	err := fs.WalkDir(written, "_mem_wal", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(written, name)
		files[name] = &fstest.MapFile{Data: body}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// inFolder looks at the table in a directory.
func inFolder(t *testing.T, files fs.FS) inspect.Shard {
	t.Helper()
	cfg := inspect.DefaultConfig()
	cfg.Client, cfg.Bucket, cfg.Name = inspect.Folder{FS: files}, "b", func(key string) string { return "dir/" + key }
	r, err := inspect.Table(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Shards) != 1 {
		t.Fatalf("%d shards", len(r.Shards))
	}
	return r.Shards[0]
}

// TestRealShard: the shard is what its README says: 7 versions, hint 7, epoch 3,
// current generation 3, 9 entries of which the last three with rows are in no
// generation.
func TestRealShard(t *testing.T) {
	got := inFolder(t, realShard(t))
	want := inspect.Shard{
		ID: shard.String(), Version: 7, Status: "active", WriterEpoch: 3, SpecID: 1, ReplayAfter: 5, LastSeen: 6, CurrentGeneration: 3,
		Generations: []inspect.Generation{{Generation: 1, Path: "71c5733f_gen_1"}, {Generation: 2, Path: "33c30589_gen_2"}},
		Hint:        7, HintState: inspect.HintExact, WALTip: 9, Tail: inspect.Tail{Entries: 4, Sentinels: 1, Rows: 4},
		Orphans: []string{},
		Foreign: []string{}, NewerFields: []string{}, Problems: []string{},
		Cost: got.Cost, // TestCost
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var text bytes.Buffer
	if err := render.Text(&text, inspect.Report{Location: "s3://lake/orders", Shards: []inspect.Shard{got}}.Page(), render.TextOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile("testdata/real.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(golden), "\n"), strings.Split(text.String(), "\n")); diff != "" {
		t.Errorf("(-testdata/real.txt +now):\n%s", diff)
	}
}

// A service is an embedded S3 with a bucket.
type service struct{ *backendtest.Bucket }

func openService(t *testing.T) *service {
	t.Helper()
	return &service{backendtest.OpenBucket(t.Context(), t, backend.DefaultConfig())}
}

// client returns a client of its own, and what counts its requests.
func (s *service) client(t *testing.T) (*s3.Client, *meter.Meter) {
	t.Helper()
	m, err := s.Backend.NewMeter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.Backend.S3(m), m
}

func (s *service) open(ctx context.Context, client *s3.Client, table string, kind manifest.Kind, seed uint64) (*wal.Writer, error) {
	cfg := wal.DefaultConfig()
	cfg.Client, cfg.Policy.Kind, cfg.Random = client, kind, rand.NewPCG(2, seed)
	cfg.Location = manifest.Location{Bucket: s.Name, Table: table, Shard: shard}
	return wal.Open(ctx, cfg)
}

// attempts is how many requests a meter has seen.
func attempts(m *meter.Meter) int { return int(m.Ledger(meter.PhaseSetup).Total().Attempts) }

// states are shards in which something has happened.
func (s *service) states(t *testing.T) map[string]fstest.MapFS {
	t.Helper()
	client, _ := s.client(t)
	states := map[string]fstest.MapFS{"the real one": realShard(t)}
	for i, c := range []struct {
		name           string
		kind           manifest.Kind
		flushes, after int
		closed         bool
	}{
		{"new", manifest.Serialized, 0, 0, true},
		{"three entries", manifest.Serialized, 0, 3, true},
		{"flushed", manifest.Serialized, 3, 0, true},
		{"flushed, and some more", manifest.Serialized, 2, 5, true},
		{"a hint that is behind", manifest.Probe, 9, 2, false},
		{"a long log", manifest.Probe, 1, 70, true},
	} {
		table := fmt.Sprintf("made-%d", i)
		w, err := s.open(t.Context(), client, table, c.kind, uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		add := func() {
			if _, err := w.Append(t.Context(), wal.Row{Key: "k", Value: []byte("v")}); err != nil {
				t.Fatal(err)
			}
		}
		for range c.flushes {
			add()
			if _, err := w.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for range c.after {
			add()
		}
		if c.closed {
			if err := w.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		states[c.name] = s.Files(t, table)
	}
	return states
}

// TestCost: what inspect tells that opening a shard takes is what it takes.
func TestCost(t *testing.T) {
	s := openService(t)
	n := 0
	for name, files := range s.states(t) {
		got := inFolder(t, files)
		if len(got.Problems) > 0 {
			t.Errorf("%s: %v", name, got.Problems)
		}
		for _, kind := range manifest.Kinds() {
			n++
			table := fmt.Sprintf("copy-%d", n)
			s.Load(t, files, table)
			client, m := s.client(t)
			w, err := s.open(t.Context(), client, table, kind, uint64(1000+n))
			if err != nil {
				t.Fatalf("%s, %v: %v", name, kind, err)
			}
			open := attempts(m)
			if _, err := w.Manifest(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := inspect.Cost{Open: open, Read: attempts(m) - open + len(got.Generations)}
			if got.Cost[kind.String()] != want {
				t.Errorf("%s, %v: inspect says %+v, and it takes %+v", name, kind, got.Cost[kind.String()], want)
			}
		}
	}
}

// TestNothingIsWritten: a look asks for lists and objects, and leaves all as it
// was; in a bucket it finds what it finds in a directory.
func TestNothingIsWritten(t *testing.T) {
	s := openService(t)
	files := realShard(t)
	s.Load(t, files, "lake/orders")
	client, m := s.client(t)
	cfg := inspect.DefaultConfig()
	cfg.Client, cfg.Bucket, cfg.Table = client, s.Name, "lake/orders"
	r, err := inspect.Table(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]inspect.Shard{inFolder(t, files)}, r.Shards); diff != "" || r.Location != "s3://"+s.Name+"/lake/orders" {
		t.Errorf("%s (-directory +bucket):\n%s", r.Location, diff)
	}
	asked := map[string]int64{}
	for _, row := range m.Ledger(meter.PhaseSetup).Rows {
		asked[row.API] += row.Attempts
	}
	// The shards, three lists of this one, its 7 versions and the hint, 4 entries.
	if want := map[string]int64{"ListObjectsV2": 4, "GetObject": 12}; !maps.Equal(asked, want) {
		t.Errorf("asked for %v, want %v", asked, want)
	}
	for name, file := range s.Files(t, "lake/orders") {
		if !bytes.Equal(file.Data, files[name].Data) {
			t.Errorf("%s has changed", name)
		}
		delete(files, name)
	}
	if len(files) > 0 {
		t.Errorf("%d files are gone", len(files))
	}
}

// TestProblems: what is wrong is named with its path, and all else is still said.
func TestProblems(t *testing.T) {
	here := at("")
	version := here.ManifestKey
	change := func(files fstest.MapFS, n uint64, to func(*manifest.Manifest)) {
		m, err := manifest.Decode("", files[version(7)].Data)
		if err != nil {
			t.Fatal(err)
		}
		m.Version = n
		to(&m)
		body, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		files[version(n)] = &fstest.MapFile{Data: body}
	}
	add := func(files fstest.MapFS, position uint64, e entry.Entry) {
		body, err := entry.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		files[here.WALKey(position)] = &fstest.MapFile{Data: body}
	}
	for what, c := range map[string]struct {
		spoil func(fstest.MapFS)
		key   string // named by the problem, or "" if it is none
		says  string
		costs bool // it can be opened all the same
	}{
		"a gap in the manifest": {func(f fstest.MapFS) { delete(f, version(4)) }, version(4), "version 4 is missing, while version 5 exists", true},
		"a damaged tip":         {func(f fstest.MapFS) { f[version(7)].Data = f[version(7)].Data[:9] }, version(7), "is damaged", false},
		"a damaged old version": {func(f fstest.MapFS) { f[version(3)].Data = nil }, version(3), "is damaged", true},
		"a version under another's name": {
			func(f fstest.MapFS) { f[version(8)] = f[version(7)] }, version(8), "it says that it is version 7", false,
		},
		"another shard's manifest": {
			func(f fstest.MapFS) { change(f, 7, func(m *manifest.Manifest) { m.Shard[0]++ }) }, version(7), "of shard ab48498d", false,
		},
		"no manifest": {func(f fstest.MapFS) {
			for n := range uint64(7) {
				delete(f, version(n+1))
			}
		}, here.ManifestPrefix(), "no version", false},
		"a damaged hint":    {func(f fstest.MapFS) { f[here.HintKey()].Data = []byte("{") }, here.HintKey(), "is damaged", true},
		"an unknown status": {func(f fstest.MapFS) { change(f, 7, func(m *manifest.Manifest) { m.Status = 5 }) }, version(7), "unknown status 5", false},
		"a newer field": {func(f fstest.MapFS) {
			f[version(7)].Data = append(f[version(7)].Data[:len(f[version(7)].Data):len(f[version(7)].Data)], 0xa0, 1, 9)
		}, "", "", true},
		"a generation listed twice": {
			func(f fstest.MapFS) {
				change(f, 7, func(m *manifest.Manifest) { m.Generations = append(m.Generations, m.Generations[0]) })
			},
			version(7), "lists generation 1 twice", true,
		},
		"a deleted version":    {func(f fstest.MapFS) { f[here.HintKey()].Data = []byte(`{"version":9}`) }, here.HintKey(), "the hint is version 9, and the newest one is 7", true},
		"a foreign file":       {func(f fstest.MapFS) { f[here.ManifestPrefix()+"copy.txt"] = &fstest.MapFile{} }, "", "", true},
		"a sealed shard":       {func(f fstest.MapFS) { change(f, 8, func(m *manifest.Manifest) { m.Status = manifest.Sealed }) }, "", "", false},
		"a gap in the WAL":     {func(f fstest.MapFS) { delete(f, here.WALKey(7)) }, here.WALKey(7), "WAL entry 7 is missing, while entry 8 exists", false},
		"a damaged entry":      {func(f fstest.MapFS) { f[here.WALKey(8)].Data = f[here.WALKey(8)].Data[:700] }, here.WALKey(8), "WAL entry 8", false},
		"an entry of the past": {func(f fstest.MapFS) { delete(f, here.WALKey(2)) }, "", "", true},
		"an entry of a newer epoch": {
			func(f fstest.MapFS) { add(f, 10, entry.Entry{WriterEpoch: 9, Sentinel: true}) }, here.WALKey(10), "is of epoch 9", false,
		},
		"a WAL that is too short": {func(f fstest.MapFS) {
			for p := uint64(6); p <= 9; p++ {
				delete(f, here.WALKey(p))
			}
		}, here.WALKey(6), "version 7 has seen entry 6", false},
		"a generation that is gone": {
			func(f fstest.MapFS) {
				maps.DeleteFunc(f, func(key string, _ *fstest.MapFile) bool { return strings.Contains(key, "33c30589_gen_2") })
			},
			here.GenerationPrefix("33c30589_gen_2"), "generation 2 is missing", true,
		},
		"an orphan": {func(f fstest.MapFS) { f[here.GenerationPrefix("00000000_gen_3")+"data"] = &fstest.MapFile{} }, "", "", true},
	} {
		files := realShard(t)
		c.spoil(files)
		got := inFolder(t, files)
		switch {
		case c.key == "" && len(got.Problems) > 0:
			t.Errorf("%s: %q; want no problem", what, got.Problems)
		case c.key != "" && (len(got.Problems) != 1 || !strings.Contains(got.Problems[0], "dir/"+c.key) || !strings.Contains(got.Problems[0], c.says)):
			t.Errorf("%s: %q; want one problem that names dir/%s and says %q", what, got.Problems, c.key, c.says)
		}
		if costs := len(got.Cost) == len(manifest.Kinds()); costs != c.costs || (got.Unopened == "") != costs {
			t.Errorf("%s: costs %v, not known since %q; want that to be known: %t", what, got.Cost, got.Unopened, c.costs)
		}
		if what == "an orphan" && !cmp.Equal(got.Orphans, []string{"00000000_gen_3"}) {
			t.Errorf("orphans %v", got.Orphans)
		}
		if what == "a foreign file" && !cmp.Equal(got.Foreign, []string{"copy.txt"}) {
			t.Errorf("foreign files %v", got.Foreign)
		}
		if what == "a newer field" && (len(got.NewerFields) != 1 || !strings.Contains(got.NewerFields[0], "dir/"+version(7)+": field 20")) {
			t.Errorf("newer fields %v", got.NewerFields)
		}
	}
}

// TestHints: the hint is compared with the tip.
func TestHints(t *testing.T) {
	key := at("").HintKey()
	for hint, want := range map[string]struct {
		state inspect.HintState
		text  string
	}{
		`{"version":7}`: {inspect.HintExact, "hint 7, exact"}, `{"version":5}`: {inspect.HintBehind, "hint 5, 2 behind"},
		`{"version":9}`: {inspect.HintAhead, "hint 9, 2 ahead"}, "x": {inspect.HintDamaged, "hint damaged"}, "": {inspect.HintMissing, "hint missing"},
	} {
		files := realShard(t)
		files[key].Data = []byte(hint)
		if hint == "" {
			delete(files, key)
		}
		got := inFolder(t, files)
		var text bytes.Buffer
		if err := render.Text(&text, inspect.Report{Shards: []inspect.Shard{got}}.Page(), render.TextOptions{Width: 80}); err != nil {
			t.Fatal(err)
		}
		if got.HintState != want.state || !strings.Contains(text.String(), want.text) {
			t.Errorf("%s is %s in\n%s", hint, got.HintState, text.String())
		}
	}
}

// TestNoShard: a table without shards, or none at all, is said to be one.
func TestNoShard(t *testing.T) {
	for what, files := range map[string]fstest.MapFS{
		"nothing": {}, "a table": {"_versions/1.manifest": &fstest.MapFile{}}, "another directory": {"_mem_wal/x/y": &fstest.MapFile{}},
	} {
		cfg := inspect.DefaultConfig()
		cfg.Client, cfg.Bucket = inspect.Folder{FS: files}, "b"
		if _, err := inspect.Table(t.Context(), cfg); !errors.Is(err, inspect.ErrNoShard) || !strings.Contains(err.Error(), "s3://b/_mem_wal/") {
			t.Errorf("%s: %v, want ErrNoShard", what, err)
		}
	}
	for what, spoil := range map[string]func(*inspect.Config){
		"no client": func(c *inspect.Config) { c.Client = nil }, "no bucket": func(c *inspect.Config) { c.Bucket = "" },
		"no versions": func(c *inspect.Config) { c.Versions = 0 },
	} {
		cfg := inspect.DefaultConfig()
		cfg.Client, cfg.Bucket = inspect.Folder{FS: fstest.MapFS{}}, "b"
		spoil(&cfg)
		if _, err := inspect.Table(t.Context(), cfg); !errors.Is(err, manifest.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", what, err)
		}
	}
}
