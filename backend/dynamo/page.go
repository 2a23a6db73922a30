package dynamo

import (
	"github.com/lakebench/lakebench/backend/dynamo/attr"
	"github.com/lakebench/lakebench/backend/dynamo/rows"
	"github.com/lakebench/lakebench/units"
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
	switch p.selects {
	case "", selectAll, selectCount, selectSpecific:
	case selectIndex:
		return invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
	default:
		return notEnum("select", p.selects, "SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES")
	}
	switch {
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
	items          []itemView
	countOnly      bool
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
// The item that crosses 1 MiB belongs to the page, and a page that ends at its
// limit does not look whether anything follows (facts/dynamodb.md §3.3).
func (p *page) collect(limit int, lastKeyOnFull bool, walk func(yield func(rows.Row) bool)) {
	walk(func(row rows.Row) bool {
		if p.bytes == units.MaxPageBytes {
			p.more = true
			return false
		}
		p.rows = append(p.rows, row)
		p.bytes += int64(row.Size())
		p.more = len(p.rows) == limit || p.bytes > units.MaxPageBytes
		return !p.more
	})
	p.more = p.more || lastKeyOnFull && p.bytes == units.MaxPageBytes
}

// answer filters and projects a page.
func (p *page) answer(s *schema, in *pageParams, filter condition, project projection, b *bill) *pageOutput {
	out := &pageOutput{
		countOnly: in.selects == selectCount,
		scanned:   len(p.rows),
		capacity:  in.capacity,
	}
	if !out.countOnly {
		out.items = make([]itemView, 0, filter.expected(len(p.rows)))
	}
	bytes := 0
	item := stored{schema: s}
	for _, row := range p.rows {
		item.row = row
		if !filter.holds(&item) {
			continue
		}
		out.count++
		if !out.countOnly {
			view := project.view(&item)
			bytes += view.size()
			out.items = append(out.items, view)
		}
	}
	if p.more {
		item.row = p.rows[len(p.rows)-1]
		out.last = item.key()
	}
	b.Evaluated += int64(out.scanned)
	b.returned(out.count, bytes)
	return out
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
		o.items("Items", out.items)
	}
	if out.last != nil {
		o.attributes("LastEvaluatedKey", out.last)
	}
}
