package wal_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/wal"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A process that does not hold the shard reads its manifest, the rows that were
// flushed, and the log behind them.
func Example_otherProcess() {
	ctx := context.Background()
	services := must(backend.Open(ctx, backend.DefaultConfig()))
	client := services.S3(must(services.NewMeter(nil)))
	cfg := wal.DefaultConfig()
	cfg.Client, cfg.Random = client, rand.NewPCG(1, 1)
	cfg.Location = manifest.Location{Bucket: must(services.Bucket(ctx)), Table: "lake/orders", Shard: shard}
	w := must(wal.Open(ctx, cfg))
	must(w.Append(ctx, wal.Row{Key: "a", Value: []byte("1")}))
	must(w.Flush(ctx))
	must(w.Append(ctx, wal.Row{Key: "b", Value: []byte("2")}))

	manifests := must(manifest.NewReader(manifest.ReaderConfig{Client: client, Location: cfg.Location, Policy: cfg.Policy}))
	fmt.Println("generations:", len(must(manifests.Latest(ctx)).Generations))

	other := wal.ReaderConfig{Client: client, Location: cfg.Location, Policy: cfg.Policy}
	fmt.Println("flushed:", text(must(must(wal.NewReader(other)).Scan(ctx))))

	tailer := must(wal.NewTailer(other))
	end := must(tailer.Next(ctx))
	fmt.Println("last in the log:", text(must(tailer.Read(ctx, end-1)).Rows))
	// Output:
	// generations: 1
	// flushed: a=1
	// last in the log: b=2
}
