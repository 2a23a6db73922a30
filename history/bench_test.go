package history

import (
	"testing"
	"time"
)

// A million records beside the tables: finding the instant and listing them.
func BenchmarkMillionRecords(b *testing.B) {
	const n = 1_000_000
	for b.Loop() {
		l := mustNew(b, DefaultConfig().ForRecords(n), 1)
		at, err := l.FirstInstant(n)
		if err != nil {
			b.Fatal(err)
		}
		records := 0
		for range l.Live(at) {
			records++
		}
		if records != n+1000 {
			b.Fatalf("%d records", records)
		}
	}
}

func BenchmarkOps(b *testing.B) {
	cfg := DefaultConfig()
	cfg.CommitsPerSecond, cfg.Retention = 1000, time.Minute
	n := 0
	for range mustNew(b, cfg, 1).Ops(0, Horizon) {
		if n++; n > b.N {
			break
		}
	}
}

func BenchmarkValue(b *testing.B) {
	r := Record{Key: "append-operation/orders_000042/019b76da-8800-7ffb-8000-000000000000", ItemBytes: 300}
	buf := make([]byte, 0, 300)
	b.SetBytes(int64(r.ValueBytes()))
	for b.Loop() {
		buf = AppendValue(buf[:0], 1, r)
		r.Version++
	}
}
