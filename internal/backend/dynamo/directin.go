package dynamo

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func getItemIn(c *inbound, from *dynamodb.GetItemInput, to *getItemInput) {
	c.legacy("AttributesToGet", from.AttributesToGet != nil)
	to.itemParams = c.itemParams(from.TableName, from.ReturnConsumedCapacity, from.ExpressionAttributeNames, nil)
	to.key = c.item(from.Key)
	to.consistent = aws.ToBool(from.ConsistentRead)
	to.projection = text(from.ProjectionExpression)
}

func putItemIn(c *inbound, from *dynamodb.PutItemInput, to *putItemInput) {
	c.legacy("Expected", from.Expected != nil)
	c.legacy("ConditionalOperator", from.ConditionalOperator != "")
	to.writeParams = writeParams{
		itemParams:      c.itemParams(from.TableName, from.ReturnConsumedCapacity, from.ExpressionAttributeNames, from.ExpressionAttributeValues),
		condition:       text(from.ConditionExpression),
		returnValues:    string(from.ReturnValues),
		returnOnFailure: string(from.ReturnValuesOnConditionCheckFailure),
	}
	to.item = c.item(from.Item)
}

func deleteItemIn(c *inbound, from *dynamodb.DeleteItemInput, to *deleteItemInput) {
	c.legacy("Expected", from.Expected != nil)
	c.legacy("ConditionalOperator", from.ConditionalOperator != "")
	to.writeParams = writeParams{
		itemParams:      c.itemParams(from.TableName, from.ReturnConsumedCapacity, from.ExpressionAttributeNames, from.ExpressionAttributeValues),
		condition:       text(from.ConditionExpression),
		returnValues:    string(from.ReturnValues),
		returnOnFailure: string(from.ReturnValuesOnConditionCheckFailure),
	}
	to.key = c.item(from.Key)
}

func (c *inbound) itemParams(table *string, capacity types.ReturnConsumedCapacity,
	names map[string]string, values map[string]types.AttributeValue,
) itemParams {
	return itemParams{placeholders: c.placeholders(names, values), table: aws.ToString(table), capacity: c.capacity(capacity)}
}

func queryIn(c *inbound, from *dynamodb.QueryInput, to *queryInput) {
	c.legacy("AttributesToGet", from.AttributesToGet != nil)
	c.legacy("KeyConditions", from.KeyConditions != nil)
	c.legacy("QueryFilter", from.QueryFilter != nil)
	c.legacy("ConditionalOperator", from.ConditionalOperator != "")
	to.pageParams = pageParams{
		itemParams: c.itemParams(from.TableName, from.ReturnConsumedCapacity, from.ExpressionAttributeNames, from.ExpressionAttributeValues),
		filter:     text(from.FilterExpression),
		projection: text(from.ProjectionExpression),
		selects:    string(from.Select),
		limit:      wide(from.Limit),
		start:      c.item(from.ExclusiveStartKey),
		consistent: aws.ToBool(from.ConsistentRead),
		index:      aws.ToString(from.IndexName),
	}
	to.keyCondition = text(from.KeyConditionExpression)
	to.forward = from.ScanIndexForward
}

func scanIn(c *inbound, from *dynamodb.ScanInput, to *scanInput) {
	c.legacy("AttributesToGet", from.AttributesToGet != nil)
	c.legacy("ScanFilter", from.ScanFilter != nil)
	c.legacy("ConditionalOperator", from.ConditionalOperator != "")
	to.pageParams = pageParams{
		itemParams: c.itemParams(from.TableName, from.ReturnConsumedCapacity, from.ExpressionAttributeNames, from.ExpressionAttributeValues),
		filter:     text(from.FilterExpression),
		projection: text(from.ProjectionExpression),
		selects:    string(from.Select),
		limit:      wide(from.Limit),
		start:      c.item(from.ExclusiveStartKey),
		consistent: aws.ToBool(from.ConsistentRead),
		index:      aws.ToString(from.IndexName),
	}
	to.segment, to.segments = wide(from.Segment), wide(from.TotalSegments)
}

func wide(n *int32) *int64 {
	if n == nil {
		return nil
	}
	w := int64(*n)
	return &w
}

