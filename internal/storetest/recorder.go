package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/internal/requestlog"
)

// A Service is what all layouts together ask of DynamoDB.
type Service interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
	BatchWriteItem(context.Context, *dynamodb.BatchWriteItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error)
	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error)
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
	TransactGetItems(context.Context, *dynamodb.TransactGetItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error)
	DeleteTable(context.Context, *dynamodb.DeleteTableInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteTableOutput, error)
}

// A Recorder writes down, for people, every call that is made through it and what
// came of it. It sits above any transport, so all transports must give one log.
type Recorder struct {
	service Service
	log     requestlog.Log // request tokens have numbers in it
}

// NewRecorder returns a recorder of the calls to service.
func NewRecorder(service Service) *Recorder { return &Recorder{service: service} }

// Take returns what was recorded since the last Take, one or more lines a call.
func (r *Recorder) Take() []string {
	lines, _ := r.log.Take()
	return lines
}

// note records one call: what was asked, how often, and the answer.
func (r *Recorder) note(request, answer string, tries *int, err error) {
	if err != nil {
		answer = describeError(err)
	}
	r.log.Note(request, answer, *tries)
}

// counted counts the attempts of a call, for transports that ask the retryer.
func counted(opts []func(*dynamodb.Options)) ([]func(*dynamodb.Options), *int) {
	n := new(int)
	return append(opts[:len(opts):len(opts)], func(o *dynamodb.Options) { o.Retryer = requestlog.Counting(o.Retryer, n) }), n
}

// GetItem records a GetItem.
func (r *Recorder) GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	opts, tries := counted(opts)
	out, err := r.service.GetItem(ctx, in, opts...)
	answer := "absent"
	if err == nil && len(out.Item) > 0 {
		answer = "found"
	}
	r.note(fmt.Sprintf("GetItem %s %s %s", *in.TableName, consistency(in.ConsistentRead), item(in.Key)), answer, tries, err)
	return out, err
}

// PutItem records a PutItem.
func (r *Recorder) PutItem(ctx context.Context, in *dynamodb.PutItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	opts, tries := counted(opts)
	out, err := r.service.PutItem(ctx, in, opts...)
	r.note(fmt.Sprintf("PutItem %s %s%s", *in.TableName, item(in.Item),
		expression(" if ", in.ConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues)), "ok", tries, err)
	return out, err
}

// DeleteItem records a DeleteItem.
func (r *Recorder) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	opts, tries := counted(opts)
	out, err := r.service.DeleteItem(ctx, in, opts...)
	r.note(fmt.Sprintf("DeleteItem %s %s%s", *in.TableName, item(in.Key),
		expression(" if ", in.ConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues)), "ok", tries, err)
	return out, err
}

// Query records a Query.
func (r *Recorder) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	opts, tries := counted(opts)
	out, err := r.service.Query(ctx, in, opts...)
	answer := ""
	if err == nil {
		answer = page(out.ScannedCount, out.Count, out.LastEvaluatedKey)
	}
	r.note(fmt.Sprintf("Query %s %s%s%s%s%s", *in.TableName, consistency(in.ConsistentRead), limit(in.Limit), after(in.ExclusiveStartKey),
		expression(" where ", in.KeyConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues),
		expression(" filter ", in.FilterExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues)), answer, tries, err)
	return out, err
}

// Scan records a Scan.
func (r *Recorder) Scan(ctx context.Context, in *dynamodb.ScanInput, opts ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	opts, tries := counted(opts)
	out, err := r.service.Scan(ctx, in, opts...)
	answer := ""
	if err == nil {
		answer = page(out.ScannedCount, out.Count, out.LastEvaluatedKey)
	}
	r.note(fmt.Sprintf("Scan %s %s%s%s%s", *in.TableName, consistency(in.ConsistentRead), limit(in.Limit), after(in.ExclusiveStartKey),
		expression(" filter ", in.FilterExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues)), answer, tries, err)
	return out, err
}

// TransactWriteItems records a TransactWriteItems, one line an action.
func (r *Recorder) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	opts, tries := counted(opts)
	out, err := r.service.TransactWriteItems(ctx, in, opts...)
	var b strings.Builder
	fmt.Fprintf(&b, "TransactWriteItems %s", r.token(in.ClientRequestToken))
	for _, a := range in.TransactItems {
		b.WriteString("\n    " + action(a))
	}
	b.WriteString("\n   ")
	r.note(b.String(), "ok", tries, err)
	return out, err
}

// BatchWriteItem records a BatchWriteItem.
func (r *Recorder) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	opts, tries := counted(opts)
	out, err := r.service.BatchWriteItem(ctx, in, opts...)
	request, answer := "BatchWriteItem", "ok"
	for table, writes := range in.RequestItems { // the stores write one table at a time
		request += fmt.Sprintf(" %s %d items", table, len(writes))
		if err == nil && len(out.UnprocessedItems[table]) > 0 {
			answer = fmt.Sprintf("%d unprocessed", len(out.UnprocessedItems[table]))
		}
	}
	r.note(request, answer, tries, err)
	return out, err
}

