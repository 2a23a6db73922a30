package plan

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/lakebench/lakebench/internal/quantity"
	"github.com/lakebench/lakebench/internal/spelling"
	"github.com/lakebench/lakebench/internal/yamlfile"
)

// A Span is a length of time as package quantity reads it: 7d, 12h, 30s.
type Span time.Duration

// Seconds returns the span in seconds.
func (s Span) Seconds() float64 { return time.Duration(s).Seconds() }

// String writes whole days as days.
func (s Span) String() string { return quantity.FormatDuration(time.Duration(s)) }

// MarshalJSON writes the span as String does.
func (s Span) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// A field is a number of a Scale by the name that it has in files and flags.
type field struct {
	name, doc string
	// Bounds, in the field's unit; of spans, in seconds.
	min, max float64
	// open reports whether min itself is refused.
	open  bool
	count func(*Scale) *int64
	rate  func(*Scale) *float64
	span  func(*Scale) *Span
}

const most = 1e15 // of anything: sums of such numbers are still exact enough

// fields lists the numbers of a Scale in the order in which they are shown.
var fields = []field{
	{name: "tables", doc: "tables in the catalog", min: 1, max: 1e9, count: func(s *Scale) *int64 { return &s.Tables }},
	{name: "commits_per_second", doc: "commits of the whole lake, on average", max: 1e7, rate: func(s *Scale) *float64 { return &s.CommitsPerSecond }},
	{name: "retention", doc: "how long append-operation, manifest and tombstone records stay", max: 1e10, open: true, span: func(s *Scale) *Span { return &s.Retention }},
	{name: "readers", doc: "nodes that refresh their catalog", max: 1e9, count: func(s *Scale) *int64 { return &s.Readers }},
	{name: "refresh_interval", doc: "from one refresh of a reader to its next", max: 1e10, open: true, span: func(s *Scale) *Span { return &s.RefreshInterval }},
	{name: "page_limit", doc: "Limit of a page; 0 is none", max: 1e9, count: func(s *Scale) *int64 { return &s.PageLimit }},
	{name: "item_bytes", doc: "a record as a v1 item, by the sizing rules", min: 10, max: 400_000, count: func(s *Scale) *int64 { return &s.ItemBytes }},
	{name: "tombstone_share", doc: "share of commits that leave a tombstone", max: 1, rate: func(s *Scale) *float64 { return &s.TombstoneShare }},
	{name: "lease_share", doc: "share of commits that hold a lease", max: 1, rate: func(s *Scale) *float64 { return &s.LeaseShare }},
	{name: "guarded_share", doc: "share of table updates that are guarded mutations", max: 1, rate: func(s *Scale) *float64 { return &s.GuardedShare }},
	{name: "point_reads_per_commit", doc: "strong reads of single records a commit makes", max: 1e6, rate: func(s *Scale) *float64 { return &s.PointReadsPerCommit }},
	{name: "failed_share", doc: "share of mutations whose condition fails: billed, then tried again", max: 1, rate: func(s *Scale) *float64 { return &s.FailedShare }},
	{name: "hot_table_share", doc: "share of all commits that the busiest table takes", max: 1, rate: func(s *Scale) *float64 { return &s.HotTableShare }},
	{name: "peak_factor", doc: "peak rate over mean rate", min: 1, max: 1e6, rate: func(s *Scale) *float64 { return &s.PeakFactor }},
	{name: "request_time", doc: "assumed time of one page, from request to answer", max: 3600, open: true, span: func(s *Scale) *Span { return &s.RequestTime }},
	{name: "table_shards", doc: "shards of the family tbl", min: 1, max: 100_000, count: func(s *Scale) *int64 { return &s.TableShards }},
	{name: "append_shards", doc: "shards of the family append-operation", min: 1, max: 100_000, count: func(s *Scale) *int64 { return &s.AppendShards }},
	{name: "manifest_shards", doc: "shards of the family lance-manifest", min: 1, max: 100_000, count: func(s *Scale) *int64 { return &s.ManifestShards }},
	{name: "wal_shards", doc: "shards of the WAL; the rates below are of one", max: 1e9, count: func(s *Scale) *int64 { return &s.WALShards }},
	{name: "appends_per_second", doc: "WAL entries written, after group commit", max: 1e7, rate: func(s *Scale) *float64 { return &s.AppendsPerSecond }},
	{name: "appends_per_flush", doc: "WAL entries that a flush covers", min: 1, max: most, rate: func(s *Scale) *float64 { return &s.AppendsPerFlush }},
	{name: "reads_per_second", doc: "scans of the fresh tier", max: 1e7, rate: func(s *Scale) *float64 { return &s.ReadsPerSecond }},
	{name: "generations", doc: "generations that the fresh tier holds", max: 1e6, count: func(s *Scale) *int64 { return &s.Generations }},
	{name: "flushes_per_compaction", doc: "generations that a compaction takes up", min: 1, max: most, rate: func(s *Scale) *float64 { return &s.FlushesPerCompaction }},
	{name: "opens_per_day", doc: "how often a shard changes hands", max: 1e7, rate: func(s *Scale) *float64 { return &s.OpensPerDay }},
	{name: "replayed_entries", doc: "WAL entries that an open replays", max: 1e9, count: func(s *Scale) *int64 { return &s.ReplayedEntries }},
	{name: "hint_lag", doc: "versions that the hint is behind", max: 1e6, count: func(s *Scale) *int64 { return &s.HintLag }},
	{name: "hint_every", doc: "commits from hint to hint under the policy probe", min: 1, max: 1e6, count: func(s *Scale) *int64 { return &s.HintEvery }},
}

