package direct

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// GetItem makes the request of that name.
func (c *Client) GetItem(ctx context.Context, in *dynamodb.GetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return call[dynamodb.GetItemOutput](ctx, c, "GetItem", in, options)
}

// PutItem makes the request of that name.
func (c *Client) PutItem(ctx context.Context, in *dynamodb.PutItemInput, options ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return call[dynamodb.PutItemOutput](ctx, c, "PutItem", in, options)
}

// DeleteItem makes the request of that name.
func (c *Client) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, options ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return call[dynamodb.DeleteItemOutput](ctx, c, "DeleteItem", in, options)
}

// Query makes the request of that name.
func (c *Client) Query(ctx context.Context, in *dynamodb.QueryInput, options ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return call[dynamodb.QueryOutput](ctx, c, "Query", in, options)
}

// Scan makes the request of that name.
func (c *Client) Scan(ctx context.Context, in *dynamodb.ScanInput, options ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	return call[dynamodb.ScanOutput](ctx, c, "Scan", in, options)
}

// BatchGetItem makes the request of that name.
func (c *Client) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	return call[dynamodb.BatchGetItemOutput](ctx, c, "BatchGetItem", in, options)
}

// BatchWriteItem makes the request of that name.
func (c *Client) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, options ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	return call[dynamodb.BatchWriteItemOutput](ctx, c, "BatchWriteItem", in, options)
}

// TransactGetItems makes the request of that name.
func (c *Client) TransactGetItems(ctx context.Context, in *dynamodb.TransactGetItemsInput, options ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error) {
	return call[dynamodb.TransactGetItemsOutput](ctx, c, "TransactGetItems", in, options)
}

// TransactWriteItems is the operation of that name. Without a request token it
// gets one, as from the SDK.
func (c *Client) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, options ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	with, err := c.token(in, options)
	if err != nil {
		return nil, err
	}
	return call[dynamodb.TransactWriteItemsOutput](ctx, c, "TransactWriteItems", with, options)
}
