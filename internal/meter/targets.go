package meter

import (
	"encoding/hex"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// targets returns what a request is about. keyAttributes are those of an item to
// put that are shown.
func (dynamoDB) targets(input any, keyAttributes []string) []Target {
	switch in := input.(type) {
	case *dynamodb.GetItemInput:
		return []Target{target("", in.TableName, keyText(in.Key, nil))}
	case *dynamodb.PutItemInput:
		return []Target{target("", in.TableName, keyText(in.Item, keyAttributes))}
	case *dynamodb.UpdateItemInput:
		return []Target{target("", in.TableName, keyText(in.Key, nil))}
	case *dynamodb.DeleteItemInput:
		return []Target{target("", in.TableName, keyText(in.Key, nil))}
	case *dynamodb.QueryInput:
		return []Target{target("", in.TableName, expand(in.KeyConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues))}
	case *dynamodb.ScanInput:
		return []Target{target("", in.TableName, expand(in.FilterExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues))}
	case *dynamodb.BatchGetItemInput:
		return batchGetTargets(in)
	case *dynamodb.BatchWriteItemInput:
		return batchWriteTargets(in, keyAttributes)
	case *dynamodb.TransactGetItemsInput:
		return transactGetTargets(in)
	case *dynamodb.TransactWriteItemsInput:
		return transactWriteTargets(in, keyAttributes)
	}
	return tableTargets(input)
}

func tableTargets(input any) []Target {
	switch in := input.(type) {
	case *dynamodb.CreateTableInput:
		return []Target{target("", in.TableName, "")}
	case *dynamodb.DescribeTableInput:
		return []Target{target("", in.TableName, "")}
	case *dynamodb.DeleteTableInput:
		return []Target{target("", in.TableName, "")}
	}
	return nil
}

func target(action string, table *string, key string) Target {
	return Target{Action: action, Table: aws.ToString(table), Key: key}
}

func batchGetTargets(in *dynamodb.BatchGetItemInput) (all []Target) {
	for _, table := range slices.Sorted(maps.Keys(in.RequestItems)) {
		for _, key := range in.RequestItems[table].Keys {
			all = append(all, target("", &table, keyText(key, nil)))
		}
	}
	return all
}

func batchWriteTargets(in *dynamodb.BatchWriteItemInput, keyAttributes []string) (all []Target) {
	for _, table := range slices.Sorted(maps.Keys(in.RequestItems)) {
		for _, w := range in.RequestItems[table] {
			switch {
			case w.PutRequest != nil:
				all = append(all, target("put", &table, keyText(w.PutRequest.Item, keyAttributes)))
			case w.DeleteRequest != nil:
				all = append(all, target("delete", &table, keyText(w.DeleteRequest.Key, nil)))
			}
		}
	}
	return all
}

func transactGetTargets(in *dynamodb.TransactGetItemsInput) (all []Target) {
	for _, g := range in.TransactItems {
		if g.Get != nil {
			all = append(all, target("", g.Get.TableName, keyText(g.Get.Key, nil)))
		}
	}
	return all
}

func transactWriteTargets(in *dynamodb.TransactWriteItemsInput, keyAttributes []string) (all []Target) {
	for _, w := range in.TransactItems {
		switch {
		case w.Put != nil:
			put := target("put", w.Put.TableName, keyText(w.Put.Item, keyAttributes))
			put.Bytes = itemSize(w.Put.Item)
			all = append(all, put)
		case w.Delete != nil:
			all = append(all, target("delete", w.Delete.TableName, keyText(w.Delete.Key, nil)))
		case w.Update != nil:
			all = append(all, target("update", w.Update.TableName, keyText(w.Update.Key, nil)))
		case w.ConditionCheck != nil:
			all = append(all, target("check", w.ConditionCheck.TableName, keyText(w.ConditionCheck.Key, nil)))
		}
	}
	return all
}

// keyText shows the attributes of the given names, or all of them, by name.
func keyText(item map[string]types.AttributeValue, names []string) string {
	if names == nil {
		names = slices.Sorted(maps.Keys(item))
	}
	var b strings.Builder
	for _, name := range names {
		v, ok := item[name]
		if !ok {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(name)
		b.WriteByte('=')
		b.WriteString(valueText(v))
	}
	return b.String()
}

// valueText shows a value that can be a key's.
func valueText(v types.AttributeValue) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	case *types.AttributeValueMemberB:
		return "0x" + hex.EncodeToString(v.Value)
	}
	return "…"
}

var placeholder = regexp.MustCompile(`[#:][A-Za-z0-9_]+`)

// expand returns an expression with its placeholders filled in.
func expand(expression *string, names map[string]string, values map[string]types.AttributeValue) string {
	return placeholder.ReplaceAllStringFunc(aws.ToString(expression), func(p string) string {
		if name, ok := names[p]; ok {
			return name
		}
		if v, ok := values[p]; ok {
			return valueText(v)
		}
		return p
	})
}
