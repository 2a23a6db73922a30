package storetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func consistency(strong *bool) string {
	if strong != nil && *strong {
		return "strong"
	}
	return "eventual"
}

func limit(n *int32) string {
	if n == nil {
		return ""
	}
	return fmt.Sprintf(" limit %d", *n)
}

func after(key map[string]types.AttributeValue) string {
	if len(key) == 0 {
		return ""
	}
	return " after " + item(key)
}

func page(evaluated, returned int32, last map[string]types.AttributeValue) string {
	more := ""
	if len(last) > 0 {
		more = ", more"
	}
	return fmt.Sprintf("evaluated %d, returned %d%s", evaluated, returned, more)
}

// item shows an item with its attributes in the order of their names.
func item(attributes map[string]types.AttributeValue) string {
	parts := make([]string, 0, len(attributes))
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		parts = append(parts, name+": "+attribute(attributes[name]))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// longest is how much of a text is shown.
const longest = 60

func attribute(v types.AttributeValue) string {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		if len(v.Value) > longest {
			return fmt.Sprintf("%s… (%d bytes)", v.Value[:longest], len(v.Value))
		}
		return v.Value
	case *types.AttributeValueMemberB:
		return fmt.Sprintf("%q", v.Value)
	default:
		return fmt.Sprintf("%T", v)
	}
}

// expression shows an expression with its placeholders filled in. Longer names go
// first, lest one be part of another.
func expression(before string, text *string, names map[string]string, values map[string]types.AttributeValue) string {
	if text == nil {
		return ""
	}
	fill := make(map[string]string, len(names)+len(values))
	maps.Copy(fill, names)
	for name, v := range values {
		fill[name] = attribute(v)
	}
	placeholders := slices.SortedFunc(maps.Keys(fill), func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(fill))
	for _, p := range placeholders {
		pairs = append(pairs, p, fill[p])
	}
	return before + strings.NewReplacer(pairs...).Replace(*text)
}
