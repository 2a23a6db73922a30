package workloads

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/manifest/object"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/run/load"
	"github.com/lakebench/lakebench/wal"
	"github.com/lakebench/lakebench/wal/base"
)

// variantServeCursor is the change as it was before its tailer wrote nothing any
// more (docs/spec/results.md §2).
const variantServeCursor = "serve-cursor"

// policyVariants are the policies of docs/spec/shard-manifest.md §2.
func policyVariants() []run.Variant {
	return []run.Variant{
		{Name: manifest.Scan.String(), Doc: "before the change: every read of the manifest looks for its newest version"},
		{Name: manifest.Serve.String(), Doc: "the change: the store that wrote a version serves it"},
		{Name: manifest.Serialized.String(), Doc: "the same, and commits of one handle pass the version on under a lock"},
		{Name: manifest.Probe.String(), Doc: "beyond it: a known version is one request from the newest, and the hint is written now and then"},
	}
}

// The policies as headlines name them.
const (
	scanBefore       = "scan (before the change)"
	serveAfter       = "serve (after the change)"
	policySerialized = "serialized"
	policyProbe      = "probe"
)

// policyParams are the parameters of the policies.
func policyParams() []run.Param {
	return []run.Param{
		{
			Name: "scan_batch", Kind: run.Choice, Choices: []string{"1", "2", "4", "8", "16", "adaptive"}, Default: "2",
			Doc: "versions that a scan asks for at once; adaptive begins with 2 and doubles",
		},
		{Name: "hint_every", Kind: run.Integer, Min: 1, Max: 1_000_000, Default: "16", Doc: "versions that the hint may lag behind under probe"},
	}
}

// A shardSite is a point at which shards of a WAL are measured.
type shardSite struct {
	*run.Site
	bucket string
	found  run.CheckList
}

func newShardSite(ctx context.Context, s *run.Site) (*shardSite, error) {
	bucket, err := s.Backend.Bucket(ctx)
	return &shardSite{Site: s, bucket: bucket}, err
}

// Checks implements run.Subject.
func (s *shardSite) Checks(context.Context) ([]results.Check, error) { return s.found.All(), nil }

// policy is that of a variant.
func (s *shardSite) policy(variant string) (manifest.Policy, error) {
	if variant == variantServeCursor {
		variant = manifest.Serve.String()
	}
	kind, err := manifest.ParseKind(variant)
	p := manifest.Policy{Kind: kind, HintEvery: uint64(s.Config.Params.Int("hint_every"))}
	if batch := s.Config.Params.Word("scan_batch"); batch != "adaptive" && err == nil {
		p.ScanBatch, err = strconv.Atoi(batch) // adaptive is 0
	}
	return p, err
}

// A measuredShard is a shard of its own for what is measured.
type measuredShard struct {
	*shardSite
	recorder *run.Recorder
	client   wal.Client
	location manifest.Location
	name     string
	policy   manifest.Policy
}

// newShard makes a shard and its base table. What is done under ctx is set-up.
func (s *shardSite) newShard(ctx context.Context, r *run.Recorder) (*measuredShard, error) {
	name := fmt.Sprintf("%d-%s-%d-%d", s.Number, r.Variant, r.Repeat, r.Next())
	id := sha256.Sum256([]byte(name))
	m := &measuredShard{
		shardSite: s, recorder: r, name: name,
		client: faultyAfterSetup{whole: s.Backend.S3(r.Meter), faulty: s.Backend.S3Under(r.Meter, s.Faults)},
		location: manifest.Location{
			Bucket: s.bucket, Table: s.Backend.KeyPrefix() + name, Shard: manifest.ShardID(id[:16]),
		},
	}
	var err error
	if m.policy, err = s.policy(r.Variant); err != nil {
		return nil, err
	}
	w, err := m.objects("base")
	if err != nil {
		return nil, err
	}
	table := base.Table{Objects: w.Reader, Dir: m.location.Table}
	return m, table.Create(ctx, w, rand.New(s.Random(name+" base names")))
}

// objects returns what reads and writes objects of the shard by themselves.
func (m *measuredShard) objects(user string) (*object.Writer, error) {
	return object.NewWriter(object.Config{
		Client: m.client, Bucket: m.bucket, Backoff: object.DefaultBackoff(), Random: m.Random(m.name + " " + user),
	})
}

// config is that of a writer, whose name must be another than that of all others.
func (m *measuredShard) config(user string) wal.Config {
	cfg := wal.DefaultConfig()
	cfg.Client, cfg.Location, cfg.Policy = m.client, m.location, m.policy
	cfg.Random = m.Random(m.name + " " + user)
	cfg.CursorPerEntry = m.recorder.Variant == variantServeCursor
	return cfg
}

// store opens a store of the shard's manifest.
func (m *measuredShard) store(user string) (*manifest.Store, error) {
	cfg := manifest.DefaultConfig()
	cfg.Client, cfg.Location, cfg.Policy = m.client, m.location, m.policy
	cfg.Random = m.Random(m.name + " " + user)
	return manifest.NewStore(cfg)
}