func batchGetIn(c *inbound, from *dynamodb.BatchGetItemInput, to *batchGetInput) {
	to.capacity = c.capacity(from.ReturnConsumedCapacity)
	for _, name := range tablesIn(from.RequestItems) {
		of := from.RequestItems[name]
		c.legacy("AttributesToGet", of.AttributesToGet != nil)
		t := batchGetTable{
			placeholders: c.placeholders(of.ExpressionAttributeNames, nil),
			name:         name,
			consistent:   aws.ToBool(of.ConsistentRead),
			projection:   text(of.ProjectionExpression),
		}
		for _, key := range of.Keys {
			t.keys = append(t.keys, c.item(key))
		}
		to.tables = append(to.tables, t)
	}
}

func batchWriteIn(c *inbound, from *dynamodb.BatchWriteItemInput, to *batchWriteInput) {
	to.capacity = c.capacity(from.ReturnConsumedCapacity)
	for _, name := range tablesIn(from.RequestItems) {
		for _, r := range from.RequestItems[name] {
			w := batchWrite{table: name, put: r.PutRequest != nil, remove: r.DeleteRequest != nil}
			if w.put {
				w.item = c.item(r.PutRequest.Item)
			}
			if w.remove {
				w.key = c.item(r.DeleteRequest.Key)
			}
			to.writes = append(to.writes, w)
		}
	}
}

func transactGetIn(c *inbound, from *dynamodb.TransactGetItemsInput, to *transactGetInput) {
	to.capacity = c.capacity(from.ReturnConsumedCapacity)
	to.gets = make([]transactGet, len(from.TransactItems))
	for i := range from.TransactItems {
		get := from.TransactItems[i].Get
		if get == nil {
			continue
		}
		to.gets[i] = transactGet{
			placeholders: c.placeholders(get.ExpressionAttributeNames, nil),
			present:      true,
			table:        aws.ToString(get.TableName),
			key:          c.item(get.Key),
			projection:   text(get.ProjectionExpression),
		}
	}
}

func transactWriteIn(c *inbound, from *dynamodb.TransactWriteItemsInput, to *transactWriteInput) {
	to.token = from.ClientRequestToken
	to.capacity = c.capacity(from.ReturnConsumedCapacity)
	to.metrics = string(from.ReturnItemCollectionMetrics)
	to.actions = make([]transactAction, len(from.TransactItems))
	for i := range from.TransactItems {
		c.action(&from.TransactItems[i], &to.actions[i])
	}
}

func (c *inbound) action(from *types.TransactWriteItem, to *transactAction) {
	if p := from.Put; p != nil {
		to.of(actionPut, p.TableName, p.ConditionExpression, p.ReturnValuesOnConditionCheckFailure)
		to.placeholders = c.placeholders(p.ExpressionAttributeNames, p.ExpressionAttributeValues)
		to.item = c.item(p.Item)
	}
	if d := from.Delete; d != nil {
		to.of(actionDelete, d.TableName, d.ConditionExpression, d.ReturnValuesOnConditionCheckFailure)
		to.placeholders = c.placeholders(d.ExpressionAttributeNames, d.ExpressionAttributeValues)
		to.key = c.item(d.Key)
	}
	if k := from.ConditionCheck; k != nil {
		to.of(actionCheck, k.TableName, k.ConditionExpression, k.ReturnValuesOnConditionCheckFailure)
		to.placeholders = c.placeholders(k.ExpressionAttributeNames, k.ExpressionAttributeValues)
		to.key = c.item(k.Key)
	}
	if u := from.Update; u != nil {
		to.of(actionUpdate, u.TableName, u.ConditionExpression, u.ReturnValuesOnConditionCheckFailure)
		to.placeholders = c.placeholders(u.ExpressionAttributeNames, u.ExpressionAttributeValues)
		to.update = text(u.UpdateExpression)
		to.key = c.item(u.Key)
	}
}

// of sets what actions of all kinds have.
func (a *transactAction) of(kind actionKind, table, condition *string, onFailure types.ReturnValuesOnConditionCheckFailure) {
	a.several = a.several || a.kind != ""
	a.kind = kind
	a.table = aws.ToString(table)
	a.condition = text(condition)
	a.returnOnFailure = string(onFailure)
}
