package dynamo

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	smithytime "github.com/aws/smithy-go/time"
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

func (out *writeItemOutput) directUpdate(b *bill) *dynamodb.UpdateItemOutput {
	return &dynamodb.UpdateItemOutput{ConsumedCapacity: b.direct(out.capacity), Attributes: out.attributes.direct()}
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

func (out *createTableOutput) direct(*bill) *dynamodb.CreateTableOutput {
	return &dynamodb.CreateTableOutput{TableDescription: out.tableDescription.direct()}
}

func (out *describeTableOutput) direct(*bill) *dynamodb.DescribeTableOutput {
	return &dynamodb.DescribeTableOutput{Table: out.tableDescription.direct()}
}

func (out *deleteTableOutput) direct(*bill) *dynamodb.DeleteTableOutput {
	return &dynamodb.DeleteTableOutput{TableDescription: out.tableDescription.direct()}
}

func (out *updateTableOutput) direct(*bill) *dynamodb.UpdateTableOutput {
	return &dynamodb.UpdateTableOutput{TableDescription: out.tableDescription.direct()}
}

func (out *listTagsOutput) direct(*bill) *dynamodb.ListTagsOfResourceOutput {
	d := &dynamodb.ListTagsOfResourceOutput{Tags: []types.Tag{}}
	for i := range out.tags {
		d.Tags = append(d.Tags, types.Tag{Key: aws.String(out.tags[i].Key), Value: aws.String(out.tags[i].Value)})
	}
	return d
}

func (out *listTablesOutput) direct(*bill) *dynamodb.ListTablesOutput {
	d := &dynamodb.ListTablesOutput{TableNames: append([]string{}, out.names...)}
	if out.last != "" {
		d.LastEvaluatedTableName = &out.last
	}
	return d
}

func (d *tableDescription) direct() *types.TableDescription {
	created := smithytime.ParseEpochSeconds(float64(d.created.UnixMilli()) / 1000)
	onDemand := smithytime.ParseEpochSeconds(float64(d.onDemand.UnixMilli()) / 1000)
	t := &types.TableDescription{
		TableName:        aws.String(d.name),
		TableStatus:      types.TableStatus(d.status),
		TableArn:         aws.String(d.arn),
		TableId:          aws.String(d.id()),
		CreationDateTime: &created,
		ProvisionedThroughput: &types.ProvisionedThroughputDescription{
			NumberOfDecreasesToday: aws.Int64(0),
			ReadCapacityUnits:      aws.Int64(d.provisioned.read),
			WriteCapacityUnits:     aws.Int64(d.provisioned.write),
		},
		DeletionProtectionEnabled: aws.Bool(false),
		ItemCount:                 aws.Int64(int64(d.items)),
		TableSizeBytes:            aws.Int64(d.bytes),
	}
	if d.provisioned == (throughput{}) {
		t.BillingModeSummary = &types.BillingModeSummary{
			BillingMode: types.BillingModePayPerRequest, LastUpdateToPayPerRequestDateTime: &onDemand,
		}
	}
	roles := [...]types.KeyType{types.KeyTypeHash, types.KeyTypeRange}
	for i, k := range d.keys() {
		t.AttributeDefinitions = append(t.AttributeDefinitions,
			types.AttributeDefinition{AttributeName: aws.String(k.name), AttributeType: types.ScalarAttributeType(k.kind.String())})
		t.KeySchema = append(t.KeySchema, types.KeySchemaElement{AttributeName: aws.String(k.name), KeyType: roles[i]})
	}
	return t
}

// id is the table's UUID, or looks like one.
func (d *tableDescription) id() string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", d.number) }
