package dynamo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// operation serves one operation, from its JSON body to its typed answer.
type operation func(ctx context.Context, e *Engine, body []byte, b *bill) (answer, *serviceError)

// operations are those that the engine has, by name.
var operations = map[string]operation{
	"BatchGetItem":       serve((*Engine).batchGetItem),
	"BatchWriteItem":     serve((*Engine).batchWriteItem),
	"CreateTable":        serve((*Engine).createTable),
	"DeleteItem":         serve((*Engine).deleteItem),
	"DeleteTable":        serve((*Engine).deleteTable),
	"DescribeTable":      serve((*Engine).describeTable),
	"GetItem":            serve((*Engine).getItem),
	"ListTagsOfResource": serve((*Engine).listTags),
	"ListTables":         serve((*Engine).listTables),
	"PutItem":            serve((*Engine).putItem),
	"Query":              serve((*Engine).query),
	"Scan":               serve((*Engine).scan),
	"TransactGetItems":   serve((*Engine).transactGetItems),
	"TransactWriteItems": serve((*Engine).transactWriteItems),
	"UpdateItem":         serve((*Engine).updateItem),
	"UpdateTable":        serve((*Engine).updateTable),
}

// serve puts the decoder in front of a typed operation.
func serve[In any, Out answer, P interface {
	*In
	request
}](run func(e *Engine, ctx context.Context, in P, b *bill) (Out, *serviceError)) operation {
	return func(ctx context.Context, e *Engine, body []byte, b *bill) (answer, *serviceError) {
		in := P(new(In))
		if err := e.decode(body, in); err != nil {
			return nil, err
		}
		out, err := run(e, ctx, in, b)
		if err != nil {
			return nil, err
		}
		return out, nil
	}
}

// unsupported is the answer to an operation that the engine does not have: the
// service's to one that it does not know, with a message that says more.
func unsupported(name string) *serviceError {
	return &serviceError{
		code: unknownOperation,
		message: fmt.Sprintf("lakebench's embedded DynamoDB does not support the operation %.100q; it has %s",
			name, strings.Join(slices.Sorted(maps.Keys(operations)), ", ")),
	}
}

// unknownAPI is what requests are counted under that name no operation of
// DynamoDB: anyone can invent names, and each would be remembered.
const unknownAPI = "unknown"

// apiName is the name that a request is counted under.
func apiName(name string) string {
	if _, ok := operations[name]; ok || slices.Contains(otherOperations[:], name) {
		return name
	}
	return unknownAPI
}

// otherOperations are those of the service that the engine does not have (API
// reference, "Actions").
var otherOperations = [...]string{
	"BatchExecuteStatement", "CreateBackup", "CreateGlobalTable", "DeleteBackup", "DeleteResourcePolicy",
	"DescribeBackup", "DescribeContinuousBackups", "DescribeContributorInsights", "DescribeEndpoints",
	"DescribeExport", "DescribeGlobalTable", "DescribeGlobalTableSettings", "DescribeImport",
	"DescribeKinesisStreamingDestination", "DescribeLimits", "DescribeTableReplicaAutoScaling",
	"DescribeTimeToLive", "DisableKinesisStreamingDestination", "EnableKinesisStreamingDestination",
	"ExecuteStatement", "ExecuteTransaction", "ExportTableToPointInTime", "GetResourcePolicy", "ImportTable",
	"ListBackups", "ListContributorInsights", "ListExports", "ListGlobalTables", "ListImports",
	"PutResourcePolicy", "RestoreTableFromBackup", "RestoreTableToPointInTime",
	"TagResource", "UntagResource", "UpdateContinuousBackups", "UpdateContributorInsights",
	"UpdateGlobalTable", "UpdateGlobalTableSettings", "UpdateKinesisStreamingDestination",
	"UpdateTableReplicaAutoScaling", "UpdateTimeToLive",
}
