package workloads

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
)

// contents identifies a set of keys and values, whatever their order and number:
// it is their count and the sum of their digests. Two sets have one contents if
// and only if they are equal, but for a collision.
type contents struct {
	records int64
	sum     [4]uint64 // modulo 2^256, lowest word first
}

func (c *contents) add(key string, value []byte) {
	h := sha256.New()
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(key))) // so that key and value cannot run into each other
	h.Write(length[:])
	h.Write([]byte(key))
	h.Write(value)
	digest := h.Sum(nil)
	var carry uint64
	for i := range c.sum {
		c.sum[i], carry = bits.Add64(c.sum[i], binary.LittleEndian.Uint64(digest[8*i:]), carry)
	}
	c.records++
}

func (c contents) String() string { return fmt.Sprintf("%d records (%016x…)", c.records, c.sum[3]) }

// contentsOf reads a whole table of either layout, control records left out.
func contentsOf(ctx context.Context, client dynamodb.ScanAPIClient, table string) (contents, error) {
	var c contents
	for err := range scan(ctx, client, table, c.add) {
		return contents{}, err
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
