package workloads

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/digest"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
)

// contentsOf reads a whole table of either layout, control records left out.
func contentsOf(ctx context.Context, client dynamodb.ScanAPIClient, table string) (digest.Set, error) {
	var c digest.Set
	for err := range scan(ctx, client, table, c.Add) {
		return digest.Set{}, err
	}
	return c, nil
}

// scan passes every record of a table of either layout to visit, control records
// left out. It yields an error at most.
func scan(ctx context.Context, client dynamodb.ScanAPIClient, table string, visit func(key string, value []byte)) func(yield func(error) bool) {
	return func(yield func(error) bool) {
		strong := true
		pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: &table, ConsistentRead: &strong})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(fmt.Errorf("looking at table %s: %w", table, err))
				return
			}
			for _, raw := range page.Items {
				if bucket, ok := raw[keyspace.AttrBucket].(*types.AttributeValueMemberS); ok && bucket.Value == control.Bucket {
					continue
				}
				entries, err := item.Entries([]map[string]types.AttributeValue{raw})
				if err != nil {
					yield(fmt.Errorf("looking at table %s: %w", table, err))
					return
				}
				visit(entries[0].Key, entries[0].Value)
			}
		}
	}
}