// BatchGetItem records a BatchGetItem.
func (r *Recorder) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	opts, tries := counted(opts)
	out, err := r.service.BatchGetItem(ctx, in, opts...)
	request, answer := "BatchGetItem", ""
	for table, want := range in.RequestItems { // the callers read one table at a time
		request += fmt.Sprintf(" %s %s %d keys", table, consistency(want.ConsistentRead), len(want.Keys))
		if err == nil {
			answer = fmt.Sprintf("%d found", len(out.Responses[table]))
			if left := len(out.UnprocessedKeys[table].Keys); left > 0 {
				answer += fmt.Sprintf(", %d unprocessed", left)
			}
		}
	}
	r.note(request, answer, tries, err)
	return out, err
}

// TransactGetItems records a TransactGetItems, one line an item.
func (r *Recorder) TransactGetItems(ctx context.Context, in *dynamodb.TransactGetItemsInput, opts ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error) {
	opts, tries := counted(opts)
	out, err := r.service.TransactGetItems(ctx, in, opts...)
	var b strings.Builder
	b.WriteString("TransactGetItems")
	found := 0
	for i, get := range in.TransactItems {
		fmt.Fprintf(&b, "\n    Get %s %s", *get.Get.TableName, item(get.Get.Key))
		if err == nil && len(out.Responses[i].Item) > 0 {
			found++
		}
	}
	b.WriteString("\n   ")
	r.note(b.String(), fmt.Sprintf("%d found", found), tries, err)
	return out, err
}

// DeleteTable records a DeleteTable.
func (r *Recorder) DeleteTable(ctx context.Context, in *dynamodb.DeleteTableInput, opts ...func(*dynamodb.Options)) (*dynamodb.DeleteTableOutput, error) {
	opts, tries := counted(opts)
	out, err := r.service.DeleteTable(ctx, in, opts...)
	r.note("DeleteTable "+*in.TableName, "ok", tries, err)
	return out, err
}

// CreateTable records a CreateTable.
func (r *Recorder) CreateTable(ctx context.Context, in *dynamodb.CreateTableInput, opts ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error) {
	opts, tries := counted(opts)
	out, err := r.service.CreateTable(ctx, in, opts...)
	request := fmt.Sprintf("CreateTable %s %s", *in.TableName, in.BillingMode)
	for _, k := range in.KeySchema {
		request += fmt.Sprintf(" %s %s", k.KeyType, *k.AttributeName)
	}
	r.note(request, "ok", tries, err)
	return out, err
}

// DescribeTable records a DescribeTable.
func (r *Recorder) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput, opts ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	opts, tries := counted(opts)
	out, err := r.service.DescribeTable(ctx, in, opts...)
	answer := ""
	if err == nil {
		answer = string(out.Table.TableStatus)
	}
	r.note("DescribeTable "+*in.TableName, answer, tries, err)
	return out, err
}

// token numbers the tokens, so that a log shows which requests share one.
func (r *Recorder) token(t *string) string {
	if t == nil {
		return "without token"
	}
	return fmt.Sprintf("token #%d", r.log.Number(*t))
}

func action(a types.TransactWriteItem) string {
	switch {
	case a.Put != nil:
		return fmt.Sprintf("Put %s %s%s", *a.Put.TableName, item(a.Put.Item),
			expression(" if ", a.Put.ConditionExpression, a.Put.ExpressionAttributeNames, a.Put.ExpressionAttributeValues))
	case a.Delete != nil:
		return fmt.Sprintf("Delete %s %s%s", *a.Delete.TableName, item(a.Delete.Key),
			expression(" if ", a.Delete.ConditionExpression, a.Delete.ExpressionAttributeNames, a.Delete.ExpressionAttributeValues))
	case a.ConditionCheck != nil:
		return fmt.Sprintf("ConditionCheck %s %s%s", *a.ConditionCheck.TableName, item(a.ConditionCheck.Key),
			expression(" if ", a.ConditionCheck.ConditionExpression, a.ConditionCheck.ExpressionAttributeNames, a.ConditionCheck.ExpressionAttributeValues))
	}
	return "an action that is no Put, Delete or ConditionCheck"
}

// describeError names the error, with the reasons of a cancelled transaction.
func describeError(err error) string {
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &cancelled) {
		reasons := make([]string, len(cancelled.CancellationReasons))
		for i, reason := range cancelled.CancellationReasons {
			reasons[i] = *reason.Code
			if len(reason.Item) > 0 {
				reasons[i] += " on " + item(reason.Item)
			}
		}
		return "cancelled: " + strings.Join(reasons, ", ")
	}
	var condition *types.ConditionalCheckFailedException
	if errors.As(err, &condition) {
		if len(condition.Item) == 0 {
			return "condition failed on nothing"
		}
		return "condition failed on " + item(condition.Item)
	}
	var named smithy.APIError
	if errors.As(err, &named) {
		return named.ErrorCode()
	}
	return "no answer"
}
