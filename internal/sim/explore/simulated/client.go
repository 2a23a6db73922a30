package simulated

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// A Service makes all requests that the stores make.
type Service interface {
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
	BatchWriteItem(context.Context, *dynamodb.BatchWriteItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error)
	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error)
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
	DeleteTable(context.Context, *dynamodb.DeleteTableInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteTableOutput, error)
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
	TransactGetItems(context.Context, *dynamodb.TransactGetItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
}

// A Client is the client of a node. Its calls are on their way for a while; what
// becomes of them is told to the observer.
type Client struct {
	service Service
	own     func(*dynamodb.Options) // the node's retry policy
	observe func(ctx context.Context, api string, input any, err error)
	start   time.Time
	quarter time.Duration
	times   *rand.Rand // drawn by one task at a time
}

var _ Service = (*Client)(nil)

type operation[In, Out any] func(context.Context, *In, ...func(*dynamodb.Options)) (*Out, error)

// call makes a call. If its caller's context ends while the answer is on its way,
// the answer is lost.
func call[In, Out any](ctx context.Context, c *Client, api string, op operation[In, Out], in *In, opts []func(*dynamodb.Options)) (*Out, error) {
	if err := c.travel(ctx); err != nil {
		return nil, err
	}
	out, err := op(ctx, in, append([]func(*dynamodb.Options){c.own}, opts...)...)
	c.observe(ctx, api, in, err)
	if lost := c.travel(ctx); lost != nil {
		return nil, lost
	}
	return out, err
}

// BatchGetItem implements Service.
func (c *Client) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	return call(ctx, c, "BatchGetItem", c.service.BatchGetItem, in, opts)
}

// BatchWriteItem implements Service.
func (c *Client) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	return call(ctx, c, "BatchWriteItem", c.service.BatchWriteItem, in, opts)
}

// CreateTable implements Service.
func (c *Client) CreateTable(ctx context.Context, in *dynamodb.CreateTableInput, opts ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error) {
	return call(ctx, c, "CreateTable", c.service.CreateTable, in, opts)
}

// DeleteItem implements Service.
func (c *Client) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return call(ctx, c, "DeleteItem", c.service.DeleteItem, in, opts)
}

// DeleteTable implements Service.
func (c *Client) DeleteTable(ctx context.Context, in *dynamodb.DeleteTableInput, opts ...func(*dynamodb.Options)) (*dynamodb.DeleteTableOutput, error) {
	return call(ctx, c, "DeleteTable", c.service.DeleteTable, in, opts)
}

// DescribeTable implements Service.
func (c *Client) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput, opts ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	return call(ctx, c, "DescribeTable", c.service.DescribeTable, in, opts)
}

// GetItem implements Service.
func (c *Client) GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return call(ctx, c, "GetItem", c.service.GetItem, in, opts)
}

// PutItem implements Service.
func (c *Client) PutItem(ctx context.Context, in *dynamodb.PutItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return call(ctx, c, "PutItem", c.service.PutItem, in, opts)
}

// Query implements Service.
func (c *Client) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return call(ctx, c, "Query", c.service.Query, in, opts)
}

// Scan implements Service.
func (c *Client) Scan(ctx context.Context, in *dynamodb.ScanInput, opts ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	return call(ctx, c, "Scan", c.service.Scan, in, opts)
}

// TransactGetItems implements Service.
func (c *Client) TransactGetItems(ctx context.Context, in *dynamodb.TransactGetItemsInput, opts ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error) {
	return call(ctx, c, "TransactGetItems", c.service.TransactGetItems, in, opts)
}

// TransactWriteItems implements Service.
func (c *Client) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	return call(ctx, c, "TransactWriteItems", c.service.TransactWriteItems, in, opts)
}
