package attr_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lakebench/lakebench/backend/dynamo/attr"
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

func BenchmarkReader(b *testing.B) {
	request := putRequest()
	b.Run("reader", func(b *testing.B) {
		b.SetBytes(int64(len(request)))
		b.ReportAllocs()
		for b.Loop() {
			r := attr.NewReader(request)
			err := r.Object(func(name string) error {
				if name != "Item" {
					_, err := r.String()
					return err
				}
				_, err := r.Item()
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("skip", func(b *testing.B) {
		b.SetBytes(int64(len(request)))
		for b.Loop() {
			if err := attr.NewReader(request).Skip(); err != nil {
				b.Fatal(err)
			}
		}
	})
	// The library that the Reader is written instead of: tokens only, nothing
	// made of them.
	b.Run("jsontext skip", func(b *testing.B) {
		b.SetBytes(int64(len(request)))
		raw := []byte(request)
		var in bytes.Reader
		var d jsontext.Decoder
		for b.Loop() {
			in.Reset(raw)
			d.Reset(&in)
			if err := d.SkipValue(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("jsontext tokens", func(b *testing.B) {
		b.SetBytes(int64(len(request)))
		raw := []byte(request)
		var d jsontext.Decoder
		for b.Loop() {
			d.Reset(bytes.NewBuffer(raw))
			for {
				tok, err := d.ReadToken()
				if err != nil {
					break
				}
				if tok.Kind() == '"' {
					_ = tok.String()
				}
			}
		}
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
