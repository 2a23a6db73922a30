package backend

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// GetItem is the operation of that name.
func (c *DirectClient) GetItem(ctx context.Context, in *dynamodb.GetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return directCall[dynamodb.GetItemOutput](ctx, c, "GetItem", in, options)
}

// PutItem is the operation of that name.
func (c *DirectClient) PutItem(ctx context.Context, in *dynamodb.PutItemInput, options ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return directCall[dynamodb.PutItemOutput](ctx, c, "PutItem", in, options)
}

// DeleteItem is the operation of that name.
func (c *DirectClient) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, options ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return directCall[dynamodb.DeleteItemOutput](ctx, c, "DeleteItem", in, options)
}

// Query is the operation of that name.
func (c *DirectClient) Query(ctx context.Context, in *dynamodb.QueryInput, options ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return directCall[dynamodb.QueryOutput](ctx, c, "Query", in, options)
}

// Scan is the operation of that name.
func (c *DirectClient) Scan(ctx context.Context, in *dynamodb.ScanInput, options ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	return directCall[dynamodb.ScanOutput](ctx, c, "Scan", in, options)
}

// BatchGetItem is the operation of that name.
func (c *DirectClient) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	return directCall[dynamodb.BatchGetItemOutput](ctx, c, "BatchGetItem", in, options)
}

// BatchWriteItem is the operation of that name.
func (c *DirectClient) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, options ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	return directCall[dynamodb.BatchWriteItemOutput](ctx, c, "BatchWriteItem", in, options)
}

// TransactGetItems is the operation of that name.
func (c *DirectClient) TransactGetItems(ctx context.Context, in *dynamodb.TransactGetItemsInput, options ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error) {
	return directCall[dynamodb.TransactGetItemsOutput](ctx, c, "TransactGetItems", in, options)
}

// CreateTable is the operation of that name.
func (c *DirectClient) CreateTable(ctx context.Context, in *dynamodb.CreateTableInput, options ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error) {
	return directCall[dynamodb.CreateTableOutput](ctx, c, "CreateTable", in, options)
}

// DescribeTable is the operation of that name.
func (c *DirectClient) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput, options ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	return directCall[dynamodb.DescribeTableOutput](ctx, c, "DescribeTable", in, options)
}

// DeleteTable is the operation of that name.
func (c *DirectClient) DeleteTable(ctx context.Context, in *dynamodb.DeleteTableInput, options ...func(*dynamodb.Options)) (*dynamodb.DeleteTableOutput, error) {
	return directCall[dynamodb.DeleteTableOutput](ctx, c, "DeleteTable", in, options)
}

// ListTables is the operation of that name.
func (c *DirectClient) ListTables(ctx context.Context, in *dynamodb.ListTablesInput, options ...func(*dynamodb.Options)) (*dynamodb.ListTablesOutput, error) {
	return directCall[dynamodb.ListTablesOutput](ctx, c, "ListTables", in, options)
}

// TransactWriteItems is the operation of that name. Without a request token it
// gets one, as from the SDK.
func (c *DirectClient) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, options ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	with, err := c.token(in, options)
	if err != nil {
		return nil, err
	}
	return directCall[dynamodb.TransactWriteItemsOutput](ctx, c, "TransactWriteItems", with, options)
}
