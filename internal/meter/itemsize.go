package meter

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/units"
)

// itemSize returns an item's size by DynamoDB's rules (package units).
func itemSize(item map[string]types.AttributeValue) (n int64) {
	for name, v := range item {
		n += int64(units.StringSize(name)) + valueSize(v)
	}
	return n
}

func valueSize(v types.AttributeValue) int64 {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return int64(units.StringSize(v.Value))
	case *types.AttributeValueMemberB:
		return int64(units.BinarySize(v.Value))
	case *types.AttributeValueMemberN:
		return numberSize(v.Value)
	case *types.AttributeValueMemberBOOL, *types.AttributeValueMemberNULL:
		return units.ScalarSize
	case *types.AttributeValueMemberSS:
		return sum(v.Value, func(s string) int64 { return int64(units.StringSize(s)) })
	case *types.AttributeValueMemberNS:
		return sum(v.Value, numberSize)
	case *types.AttributeValueMemberBS:
		return sum(v.Value, func(b []byte) int64 { return int64(units.BinarySize(b)) })
	case *types.AttributeValueMemberL:
		return units.ListOverhead + sum(v.Value, func(v types.AttributeValue) int64 { return units.ElementOverhead + valueSize(v) })
	case *types.AttributeValueMemberM:
		return units.MapOverhead + int64(len(v.Value))*units.ElementOverhead + itemSize(v.Value)
	}
	return 0
}

// numberSize counts 0 for what is no number: the service refuses it.
func numberSize(text string) int64 {
	n, err := units.NumberSize(text)
	if err != nil {
		return 0
	}
	return int64(n)
}

func sum[T any](of []T, size func(T) int64) (n int64) {
	for _, v := range of {
		n += size(v)
	}
	return n
}

// bytesSent returns the size of the items that a request asks to store. What an
// UpdateItem stores only the service knows.
func bytesSent(input any) (n int64) {
	switch in := input.(type) {
	case *dynamodb.PutItemInput:
		return itemSize(in.Item)
	case *dynamodb.BatchWriteItemInput:
		for _, writes := range in.RequestItems {
			for _, w := range writes {
				if w.PutRequest != nil {
					n += itemSize(w.PutRequest.Item)
				}
			}
		}
	case *dynamodb.TransactWriteItemsInput:
		for _, w := range in.TransactItems {
			if w.Put != nil {
				n += itemSize(w.Put.Item)
			}
		}
	}
	return n
}
