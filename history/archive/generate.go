package archive

import (
	"context"
	"time"

	"github.com/lakebench/lakebench/history"
)

// GenerateConfig says which live set of which lake goes into a file.
type GenerateConfig struct {
	Lake history.Config
	Seed uint64
	// Records is the exact number of records beside the tables: the file holds
	// the first instant that has it. Lake.ForRecords gives a rate that reaches it.
	// If it is negative, the file holds the instant At.
	Records int64
	At      time.Duration
	// Path is where the file goes; gzip if it ends in .gz.
	Path string
	// Progress, if not nil, counts records.
	Progress history.Progress
}

// Generate writes the live set of a lake to a file: the same bytes for the same
// configuration and seed. On an error, or if ctx ends, there is no file.
func Generate(ctx context.Context, cfg GenerateConfig) (Header, error) {
	lake, err := history.New(cfg.Lake, cfg.Seed)
	if err != nil {
		return Header{}, err
	}
	at, total := cfg.At, int64(0)
	if cfg.Records >= 0 {
		if at, err = lake.FirstInstant(cfg.Records); err != nil {
			return Header{}, err
		}
		total = cfg.Records + int64(cfg.Lake.Tables)
	}
	w, err := Create(cfg.Path)
	if err != nil {
		return Header{}, err
	}
	defer w.Discard()
	for r := range lake.Live(at) {
		if w.records%reportEvery == 0 {
			if cfg.Progress != nil {
				cfg.Progress(w.records, total)
			}
			if ctx.Err() != nil {
				return Header{}, context.Cause(ctx)
			}
		}
		if err := w.Append(r); err != nil {
			return Header{}, err
		}
	}
	if cfg.Progress != nil {
		cfg.Progress(w.records, w.records)
	}
	return w.Commit(Source{Kind: KindGenerated, Generator: &Generator{
		Version: history.Version, Seed: cfg.Seed, At: at, Config: cfg.Lake,
	}})
}
