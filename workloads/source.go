package workloads

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/history/archive"
	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/store/keyspace"
	"github.com/lakebench/lakebench/store/v1"
)

// A Source is where a workload's records come from when they are not generated:
// a history file, or a table that exists. The zero Source generates.
type Source struct {
	file *archive.File
	// digest is the SHA-256 of the file: what was measured is part of the hash of
	// the workload.
	digest string
	// table is a v1 table that is only read, and found what it holds.
	table string
	found shape
}

// OpenHistory opens a history file and reads it once to the end, so that a
// damaged one is refused before anything runs. progress may be nil.
func OpenHistory(ctx context.Context, fsys fs.FS, name string, progress history.Progress) (Source, error) {
	file, err := archive.Load(ctx, fsys, name, progress)
	if err != nil {
		return Source{}, err
	}
	digest, err := digestFile(fsys, name)
	if err != nil {
		return Source{}, fmt.Errorf("history file: %w", err)
	}
	return Source{file: file, digest: digest}, nil
}

func digestFile(fsys fs.FS, name string) (string, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// given says whether there are records to read, rather than to generate.
func (s Source) given() bool { return s.file != nil || s.table != "" }

// shape is what a file says about the parameters that describe a lake.
type shape struct {
	inside, outside int64 // records under the prefix, and others
	itemBytes       int64 // of all records, on average
}

func (s Source) shape(ctx context.Context, prefix string) (shape, error) {
	if s.table != "" {
		return s.found, nil
	}
	var sh shape
	var bytes int64
	for r, err := range s.file.Records(ctx, nil) {
		if err != nil {
			return shape{}, err
		}
		if strings.HasPrefix(r.Key, prefix) {
			sh.inside++
		} else {
			sh.outside++
		}
		bytes += int64(r.StoredBytes())
	}
	if n := sh.inside + sh.outside; n > 0 {
		sh.itemBytes = (bytes + n/2) / n
	}
	return sh, nil
}

// fix puts what the file says in the place of the parameters that describe a
// generated lake. A user cannot set those: they would say something else than
// what is measured.
func (s Source) fix(ctx context.Context, w *Workload, set map[string]string, prefix string) (map[string]string, error) {
	for _, name := range []string{"tables", "history_records", "item_bytes"} {
		if v, ok := set[name]; ok {
			return nil, &ParamError{w.Name, name, v, "what is measured says what it is; leave it away with --history or an existing table"}
		}
	}
	sh, err := s.shape(ctx, prefix)
	if err != nil {
		return nil, err
	}
	if sh.inside == 0 {
		return nil, &ParamError{w.Name, "prefix", prefix, "no record has a key under it"}
	}
	fixed := map[string]string{
		"tables":          strconv.FormatInt(sh.inside, 10),
		"history_records": strconv.FormatInt(sh.outside, 10),
		"item_bytes":      strconv.FormatInt(sh.itemBytes, 10),
	}
	for name, v := range set {
		fixed[name] = v
	}
	return fixed, nil
}

// generated yields the records of a lake that holds exactly n records beside its
// tables. An error is the only thing yielded.
func generated(tables, n, itemBytes int64, seed uint64) iter.Seq2[history.Record, error] {
	return func(yield func(history.Record, error) bool) {
		cfg := history.DefaultConfig()
		cfg.Tables = int(tables)
		cfg.ItemBytes = int(itemBytes)
		lake, err := history.New(cfg.ForRecords(n), seed)
		if err != nil {
			yield(history.Record{}, err)
			return
		}
		at, err := lake.FirstInstant(n)
		if err != nil {
			yield(history.Record{}, err)
			return
		}
		for r := range lake.Live(at) {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// The catalog of a generated lake (package history), and the lease that some
// workloads give to each of its tables.
const (
	catalogFamily = "tbl"
	catalogPrefix = catalogFamily + "/"
	leaseFamily   = "lease"
	leaseSuffix   = "/writer"
)

// leaseOf is the key of the lease that guards a table.
func leaseOf(table string) string {
	return leaseFamily + "/" + strings.TrimPrefix(table, catalogPrefix) + leaseSuffix
}

func isLease(key string) bool {
	return keyspace.Family(key) == leaseFamily && strings.HasSuffix(key, leaseSuffix)
}

// withLeases adds a lease to each table, of a size as a v1 item.
func withLeases(records iter.Seq2[history.Record, error], itemBytes int64) iter.Seq2[history.Record, error] {
	return func(yield func(history.Record, error) bool) {
		for r, err := range records {
			if !yield(r, err) {
				return
			}
			if keyspace.Family(r.Key) != catalogFamily {
				continue
			}
			if !yield(history.Record{Key: leaseOf(r.Key), ItemBytes: int(itemBytes)}, nil) {
				return
			}
		}
	}
}

// OpenTable looks at a v1 table that exists and is only to be read: it counts
// what is under the prefix and what is not, at the price of one whole scan.
func OpenTable(ctx context.Context, b *backend.Backend, table, prefix string) (Source, error) {
	m, err := b.NewMeter(nil)
	if err != nil {
		return Source{}, err
	}
	cfg := v1.DefaultConfig()
	cfg.Client = b.DynamoDB(m)
	cfg.Table = table
	cfg.PageLimit = 0
	cfg.Random = rand.NewPCG(0, 0) // of the waits of writes, which there are none of
	s, err := v1.Open(ctx, cfg)
	if err != nil {
		return Source{}, b.Classify(err)
	}
	src := Source{table: table}
	var bytes int64
	for entry, err := range s.List(cause.With(ctx, cause.Setup), "") {
		if err != nil {
			return Source{}, b.Classify(err)
		}
		if strings.HasPrefix(entry.Key, prefix) {
			src.found.inside++
		} else {
			src.found.outside++
		}
		bytes += int64(v1.ItemBytes(entry.Key, entry.Value))
	}
	if n := src.found.inside + src.found.outside; n > 0 {
		src.found.itemBytes = (bytes + n/2) / n
	}
	return src, nil
}

// EstimateTable returns at most how many dollars a run of cfg on an existing v1
// table costs, by the size that DynamoDB reports, which it updates every six hours:
// every refresh of every variant and page limit counts as a scan of the whole
// table, and counting its records first is one more.
func EstimateTable(ctx context.Context, b *backend.Backend, table string, cfg Config) (float64, error) {
	m, err := b.NewMeter(nil)
	if err != nil {
		return 0, err
	}
	out, err := b.DynamoDB(m).DescribeTable(cause.With(ctx, cause.Setup), &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		return 0, b.Classify(fmt.Errorf("table %s: %w", table, err))
	}
	items, bytes := aws.ToInt64(out.Table.ItemCount), aws.ToInt64(out.Table.TableSizeBytes)
	itemBytes := (bytes + max(items, 1) - 1) / max(items, 1)
	rru := cost.Drain(items, itemBytes, 0).RRU
	refreshes := cfg.Params.Int("refreshes") + cfg.Params.Int("warmup")
	for _, limit := range cfg.Params["page_limit"] {
		rru += float64(refreshes) * float64(cfg.Repeats) * float64(len(cfg.Variants)) * cost.Drain(items, itemBytes, limit.(int64)).RRU
	}
	return cfg.Prices.DynamoDB(rru, 0), nil
}
