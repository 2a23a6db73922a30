package attr_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/attr"
)

// putRequest is a PutItem of an item of about 1 KB, as the SDK writes it.
func putRequest() string {
	return fmt.Sprintf(`{"TableName":"lake-metadata","Item":{"pk":{"S":"tables/orders/snapshots/000123"},"value":{"B":%q}},"ConditionExpression":"attribute_not_exists(pk)"}`,
		strings.Repeat("QUJDREVG", 170))
}

// typicalItem is a metadata record of 300 bytes by the sizing rules.
func typicalItem() attr.Item {
	it := attr.Item{
		{Name: "pk", Value: attr.String("tables/orders/append/2026-10-04T12:00:00Z/00042")},
		{Name: "value", Value: attr.Binary(strings.Repeat("x", 246))},
	}
	if it.Size() != 300 {
		panic(it.Size())
	}
	return it
}

const getRequest = `{"TableName":"lake-metadata","Key":{"pk":{"S":"tables/orders/snapshots/000123"}},"ConsistentRead":true,"ReturnConsumedCapacity":"TOTAL"}`

// BenchmarkReader reads requests down to the last value.
func BenchmarkReader(b *testing.B) {
	for name, request := range map[string]string{"get": getRequest, "put 1 KB": putRequest()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var r attr.Reader
			for b.Loop() {
				r.Reset([]byte(request))
				if err := readRequest(&r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func readRequest(r *attr.Reader) error {
	return r.Object(func(name string) (err error) {
		switch name {
		case "Key", "Item":
			_, err = r.Item()
		case "ConsistentRead":
			_, err = r.Bool()
		default:
			_, err = r.String()
		}
		return err
	})
}

func BenchmarkItem(b *testing.B) {
	it := typicalItem()
	encoded := it.Encode()
	dst := make([]byte, 0, 4096)
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"encode", func() { dst = attr.AppendItem(dst[:0], it) }},
		{"decode", func() { encoded.Item() }},
		{"json from encoded", func() { dst = encoded.AppendJSON(dst[:0]) }},
		{"json from item", func() { dst = it.AppendJSON(dst[:0]) }},
		{"size", func() { encoded.Size() }},
		{"attribute", func() { encoded.Attribute("pk") }},
		{"number key", func() { dst = attr.Int(20261004123456).AppendOrdered(dst[:0]) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.run()
			}
		})
	}
}
