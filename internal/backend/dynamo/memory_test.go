package dynamo_test

import (
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

const createSorted = `{"TableName":"tbl","BillingMode":"PAY_PER_REQUEST",
	"AttributeDefinitions":[{"AttributeName":"bucket","AttributeType":"S"},{"AttributeName":"pk","AttributeType":"S"}],
	"KeySchema":[{"AttributeName":"bucket","KeyType":"HASH"},{"AttributeName":"pk","KeyType":"RANGE"}]}`

// layouts are the two tables of docs/spec/metadata-store.md, with an item of exactly
// 300 bytes each.
var layouts = map[string]struct {
	create string
	item   func(i int) string
}{
	"v1": {strings.ReplaceAll(createTable, `"k"`, `"pk"`), func(i int) string {
		key := logicalKey(i)
		return fmt.Sprintf(`{"pk":{"S":%q},"value":{"B":%q}}`, key, filler(300-len("pk")-len(key)-len("value")))
	}},
	"v2": {createSorted, func(i int) string {
		key, bucket := logicalKey(i), fmt.Sprintf("append-operation#%02d", i%64)
		return fmt.Sprintf(`{"bucket":{"S":%q},"pk":{"S":%q},"value":{"B":%q}}`, bucket, key,
			filler(300-len("bucket")-len(bucket)-len("pk")-len(key)-len("value")))
	}},
}

func logicalKey(i int) string { return fmt.Sprintf("append-operation/tbl-%04d/%036d", i%1000, i) }

// filler is n bytes in base64.
func filler(n int) string { return base64.StdEncoding.EncodeToString(make([]byte, n)) }

// load fills a new engine's table with n items and returns the engine.
func load(t testing.TB, create string, n int, itemOf func(i int) string) *dynamo.Engine {
	t.Helper()
	e, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	mustServe(t, e, "CreateTable", create)
	for from := 0; from < n; from += 25 {
		var puts []string
		for i := from; i < min(from+25, n); i++ {
			puts = append(puts, `{"PutRequest":{"Item":`+itemOf(i)+`}}`)
		}
		mustServe(t, e, "BatchWriteItem", `{"RequestItems":{"tbl":[`+strings.Join(puts, ",")+`]}}`)
	}
	return e
}

// heap is what is alive.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// perItem is the live memory of a table of n items of 300 bytes, in bytes an item.
func perItem(t testing.TB, layout string, n int) float64 {
	before := heap()
	e := load(t, layouts[layout].create, n, layouts[layout].item)
	after := heap()
	runtime.KeepAlive(e)
	return float64(after-before) / float64(n)
}

// 6 million items of 300 bytes fit in 4 GiB with the collector's usual headroom,
// which doubles what is alive, if an item takes 357 bytes or less.
func TestMemoryPerItem(t *testing.T) {
	const (
		items  = 20_000
		budget = float64(4<<30) / 2 / 6_000_000
	)
	for layout := range layouts {
		if got := perItem(t, layout, items); got > budget {
			t.Errorf("%s: %.0f bytes of memory per item of 300 bytes, want at most %.0f", layout, got, budget)
		}
	}
}

func BenchmarkMemoryPerItem300B(b *testing.B) {
	for layout := range layouts {
		b.Run(layout, func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(perItem(b, layout, 1_000_000), "B/item")
			}
		})
	}
}
