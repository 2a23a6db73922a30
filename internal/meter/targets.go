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

	"github.com/lakebench/lakebench/internal/concern"
)

// targets returns what a request is about. keyAttributes are those of an item to
// put that are shown.
func (dynamoDB) targets(input any, keyAttributes []string) (all []Target) {
	switch in := input.(type) {
	case *dynamodb.QueryInput:
		return []Target{{Table: aws.ToString(in.TableName), Key: expand(in.KeyConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues)}}
	case *dynamodb.ScanInput:
		return []Target{{Table: aws.ToString(in.TableName), Key: expand(in.FilterExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues)}}
	}
	_, transaction := input.(*dynamodb.TransactWriteItemsInput)
	for _, item := range concern.Items(input) {
		t := Target{Action: item.Action, Table: item.Table, Key: keyText(item.Key, nil)}
		if item.Put != nil {
			t.Key = keyText(item.Put, keyAttributes)
			if transaction {
				t.Bytes = itemSize(item.Put)
			}
		}
		all = append(all, t)
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
