package dynamo

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func (out *getItemOutput) direct(b *bill) *dynamodb.GetItemOutput {
	d := &dynamodb.GetItemOutput{ConsumedCapacity: b.direct(out.capacity)}
	if out.found {
		d.Item = out.item.direct()
	}
	return d
}

func (out *writeItemOutput) directPut(b *bill) *dynamodb.PutItemOutput {
	return &dynamodb.PutItemOutput{ConsumedCapacity: b.direct(out.capacity), Attributes: out.attributes.direct()}
}

func (out *writeItemOutput) directDelete(b *bill) *dynamodb.DeleteItemOutput {
	return &dynamodb.DeleteItemOutput{ConsumedCapacity: b.direct(out.capacity), Attributes: out.attributes.direct()}
}

func (out *pageOutput) directQuery(b *bill) *dynamodb.QueryOutput {
	return &dynamodb.QueryOutput{
		Count: int32(out.count), ScannedCount: int32(out.scanned), Items: out.items(),
		LastEvaluatedKey: directItem(out.last), ConsumedCapacity: b.direct(out.capacity),
	}
}

func (out *pageOutput) directScan(b *bill) *dynamodb.ScanOutput {
	return &dynamodb.ScanOutput{
		Count: int32(out.count), ScannedCount: int32(out.scanned), Items: out.items(),
		LastEvaluatedKey: directItem(out.last), ConsumedCapacity: b.direct(out.capacity),
	}
}

func (out *pageOutput) items() []map[string]types.AttributeValue {
	if out.countOnly {
		return nil
	}
	items := make([]map[string]types.AttributeValue, out.count)
	for i := range items {
		if out.projected != nil {
			items[i] = directItem(out.projected[i])
			continue
		}
		item := stored{out.schema, out.rows[i]}
		items[i] = item.direct()
	}
	return items
}

func (out *batchGetOutput) direct(b *bill) *dynamodb.BatchGetItemOutput {
	d := &dynamodb.BatchGetItemOutput{
		Responses:        make(map[string][]map[string]types.AttributeValue, len(out.tables)),
		UnprocessedKeys:  make(map[string]types.KeysAndAttributes, len(out.unprocessed)),
		ConsumedCapacity: b.directAll(out.capacity, false),
	}
	for i := range out.tables {
		t := &out.tables[i]
		items := make([]map[string]types.AttributeValue, len(t.items))
		for j := range t.items {
			items[j] = t.items[j].direct()
		}
		d.Responses[t.name] = items
	}
	for _, t := range out.unprocessed {
		d.UnprocessedKeys[t.name] = t.direct()
	}
	return d
}

// direct is the table's part of a request again, for the next one.
func (t *batchGetTable) direct() types.KeysAndAttributes {
	k := types.KeysAndAttributes{ProjectionExpression: t.projection}
	for _, key := range t.keys {
		k.Keys = append(k.Keys, directItem(key))
	}
	if t.consistent {
		k.ConsistentRead = aws.Bool(true)
	}
	if t.names != nil {
		k.ExpressionAttributeNames = make(map[string]string, len(t.names))
		for _, n := range t.names {
			k.ExpressionAttributeNames[n.Placeholder] = n.Attribute
		}
	}
	return k
}

func (out *batchWriteOutput) direct(b *bill) *dynamodb.BatchWriteItemOutput {
	d := &dynamodb.BatchWriteItemOutput{
		UnprocessedItems: map[string][]types.WriteRequest{},
		ConsumedCapacity: b.directAll(out.capacity, false),
	}
	for _, w := range out.unprocessed {
		d.UnprocessedItems[w.table] = append(d.UnprocessedItems[w.table], w.direct())
	}
	return d
}

func (w *batchWrite) direct() types.WriteRequest {
	if w.put {
		return types.WriteRequest{PutRequest: &types.PutRequest{Item: directItem(w.item)}}
	}
	return types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: directItem(w.key)}}
}

func (out *transactGetOutput) direct(b *bill) *dynamodb.TransactGetItemsOutput {
	d := &dynamodb.TransactGetItemsOutput{
		Responses:        make([]types.ItemResponse, len(out.items)),
		ConsumedCapacity: b.directAll(out.capacity, true),
	}
	for i := range out.items {
		d.Responses[i].Item = out.items[i].direct()
	}
	return d
}

func (out *transactWriteOutput) direct(b *bill) *dynamodb.TransactWriteItemsOutput {
	return &dynamodb.TransactWriteItemsOutput{ConsumedCapacity: b.directAll(out.capacity, true)}
}

// direct is the ConsumedCapacity of an operation on one table.
func (b *bill) direct(mode capacityMode) *types.ConsumedCapacity {
	if mode == capacityNone || len(b.Tables) == 0 {
		return nil
	}
	c := b.Tables[0].direct(mode, false)
	return &c
}

// directAll is that of an operation on several.
func (b *bill) directAll(mode capacityMode, transactional bool) []types.ConsumedCapacity {
	if mode == capacityNone {
		return nil
	}
	all := make([]types.ConsumedCapacity, len(b.Tables))
	for i := range b.Tables {
		all[i] = b.Tables[i].direct(mode, transactional)
	}
	return all
}

func (u *TableUsage) direct(mode capacityMode, transactional bool) types.ConsumedCapacity {
	c := types.ConsumedCapacity{TableName: aws.String(u.Table), CapacityUnits: aws.Float64(u.RRU + u.WRU)}
	if transactional && u.RRU > 0 {
		c.ReadCapacityUnits = aws.Float64(u.RRU)
	}
	if transactional && u.WRU > 0 {
		c.WriteCapacityUnits = aws.Float64(u.WRU)
	}
	if mode == capacityIndexes {
		c.Table = &types.Capacity{
			CapacityUnits: c.CapacityUnits, ReadCapacityUnits: c.ReadCapacityUnits, WriteCapacityUnits: c.WriteCapacityUnits,
		}
	}
	return c
}