// lagHint makes the hint lag n versions behind the manifest, and the
// manifest long enough for it, on behalf of the writer of an epoch. What is done
// under ctx is set-up.
func (m *measuredShard) lagHint(ctx context.Context, epoch uint64, lag int64) error {
	store, err := m.store("hint")
	if err != nil {
		return err
	}
	tip, err := store.RefreshLatest(ctx)
	for err == nil && tip.Version <= uint64(lag) {
		tip, err = store.CommitUpdate(ctx, epoch, func(t manifest.Manifest) (manifest.Manifest, error) { return t.Next(), nil })
	}
	if err != nil {
		return err
	}
	w, err := m.objects("hint itself")
	if err != nil {
		return err
	}
	return w.Put(ctx, m.location.HintKey(), fmt.Appendf(nil, `{"version":%d}`, tip.Version-uint64(lag)))
}

// once runs one operation of the recorder's steady phase.
func (m *measuredShard) once(ctx context.Context, name string, do func(context.Context) error) error {
	return m.recorder.Loop(ctx, meter.PhaseSteady, load.Closed{Clients: 1, Operations: 1}, func(load.Start) run.Operation {
		return run.Operation{Name: name, Do: do}
	})
}

// spent is how many requests the steady phase has made so far.
func spent(r *run.Recorder) int64 {
	return r.Meter.Ledger(meter.PhaseSteady).Without(cause.Setup).Total().Attempts
}

// rowsOf makes rows of 100 bytes or so, from a number on.
func rowsOf(from, n int) []wal.Row {
	rows := make([]wal.Row, n)
	for i := range rows {
		rows[i] = wal.Row{Key: fmt.Sprintf("key-%08d", from+i), Value: fmt.Appendf(nil, "%088d", from+i)}
	}
	return rows
}

// The checks of all workloads on shards.
const (
	checkRows     = "what was acknowledged is what is read"
	checkFormulas = "requests are those of the formulas"
)

// compareRows books whether rows are those that were acknowledged.
func (s *shardSite) compareRows(r *run.Recorder, got []wal.Row, want int) {
	c := results.Check{Name: checkRows, Status: results.Passed, Detail: "every row, with the value that it was given last"}
	switch {
	case s.Faults != nil:
		c.Status, c.Detail = results.Skipped, "with faults, some appends are not acknowledged"
	case len(got) != want:
		c.Status = results.Failed
		c.Detail = fmt.Sprintf("%s at %s: %d rows, expected %d", r.Variant, run.PointText(s.Point), len(got), want)
	}
	s.found.Add(c)
}

// A formula is how many requests an operation makes by the specification.
type formula struct {
	what        string
	least, most int64
}

// compareFormula books whether requests are as many as a formula says
// (docs/spec/shard-manifest.md §5).
func (s *shardSite) compareFormula(r *run.Recorder, got int64, f formula) {
	c := results.Check{Name: checkFormulas, Status: results.Passed, Detail: "those of docs/spec/shard-manifest.md §5, at every point and in every repeat"}
	switch {
	case s.Faults != nil:
		c.Status, c.Detail = results.Skipped, "faults add requests"
	case s.Config.Params.Word("scan_batch") != "2":
		c.Status, c.Detail = results.Skipped, "the formulas are for scan_batch=2"
	case got < f.least || got > f.most:
		c.Status = results.Failed
		c.Detail = fmt.Sprintf("%s at %s: %s made %d requests, expected %s", r.Variant, run.PointText(s.Point), f.what, got, f.expected())
	}
	s.found.Add(c)
}

func (f formula) expected() string {
	if f.least == f.most {
		return fmt.Sprint(f.most)
	}
	return fmt.Sprintf("%d to %d", f.least, f.most)
}

// exactly is the formula of a count that is known.
func exactly(what string, n int64) formula { return formula{what, n, n} }

// faultyAfterSetup is a client whose requests fail by the run's rules, but for those of
// setting up.
type faultyAfterSetup struct{ whole, faulty *s3.Client }

func (c faultyAfterSetup) of(ctx context.Context) *s3.Client {
	if cause.From(ctx) == cause.Setup {
		return c.whole
	}
	return c.faulty
}

// GetObject implements wal.Client.
func (c faultyAfterSetup) GetObject(ctx context.Context, in *s3.GetObjectInput, o ...func(*s3.Options)) (*s3.GetObjectOutput, error) {
	return c.of(ctx).GetObject(ctx, in, o...)
}

// HeadObject implements wal.Client.
func (c faultyAfterSetup) HeadObject(ctx context.Context, in *s3.HeadObjectInput, o ...func(*s3.Options)) (*s3.HeadObjectOutput, error) {
	return c.of(ctx).HeadObject(ctx, in, o...)
}

// PutObject implements wal.Client.
func (c faultyAfterSetup) PutObject(ctx context.Context, in *s3.PutObjectInput, o ...func(*s3.Options)) (*s3.PutObjectOutput, error) {
	return c.of(ctx).PutObject(ctx, in, o...)
}

// ListObjectsV2 implements wal.Client.
func (c faultyAfterSetup) ListObjectsV2(ctx context.Context, in *s3.ListObjectsV2Input, o ...func(*s3.Options)) (*s3.ListObjectsV2Output, error) {
	return c.of(ctx).ListObjectsV2(ctx, in, o...)
}

// DeleteObject implements wal.Client.
func (c faultyAfterSetup) DeleteObject(ctx context.Context, in *s3.DeleteObjectInput, o ...func(*s3.Options)) (*s3.DeleteObjectOutput, error) {
	return c.of(ctx).DeleteObject(ctx, in, o...)
}

// tolerableCommit are outcomes of commits that are counted and no reason to stop:
// one that others have outrun ten times.
func tolerableCommit(err error) bool { return errors.Is(err, manifest.ErrExhausted) }
