package dynamo

import (
	"context"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/rows"
	"github.com/lakebench/lakebench/internal/units"
)

// maxSegments bounds TotalSegments (API reference, Scan).
const maxSegments = 1_000_000

type scanInput struct {
	pageParams
	segment, segments *int64
}

func (in *scanInput) member(r *attr.Reader, name string) error {
	switch name {
	case "Segment":
		return readInt(r, &in.segment)
	case "TotalSegments":
		return readInt(r, &in.segments)
	default:
		return in.pageParams.member(r, name)
	}
}

func (in *scanInput) validate() *serviceError {
	if err := in.pageParams.validate(); err != nil {
		return err
	}
	switch {
	case in.segment == nil && in.segments == nil:
		return nil
	case in.segments == nil:
		return invalid("The TotalSegments parameter is required but was not present in the request when Segment parameter is present")
	case in.segment == nil:
		return invalid("The Segment parameter is required but was not present in the request when parameter TotalSegments is present")
	case *in.segments < 1 || *in.segments > maxSegments:
		return outOfRange("totalSegments", *in.segments, 1, maxSegments)
	case *in.segment < 0 || *in.segment >= maxSegments:
		return outOfRange("segment", *in.segment, 0, maxSegments-1)
	case *in.segment >= *in.segments:
		return invalid("The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: %d is not less than TotalSegments: %d", *in.segment, *in.segments)
	}
	return nil
}

// part is the segment to scan; the whole table is the only one of one.
func (in *scanInput) part() (segment, segments int) {
	if in.segments == nil {
		return 0, 1
	}
	return int(*in.segment), int(*in.segments)
}

func (e *Engine) scan(_ context.Context, in *scanInput, b *bill) (*pageOutput, *serviceError) {
	filter, project, err := in.compile()
	if err != nil {
		return nil, err
	}
	t, err := e.table(in.table)
	if err != nil {
		return nil, err
	}
	if err := t.checkScalar(filter, project); err != nil {
		return nil, err
	}
	segment, segments := in.part()
	after, err := in.startRow(t, segment, segments)
	if err != nil {
		return nil, err
	}
	p := t.scanPage(segment, segments, after, in.limitOr0(), e.cfg.LastKeyOnFullFinalPage)
	b.read(t.name, e.scanUnits(p, segment, segments, after, consistency(in.consistent)))
	return p.answer(&t.schema, &in.pageParams, filter, project, b), nil
}

func (t *table) scanPage(segment, segments int, after rows.Row, limit int, lastKeyOnFull bool) *page {
	t.mu.RLock()
	defer t.mu.RUnlock()
	p := &page{}
	p.collect(limit, lastKeyOnFull, func(yield func(rows.Row) bool) {
		t.rows.Scan(segment, segments, after, yield)
	})
	return p
}

// startRow is the ExclusiveStartKey as a row, empty without one.
func (in *scanInput) startRow(t *table, segment, segments int) (rows.Row, *serviceError) {
	if in.start == nil {
		return "", nil
	}
	after, err := t.keyRow(in.start)
	if err != nil {
		return "", invalid("The provided starting key is invalid: %s", err.message)
	}
	if rows.Segment(after.Hash(), segments) != segment {
		return "", invalid("The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: %d Segment: %d", segments, segment)
	}
	return after, nil
}

// scanUnits charges a page: its items in one rounded sum, and one block for
// each physical partition that the page walked through without finding any.
func (e *Engine) scanUnits(p *page, segment, segments int, after rows.Row, c units.Consistency) float64 {
	from, to := rows.SegmentHashes(segment, segments)
	if after != "" {
		from = after.Hash()
	}
	if p.more {
		to = p.rows[len(p.rows)-1].Hash()
	}
	partitions := e.cfg.PhysicalPartitions
	walked := rows.Segment(to, partitions) - rows.Segment(from, partitions) + 1
	charged := float64(walked-p.filled(partitions)) * units.Read(0, c)
	if len(p.rows) > 0 {
		charged += units.Read(p.bytes, c)
	}
	return charged
}

// filled is in how many physical partitions a scan's page has items.
func (p *page) filled(partitions int) int {
	n, last := 0, -1
	for _, row := range p.rows {
		if partition := rows.Segment(row.Hash(), partitions); partition != last {
			n, last = n+1, partition
		}
	}
	return n
}
