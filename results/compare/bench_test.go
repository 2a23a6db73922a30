package compare_test

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/lakebench/lakebench/internal/atomicfile"
	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/compare"
)

// BenchmarkCompareFiles reads, compares and tells of two files of 10,020 series:
// 334 points, three variants, ten repeats. It is to take a second at most.
func BenchmarkCompareFiles(b *testing.B) {
	var history []int64
	for n := range int64(334) {
		history = append(history, 10*n)
	}
	path := filepath.Join(b.TempDir(), "result.json")
	data, err := results.Encode(resultstest.CatalogRefresh(10, history...))
	if err != nil {
		b.Fatal(err)
	}
	if err := atomicfile.Write(path, data); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(2 * int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var sides [2]results.Named
		for i := range sides {
			if sides[i].Document, err = results.Read(path); err != nil {
				b.Fatal(err)
			}
		}
		c, err := compare.Compare(sides[0], sides[1], compare.DefaultOptions())
		if err != nil {
			b.Fatal(err)
		}
		if err := render.Text(io.Discard, c.Page(false), render.TextOptions{Width: 80}); err != nil {
			b.Fatal(err)
		}
	}
}
