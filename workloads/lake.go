package workloads

import (
	"iter"
	"strings"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/store/keyspace"
)

// opRefresh is what a reader does to bring its catalog up to date.
const opRefresh = "refresh"

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
