// Package concern tells what a request concerns, by the SDK's type of its input:
// which items of which tables, which objects of which bucket.
package concern

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// An Item is one item that a request to DynamoDB concerns, or a page of them, or a
// whole table.
type Item struct {
	// Action is what is to be done to an item of a batch or a transaction: "put",
	// "delete", "update" or "check"; else "".
	Action string
	Table  string // "" if the request does not name it
	// Key is the item's key; Put is the item to put, in its stead.
	Key, Put Attributes
	// Values are those of the expression, of a page and within a transaction.
	Values Attributes
}

// Attributes are attributes by name.
type Attributes = map[string]types.AttributeValue

// Items returns what an input of DynamoDB concerns, tables of a batch in order of
// their names; nil for inputs that lakebench does not use.
func Items(input any) []Item {
	switch in := input.(type) {
	case *dynamodb.GetItemInput:
		return []Item{{Table: aws.ToString(in.TableName), Key: in.Key}}
	case *dynamodb.PutItemInput:
		return []Item{{Table: aws.ToString(in.TableName), Put: in.Item}}
	case *dynamodb.UpdateItemInput:
		return []Item{{Table: aws.ToString(in.TableName), Key: in.Key}}
	case *dynamodb.DeleteItemInput:
		return []Item{{Table: aws.ToString(in.TableName), Key: in.Key}}
	case *dynamodb.QueryInput:
		return []Item{{Table: aws.ToString(in.TableName), Values: in.ExpressionAttributeValues}}
	case *dynamodb.ScanInput:
		return []Item{{Table: aws.ToString(in.TableName), Values: in.ExpressionAttributeValues}}
	case *dynamodb.BatchGetItemInput:
		return gotInBatch(in)
	case *dynamodb.BatchWriteItemInput:
		return writtenInBatch(in)
	case *dynamodb.TransactGetItemsInput:
		return gotInTransaction(in)
	case *dynamodb.TransactWriteItemsInput:
		return writtenInTransaction(in)
	case *dynamodb.CreateTableInput:
		return []Item{{Table: aws.ToString(in.TableName)}}
	case *dynamodb.DescribeTableInput:
		return []Item{{Table: aws.ToString(in.TableName)}}
	case *dynamodb.DeleteTableInput:
		return []Item{{Table: aws.ToString(in.TableName)}}
	}
	return nil
}

func gotInBatch(in *dynamodb.BatchGetItemInput) (all []Item) {
	for _, table := range slices.Sorted(maps.Keys(in.RequestItems)) {
		for _, key := range in.RequestItems[table].Keys {
			all = append(all, Item{Table: table, Key: key})
		}
	}
	return all
}

func writtenInBatch(in *dynamodb.BatchWriteItemInput) (all []Item) {
	for _, table := range slices.Sorted(maps.Keys(in.RequestItems)) {
		for _, w := range in.RequestItems[table] {
			switch {
			case w.PutRequest != nil:
				all = append(all, Item{Action: "put", Table: table, Put: w.PutRequest.Item})
			case w.DeleteRequest != nil:
				all = append(all, Item{Action: "delete", Table: table, Key: w.DeleteRequest.Key})
			}
		}
	}
	return all
}

func gotInTransaction(in *dynamodb.TransactGetItemsInput) (all []Item) {
	for _, g := range in.TransactItems {
		if g.Get != nil {
			all = append(all, Item{Table: aws.ToString(g.Get.TableName), Key: g.Get.Key})
		}
	}
	return all
}

func writtenInTransaction(in *dynamodb.TransactWriteItemsInput) (all []Item) {
	for _, w := range in.TransactItems {
		switch {
		case w.Put != nil:
			all = append(all, Item{"put", aws.ToString(w.Put.TableName), nil, w.Put.Item, w.Put.ExpressionAttributeValues})
		case w.Delete != nil:
			all = append(all, Item{"delete", aws.ToString(w.Delete.TableName), w.Delete.Key, nil, w.Delete.ExpressionAttributeValues})
		case w.Update != nil:
			all = append(all, Item{"update", aws.ToString(w.Update.TableName), w.Update.Key, nil, w.Update.ExpressionAttributeValues})
		case w.ConditionCheck != nil:
			c := w.ConditionCheck
			all = append(all, Item{"check", aws.ToString(c.TableName), c.Key, nil, c.ExpressionAttributeValues})
		}
	}
	return all
}
