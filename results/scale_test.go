package results_test

import (
	"testing"

	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
)

// manySeries is a document of 10,000 series: 4 variants, 25 sizes of history, 10
// numbers of tables, 10 repeats.
func manySeries(b *testing.B) results.Document {
	b.Helper()
	doc := resultstest.CatalogRefresh(10, 0, 1000, 10_000)
	some := doc.Series
	doc.Series = nil
	for history := range 25 {
		for tables := range 10 {
			for variant := range 4 {
				for repeat := range 10 {
					s := some[(repeat*3+variant)%len(some)]
					s.Variant, s.Repeat = string(rune('a'+variant)), repeat
					s.Point = results.Point{
						"history_records": results.Number(history * history), "tables": results.Number(tables + 1),
						"page_limit": results.Number(1000), "item_bytes": results.Number(300),
					}
					doc.Series = append(doc.Series, s)
				}
			}
		}
	}
	var err error
	if doc.Summary, err = results.Summarize(&doc); err != nil {
		b.Fatal(err)
	}
	return doc
}

func BenchmarkTenThousandSeries(b *testing.B) {
	doc := manySeries(b)
	data, err := results.Encode(doc)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("encode", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := results.Encode(doc); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := results.Decode(data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("summarize", func(b *testing.B) {
		for b.Loop() {
			if _, err := results.Summarize(&doc); err != nil {
				b.Fatal(err)
			}
		}
	})
}