// value returns the field of s as a number; spans in seconds.
func (f field) value(s *Scale) float64 {
	switch {
	case f.count != nil:
		return float64(*f.count(s))
	case f.rate != nil:
		return *f.rate(s)
	default:
		return f.span(s).Seconds()
	}
}

func (f field) text(s *Scale) string {
	if f.span != nil {
		return f.span(s).String()
	}
	return plain(f.value(s))
}

// plain writes a number without an exponent.
func plain(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func (f field) check(s *Scale) error {
	v := f.value(s)
	// Written so that NaN fails too.
	if v >= f.min && v <= f.max && !(f.open && v == f.min) {
		return nil
	}
	bound, unit := "at least", ""
	if f.open {
		bound = "more than"
	}
	if f.span != nil {
		unit = " s"
	}
	return fmt.Errorf("%s is %s; expected %s %s and at most %s%s", f.name, f.text(s), bound, plain(f.min), plain(f.max), unit)
}

func (f field) set(s *Scale, text string) (err error) {
	var span time.Duration
	switch {
	case f.count != nil:
		*f.count(s), err = quantity.Int(text)
	case f.rate != nil:
		*f.rate(s), err = quantity.Float(text)
	default:
		span, err = quantity.Duration(text)
		*f.span(s) = Span(span)
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrScale, f.name, err)
	}
	return nil
}

// Set changes the number of a name, such as retention, to a value as it is
// written, such as 7d. It does not look at bounds: Validate does.
func (s *Scale) Set(name, text string) error {
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return fmt.Errorf("%w: %s", ErrScale, spelling.Unknown("number", name, Names()))
	}
	return fields[i].set(s, text)
}

// Names returns the names of a scale's numbers.
func Names() []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

// LoadScale reads numbers from a YAML mapping of name to value over those of
// base; file names the source in errors. It is strict: unknown and repeated names
// are refused. A mistake is a *yamlfile.Error.
func LoadScale(r io.Reader, file string, base Scale) (Scale, error) {
	top, err := yamlfile.Read(r, file, "numbers by name, such as tables: 1000")
	if err != nil {
		return Scale{}, err
	}
	entries, err := top.Entries()
	if err != nil {
		return Scale{}, err
	}
	for _, e := range entries {
		text, ok := e.Value.Text()
		if !ok {
			return Scale{}, e.Value.Errorf("%s: expected one value, found %s", e.Key.Value, e.Value.Describe())
		}
		if err := base.Set(e.Key.Value, text); err != nil {
			return Scale{}, e.Key.Errorf("%w", err)
		}
	}
	return base, nil
}

// A Number is a number of a scale as people read it.
type Number struct{ Name, Value, Means string }

// Numbers returns the scale's numbers in the order in which they are shown.
func (s Scale) Numbers() []Number {
	var out []Number
	for _, f := range fields {
		out = append(out, Number{f.name, f.text(&s), f.doc})
	}
	return out
}

// Write writes the scale as LoadScale reads it, each number with what it means.
func (s Scale) Write(w io.Writer) error {
	for _, n := range s.Numbers() {
		if _, err := fmt.Fprintf(w, "%-42s # %s\n", n.Name+": "+n.Value, n.Means); err != nil {
			return err
		}
	}
	return nil
}
