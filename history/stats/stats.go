// Package stats says what is in a lake, and what reading it costs in either
// layout by DynamoDB's rules: the families, their sizes, the share of a v1 scan
// that each causes, and what listing each costs in v2.
//
// This is arithmetic on keys and sizes, so it needs no run. It is
// exact where all items have one size. Otherwise pages are cut in the file's
// order, while a real scan goes by hash and a real query by key, and the totals
// can differ by a unit for each page.
package stats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/history/archive"
	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/store/keyspace"
)

// Stats is what is in a lake.
type Stats struct {
	// Source is where the records come from, if they come from a file.
	Source archive.Source `json:"source"`
	// PageLimit is the most items that one request evaluates; 0 is no limit but
	// DynamoDB's 1 MB.
	PageLimit int   `json:"page_limit"`
	Records   int64 `json:"records"`
	ItemBytes int64 `json:"item_bytes"`
	// Scan is one prefix read in v1: a scan of the whole table, whatever the
	// prefix.
	Scan Walk `json:"v1_scan"`
	// Families, the one with most bytes first.
	Families []Family `json:"families"`
	Problems Problems `json:"problems"`
}

// Family is what is in one family.
type Family struct {
	Name      string `json:"name"`
	Records   int64  `json:"records"`
	ItemBytes int64  `json:"item_bytes"`
	MinItem   int    `json:"min_item_bytes"`
	MaxItem   int    `json:"max_item_bytes"`
	// EvaluatedShare and ByteShare are the family's shares of the items and of
	// the bytes that a v1 scan evaluates, 0 to 1. Units and, without a page limit,
	// requests go by bytes; with a limit requests go by items.
	EvaluatedShare float64 `json:"evaluated_share"`
	ByteShare      float64 `json:"byte_share"`
	// ScanRRU is ByteShare of the scan's units.
	ScanRRU float64 `json:"v1_scan_rru"`
	// Shards is how many shards the family has in v2, and LargestShard the
	// records of the fullest.
	Shards       int   `json:"v2_shards"`
	LargestShard int64 `json:"v2_largest_shard_records"`
	// List is listing the whole family in v2, one shard after another.
	List Walk `json:"v2_list"`
}

// Problems counts the records that cannot be in both layouts, and those that a
// run cannot show in their own size.
type Problems struct {
	// KeyTooLong and ItemTooLarge are over v2's limits: history.Record.Storable.
	KeyTooLong   int64 `json:"key_too_long"`
	ItemTooLarge int64 `json:"item_too_large"`
	// Enlarged items are smaller than their key and the names pk and value: a run
	// stores them with an empty value, larger than they are.
	Enlarged int64 `json:"enlarged"`
}

// A Collector adds records up. It needs memory for families and their shards
// only.
type Collector struct {
	limit    int
	scan     cost.Pages
	families map[string]*family
	stats    Stats
}

type family struct {
	Family
	shards []cost.Pages
	counts []int64
}

// NewCollector returns a collector for pages of at most pageLimit items; 0 is no
// limit.
func NewCollector(pageLimit int) (*Collector, error) {
	if pageLimit < 0 {
		return nil, fmt.Errorf("stats: page_limit is %d, expected 0 (no limit) or more", pageLimit)
	}
	return &Collector{limit: pageLimit, scan: cost.Pages{Limit: int64(pageLimit)}, families: map[string]*family{}}, nil
}

// Add adds a record.
func (c *Collector) Add(r history.Record) {
	c.scan.Add(int64(r.ItemBytes))
	c.stats.Records++
	c.stats.ItemBytes += int64(r.ItemBytes)
	c.problems(r)

	f := c.family(keyspace.Family(r.Key))
	f.Records++
	f.ItemBytes += int64(r.ItemBytes)
	f.MinItem = min(f.MinItem, r.ItemBytes)
	f.MaxItem = max(f.MaxItem, r.ItemBytes)
	s := keyspace.Shard(r.Key)
	f.shards[s].Add(int64(r.V2Bytes()))
	f.counts[s]++
}

func (c *Collector) problems(r history.Record) {
	switch err := r.Storable(); {
	case errors.Is(err, history.ErrKeyLength):
		c.stats.Problems.KeyTooLong++
	case errors.Is(err, history.ErrItemTooLarge):
		c.stats.Problems.ItemTooLarge++
	}
	if r.StoredBytes() > r.ItemBytes {
		c.stats.Problems.Enlarged++
	}
}

func (c *Collector) family(name string) *family {
	f, known := c.families[name]
	if !known {
		n := keyspace.Shards(name)
		f = &family{
			Family: Family{Name: name, Shards: n, MinItem: int(^uint(0) >> 1)},
			shards: make([]cost.Pages, n),
			counts: make([]int64, n),
		}
		for i := range f.shards {
			f.shards[i].Limit = int64(c.limit)
		}
		c.families[name] = f
	}
	return f
}

// Stats returns what has been added so far.
func (c *Collector) Stats() Stats {
	s := c.stats
	s.PageLimit = c.limit
	s.Scan = walk(&c.scan)
	s.Families = make([]Family, 0, len(c.families))
	for _, f := range c.families {
		out := f.Family
		out.EvaluatedShare = float64(f.Records) / float64(s.Records)
		out.ByteShare = float64(f.ItemBytes) / float64(s.ItemBytes)
		out.ScanRRU = out.ByteShare * s.Scan.RRU
		out.LargestShard = slices.Max(f.counts)
		for i := range f.shards {
			out.List.add(walk(&f.shards[i]))
		}
		s.Families = append(s.Families, out)
	}
	slices.SortFunc(s.Families, func(a, b Family) int {
		return cmp.Or(cmp.Compare(b.ItemBytes, a.ItemBytes), cmp.Compare(a.Name, b.Name))
	})
	return s
}

// Walk is what reading a set of items from its first page to its last costs.
type Walk struct {
	Requests int64 `json:"requests"`
	// RRU are read request units, strongly consistent; eventually consistent
	// reads cost half.
	RRU float64 `json:"rru"`
}

func (w *Walk) add(o Walk) {
	w.Requests += o.Requests
	w.RRU += o.RRU
}

func walk(p *cost.Pages) Walk {
	c := p.Total()
	return Walk{int64(c.Requests), c.RRU}
}

// Config says which history file is read.
type Config struct {
	FS   fs.FS
	Name string
	// PageLimit is the most items that one request evaluates; 0 is no limit.
	PageLimit int
	// Progress, if not nil, counts records.
	Progress history.Progress
}

// Read returns what is in a history file.
func Read(ctx context.Context, cfg Config) (Stats, error) {
	c, err := NewCollector(cfg.PageLimit)
	if err != nil {
		return Stats{}, err
	}
	f, err := archive.Open(cfg.FS, cfg.Name)
	if err != nil {
		return Stats{}, err
	}
	for r, err := range f.Records(ctx, cfg.Progress) {
		if err != nil {
			return Stats{}, err
		}
		c.Add(r)
	}
	s := c.Stats()
	s.Source = f.Header().Source
	return s, nil
}
