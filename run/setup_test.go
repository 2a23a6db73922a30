package run

import (
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/run/load"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/v1"
)

// Records are read once, however many tables they are written to, and every table
// gets all of them.
func TestLoadReadsRecordsOnce(t *testing.T) {
	ctx := t.Context()
	b, err := backend.Open(ctx, backend.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	meter, err := newMeter(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &Site{run: &run{}, Config: Config{Seed: 7}, Backend: b, Point: load.Point{}, setup: meter}
	const n = 2*loadTogether + 17
	want := map[string][]byte{}
	read := 0
	records := func(yield func(history.Record, error) bool) {
		for i := range n {
			read++
			r := history.Record{Key: fmt.Sprintf("tbl/%04d", i), ItemBytes: 100}
			want[r.Key] = s.Value(r)
			if !yield(r, nil) {
				return
			}
		}
	}
	var tables []Table
	for _, layout := range []string{"a", "b"} {
		name, err := b.Table(ctx, layout, func(ctx context.Context, name string) error { return v1.Create(ctx, s.SetupClient(), name) })
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, Table{name, v1.Item})
	}
	if err := s.Load(ctx, records, n, tables...); err != nil {
		t.Fatal(err)
	}
	if read != n {
		t.Errorf("%d records were read, expected %d", read, n)
	}
	for _, table := range tables {
		got := map[string][]byte{}
		pages := dynamodb.NewScanPaginator(s.SetupClient(), &dynamodb.ScanInput{TableName: &table.Name})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				t.Fatal(err)
			}
			entries, err := item.Entries(page.Items)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				got[e.Key] = e.Value
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", table.Name, diff)
		}
	}
}
