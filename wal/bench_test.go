package wal_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/wal"
)

// benchPolicies are the ones between which a benchmark's time could differ.
func benchPolicies() []manifest.Kind { return []manifest.Kind{manifest.Serialized, manifest.Probe} }

// BenchmarkAppend: acknowledged appends through the SDK's client in memory, each of
// a row of 100 bytes, by so many tasks that share entries as they come. The target
// is 3,000 a second with group commit on one core.
func BenchmarkAppend(b *testing.B) {
	for _, clients := range []int{1, 16} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			s := openService(b)
			ctx := b.Context()
			w, err := wal.Open(ctx, s.config(manifest.Serialized, s.SDK()))
			if err != nil {
				b.Fatal(err)
			}
			value := string(make([]byte, 100))
			b.ResetTimer()
			g := task.NewGroup(ctx, 0)
			for c := range clients {
				g.Go(fmt.Sprintf("client %d", c), func(ctx context.Context) error {
					for i := c; i < b.N; i += clients {
						if _, err := w.Append(ctx, row(fmt.Sprintf("key-%d", i), value)); err != nil {
							return err
						}
					}
					return nil
				})
			}
			if err := g.Wait(); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "entries/s")
		})
	}
}

// BenchmarkReplay: opening a shard with 1,000 entries that no generation holds. The
// target is a second.
func BenchmarkReplay(b *testing.B) {
	for _, kind := range benchPolicies() {
		b.Run(kind.String(), func(b *testing.B) {
			s := openService(b)
			ctx := b.Context()
			w := s.open(ctx, b, kind)
			for i := range 1000 {
				mustAppend(ctx, b, w, row(fmt.Sprintf("key-%d", i), "value"))
			}
			if err := w.Close(ctx); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for range b.N {
				if _, err := wal.Open(ctx, s.config(kind, s.SDK())); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
