package item

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/store"
)

// ErrUnprocessed reports that the service kept handing items back.
var ErrUnprocessed = errors.New("items left unprocessed")

// A BatchWriter writes batches.
type BatchWriter interface {
	BatchWriteItem(context.Context, *dynamodb.BatchWriteItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error)
}

// LoadConfig is how to load.
type LoadConfig struct {
	Parallel int // batches under way at once
	// Backoff is for what the service hands back as unprocessed. Tries is how often
	// in a row a batch may come back without one item written; a batch that makes
	// progress is sent again without limit.
	Backoff
	Random rand.Source // of the waits; Load locks it
}

// DefaultLoadConfig loads one batch after the other, and gives up after ten answers
// without progress, some six seconds of waiting. Random is for the caller to set.
func DefaultLoadConfig() LoadConfig {
	return LoadConfig{Parallel: 1, Backoff: Backoff{Tries: 10, Base: 50 * time.Millisecond, Max: 5 * time.Second}}
}

// Validate refuses a configuration that loads nothing.
func (c LoadConfig) Validate() error {
	if c.Parallel < 1 || c.Random == nil {
		return fmt.Errorf("%w: load with %d batches at once and random source %v; want at least one batch, and a source", store.ErrInvalid, c.Parallel, c.Random != nil)
	}
	if err := c.Backoff.Validate(); err != nil {
		return fmt.Errorf("%w: load: %w", store.ErrInvalid, err)
	}
	return nil
}

// Loaded counts what Load did.
type Loaded struct {
	Items    int64 // written
	Requests int64 // BatchWriteItem calls
	Returned int64 // items handed back as unprocessed, each time they were
}

// Load writes the items to a table that no one else writes yet, 25 a request and
// without conditions. What the service hands back as unprocessed is sent again until
// it is written or cfg.Tries is used up (hazard 9). Load returns once all items are
// written, or with the first error; what was written then stays. Two items with one key
// in a batch are an error of the service; apart from each other, the last one written
// holds.
func Load(ctx context.Context, client BatchWriter, table string, items iter.Seq[map[string]types.AttributeValue], cfg LoadConfig) (Loaded, error) {
	if err := cfg.Validate(); err != nil {
		return Loaded{}, err
	}
	l := &loader{cfg: cfg, client: client, table: table}
	if err := l.load(ctx, items); err != nil {
		return l.loaded, fmt.Errorf("load table %s: %w", table, err)
	}
	return l.loaded, nil
}

// batches groups the items by the limit of a request. 25 items of at most 400 KB
// are less than its 16 MB.
func batches(items iter.Seq[map[string]types.AttributeValue]) iter.Seq[[]types.WriteRequest] {
	return func(yield func([]types.WriteRequest) bool) {
		var batch []types.WriteRequest
		for item := range items {
			batch = append(batch, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
			if len(batch) < units.MaxBatchWriteItems {
				continue
			}
			if !yield(batch) {
				return
			}
			batch = nil
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}

type loader struct {
	cfg    LoadConfig
	client BatchWriter
	table  string

	mu     sync.Mutex // guards loaded and cfg.Random; never held over a yield
	loaded Loaded
}

// load writes the items, several batches at once, and returns when nothing is
// under way any more. The first failure stops it.
func (l *loader) load(ctx context.Context, items iter.Seq[map[string]types.AttributeValue]) error {
	ctx, cancel := task.WithCancel(ctx)
	defer cancel(context.Canceled)
	group := task.NewGroup(ctx, l.cfg.Parallel)
	for batch := range batches(items) {
		if ctx.Err() != nil {
			break
		}
		group.Go("load "+l.table, func(ctx context.Context) error {
			err := l.write(ctx, batch)
			if err != nil {
				cancel(err)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil || ctx.Err() == nil {
		return err
	}
	return context.Cause(ctx)
}

// write sends a batch until nothing of it is handed back.
func (l *loader) write(ctx context.Context, batch []types.WriteRequest) error {
	for idle := 0; len(batch) > 0; {
		out, err := l.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{l.table: batch},
		})
		if err != nil {
			return err
		}
		left := out.UnprocessedItems[l.table]
		l.count(len(batch)-len(left), len(left))
		if len(left) < len(batch) {
			idle = 0
		}
		if batch = left; len(batch) == 0 {
			break
		}
		if idle++; idle >= l.cfg.Tries {
			return fmt.Errorf("%w: %d of a batch, %d times in a row", ErrUnprocessed, len(batch), idle)
		}
		if err := task.Sleep(ctx, l.wait(idle)); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) count(written, returned int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.loaded.Requests++
	l.loaded.Items += int64(written)
	l.loaded.Returned += int64(returned)
}

// wait returns a random time, which may be twice as long with each idle answer.
func (l *loader) wait(idle int) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cfg.Wait(idle, rand.New(l.cfg.Random).Float64())
}
