package dynamo

import (
	"fmt"
	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/rows"
	"github.com/lakebench/lakebench/internal/units"
	"math"
)

// pageParams is what Query and Scan have in common.
type pageParams struct {
	itemParams
	filter     *string
	projection *string
	selects    string // Select
	limit      *int64
	start      attr.Item // ExclusiveStartKey
	consistent bool
	index      string
}

func (p *pageParams) member(r *attr.Reader, name string) error {
	switch name {
	case "FilterExpression":
		return readText(r, &p.filter)
	case "ProjectionExpression":
		return readText(r, &p.projection)
	case "Select":
		return readString(r, &p.selects)
	case "Limit":
		return readInt(r, &p.limit)
	case "ExclusiveStartKey":
		return readItem(r, &p.start)
	case "ConsistentRead":
		return readBool(r, &p.consistent)
	case "IndexName":
		return readString(r, &p.index)
	default:
		return p.itemParams.member(r, name)
	}
}

// Values of Select.
const (
	selectAll      = "ALL_ATTRIBUTES"
	selectIndex    = "ALL_PROJECTED_ATTRIBUTES"
	selectSpecific = "SPECIFIC_ATTRIBUTES"
	selectCount    = "COUNT"
)

func (p *pageParams) validate() *serviceError {
	if err := p.itemParams.validate(); err != nil {
		return err
	}
	if p.limit != nil && *p.limit < 1 {
		return invalid("1 validation error detected: Value '%d' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1", *p.limit)
	}
	if p.limit != nil && *p.limit > math.MaxInt32 {
		return &serviceError{code: serializationException, message: fmt.Sprintf("Limit: expected an integer up to %d, found %d", math.MaxInt32, *p.limit)}
	}
	switch p.selects {
	case "", selectAll, selectCount, selectSpecific:
	case selectIndex:
		return invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
	default:
		return notEnum("select", p.selects, "SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES")
	}
	switch {
	case p.projection != nil && p.selects == selectCount:
		return invalid("Cannot specify the ProjectionExpression when choosing to get only the Count")
	case p.projection != nil && p.selects != "" && p.selects != selectSpecific:
		return invalid("Cannot specify the ProjectionExpression when choosing to get %s", p.selects)
	case p.selects == selectSpecific && p.projection == nil:
		return invalid("Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES")
	case p.index != "":
		return invalid("The table does not have the specified index: %s", p.index)
	}
	return nil
}

// pageOutput is the answer to a Query or Scan.
type pageOutput struct {
	schema    *schema
	countOnly bool
	// rows are the items, unless a projection was asked for: then projected are.
	rows           []rows.Row
	projected      []attr.Item
	count, scanned int
	last           attr.Item // LastEvaluatedKey; nil: the walk is at its end
	capacity       capacityMode
}

// page is what one request evaluates.
type page struct {
	rows  []rows.Row
	bytes int64 // of the items, by the sizing rules
	more  bool  // the walk stopped before its end, as far as the service knows
}

// collect evaluates rows in the order of walk, until limit items (0: any
// number) or 1 MiB of items. The caller holds the table's lock.
//
// The item that crosses 1 MiB belongs to the page (docs/facts/dynamodb.md §3.3). A page
// that ends at its limit does not look whether anything follows; one that is full
// does, unless lastKeyOnFull.
func (p *page) collect(limit int, lastKeyOnFull bool, walk func(yield func(rows.Row) bool)) {
	walk(func(row rows.Row) bool {
		if p.full() { // by size, and this row follows
			p.more = true
			return false
		}
		p.rows = append(p.rows, row)
		p.bytes += int64(row.Size())
		p.more = len(p.rows) == limit
		return !p.more
	})
	p.more = p.more || lastKeyOnFull && p.full()
}

func (p *page) full() bool { return p.bytes >= units.MaxPageBytes }

// answer filters and projects a page, which it uses up.
func (p *page) answer(s *schema, in *pageParams, filter condition, project projection, b *bill) *pageOutput {
	out := &pageOutput{
		schema:    s,
		countOnly: in.selects == selectCount,
		scanned:   len(p.rows),
		capacity:  in.capacity,
	}
	if p.more {
		last := stored{s, p.rows[len(p.rows)-1]}
		out.last = last.key()
	}
	p.filter(s, filter)
	out.count = len(p.rows)
	b.Evaluated += int64(out.scanned)
	switch {
	case out.countOnly:
		b.returned(out.count, 0)
	case project.parsed != nil:
		bytes := 0
		for _, row := range p.rows {
			item := project.apply(&stored{s, row})
			bytes += item.Size()
			out.projected = append(out.projected, item)
		}
		b.returned(out.count, bytes)
	default:
		out.rows = p.rows
		b.returned(out.count, int(p.bytes))
	}
	return out
}

// filter drops the rows of which the condition does not hold.
func (p *page) filter(s *schema, keep condition) {
	if keep.parsed == nil {
		return
	}
	item := stored{schema: s}
	kept := p.rows[:0]
	for _, row := range p.rows {
		item.row = row
		if keep.holds(&item) {
			kept = append(kept, row)
		} else {
			p.bytes -= int64(row.Size())
		}
	}
	p.rows = kept
}

func (p *pageParams) limitOr0() int {
	if p.limit == nil {
		return 0
	}
	return int(*p.limit)
}

func (out *pageOutput) appendJSON(o *jsonObject, b *bill) {
	o.int("Count", int64(out.count))
	o.int("ScannedCount", int64(out.scanned))
	o.capacity(b, out.capacity)
	if !out.countOnly {
		o.array("Items", out.count, func(i int) { o.dst = out.appendItem(o.dst, i) })
	}
	if out.last != nil {
		o.attributes("LastEvaluatedKey", out.last)
	}
}

func (out *pageOutput) appendItem(dst []byte, i int) []byte {
	if out.projected != nil {
		return out.projected[i].AppendJSON(dst)
	}
	item := stored{out.schema, out.rows[i]}
	return item.appendJSON(dst)
}
