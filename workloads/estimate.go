package workloads

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/run"
)

// OpenTable is run.OpenTable for a run of cfg on an existing v1 table, once its cost is
// agreed to: looking at the table is a whole scan already.
func OpenTable(ctx context.Context, b *backend.Backend, table string, cfg run.Config, consent run.Consent) (run.Source, error) {
	usd, err := estimateTable(ctx, b, table, cfg)
	if err != nil {
		return run.Source{}, err
	}
	if err := consent.Ask(usd); err != nil {
		return run.Source{}, err
	}
	return run.OpenTable(ctx, b, table, cfg.Params.Word("prefix"))
}

// estimateTable returns at most how many dollars a run of cfg on an existing v1
// table costs, by the size that DynamoDB reports, which it updates every six hours:
// every refresh of every variant and page limit counts as a scan of the whole
// table, and counting its records first is one more.
func estimateTable(ctx context.Context, b *backend.Backend, table string, cfg run.Config) (float64, error) {
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
