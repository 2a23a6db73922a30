package results

import (
	"cmp"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/lakebench/lakebench/internal/counts"
	"github.com/lakebench/lakebench/results/growth"
)

// SchemaName and SchemaVersion identify the format of a Document.
const (
	SchemaName    = "lakebench.result"
	SchemaVersion = 3
)

// Document is the result of a run (docs/spec/results.md §2), the content of
// result.json.
type Document struct {
	Schema        string      `json:"schema"`
	SchemaVersion int         `json:"schema_version"`
	RunID         string      `json:"run_id"`
	Started       time.Time   `json:"started"`
	Ended         time.Time   `json:"ended"`
	Lakebench     Lakebench   `json:"lakebench"`
	Environment   Environment `json:"environment"`
	Workload      Workload    `json:"workload"`
	Seed          uint64      `json:"seed"`
	Repeats       int         `json:"repeats"`
	Clock         Clock       `json:"clock"`
	// Deterministic reports whether two runs of one seed, Go version, OS and
	// architecture have the same counts.
	Deterministic bool `json:"deterministic"`
	// Partial reports whether the run was interrupted: what is here was measured, but
	// not everything that was asked for was.
	Partial bool `json:"partial"`
	// Headline says in a sentence or two what was found. The workload writes it.
	Headline string `json:"headline"`
	// Published are the published figures that the run has measured.
	Published []PublishedFigure `json:"published"`
	// Metrics describes the metrics of the series, in the order of tables.
	Metrics  Metrics  `json:"metrics"`
	Series   []Series `json:"series"`
	Summary  Summary  `json:"summary"`
	Checks   []Check  `json:"checks"`
	Warnings []string `json:"warnings"`
}

// Operation names the one logical operation, "operation" where there are several.
func (d *Document) Operation() string {
	name := ""
	for i := range d.Series {
		for n := range d.Series[i].Operations {
			if name != "" && n != name {
				return "operation"
			}
			name = n
		}
	}
	return cmp.Or(name, "operation")
}

// Variants names the variants, in the order of the series.
func (d *Document) Variants() []string {
	var names []string
	for i := range d.Series {
		if v := d.Series[i].Variant; !slices.Contains(names, v) {
			names = append(names, v)
		}
	}
	return names
}

// A PublishedFigure is a number from a publication, beside what a run measured.
type PublishedFigure struct {
	Figure    string  `json:"figure"`
	Variant   string  `json:"variant"`
	Published float64 `json:"published"`
	Measured  float64 `json:"measured"`
	// Explained is what the measured number consists of, and where a difference may
	// come from.
	Explained string `json:"explained"`
}

// Named is a document and what its user calls it: where it was read from.
type Named struct {
	Name     string
	Document Document
}

// Clock is the time that a run ran on.
type Clock string

// The clocks.
const (
	RealClock    Clock = "real"
	VirtualClock Clock = "virtual"
)

// Lakebench is the build that made a document.
type Lakebench struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
}

// Environment is where a run took place. It is not part of what makes two
// results comparable, but a comparison says when it differs.
type Environment struct {
	Go      string  `json:"go"`
	OS      string  `json:"os"`
	Arch    string  `json:"arch"`
	CPUs    int     `json:"cpus"`
	Backend Backend `json:"backend"`
}

// Backend is the service that answered.
type Backend struct {
	// Kind is "embedded" or "endpoint".
	Kind string `json:"kind"`
	// Endpoint and Region are empty for the embedded services.
	Endpoint string `json:"endpoint,omitempty"`
	Region   string `json:"region,omitempty"`
	// Settings are further facts worth keeping, such as the price table's date
	// and hash, or a switch of the embedded service that is not at its default.
	Settings map[string]string `json:"settings,omitempty"`
}

// Workload says what was run. Two results are comparable when their hashes are
// equal.
type Workload struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	Params  Params `json:"params"`
	// Hash is HashWorkload of Name, Version and Params.
	Hash string `json:"hash"`
	// Summary says in a line what is measured.
	Summary string `json:"summary,omitempty"`
	// Variants describes the variants that were measured.
	Variants []Variant `json:"variants,omitempty"`
	Focus    Focus     `json:"focus,omitzero"`
}

// A Variant is one of the things that a workload compares.
type Variant struct {
	Name string `json:"name"`
	// Doc says in a line what it is.
	Doc string `json:"doc"`
}

// A Focus is what a workload is about: what reports and overviews show first.
type Focus struct {
	// Metrics are the names of metrics, the most telling one first.
	Metrics []string `json:"metrics"`
	// X is the swept parameter along which they are shown.
	X string `json:"x"`
}

// Phase is the part of a run that a series belongs to.
type Phase string

// The phases. What a workload is about is in Steady, and summaries are made of
// it alone.
const (
	WarmUp Phase = "warm-up"
	Steady Phase = "steady"
	// Pause is the time of a migration between barrier and marker.
	Pause Phase = "pause"
	After Phase = "after"
)

// Series is what was counted for one variant at one point in one phase of one
// repeat.
type Series struct {
	Variant string `json:"variant"`
	// Point holds every swept parameter, also those with one value.
	Point  Point `json:"point"`
	Phase  Phase `json:"phase"`
	Repeat int   `json:"repeat"` // from 0
	// Interleaved reports whether several clients were at work at once, so that counts
	// depend on the order of their requests: each repeat is one draw of many.
	Interleaved bool `json:"interleaved,omitzero"`
	// Operations are the logical operations by name: the first ledger.
	Operations map[string]Operations `json:"operations"`
	// Attempts are the requests on the wire, retries included: the second
	// ledger. Sorted by service, API, outcome and cause, one entry for each.
	Attempts []Attempt `json:"attempts"`
	// Retries are the requests that the SDK sent again, as the meter counts them;
	// they are among the attempts.
	Retries int64 `json:"retries"`
	// Usage is what the requests used. Its Units are the third ledger.
	Usage
	// CostUSD is the price of Units, in US dollars.
	CostUSD float64 `json:"cost_usd"`
	// Metrics are by name. Derive sets those that follow from the rest; a workload
	// may add its own.
	Metrics map[string]float64 `json:"metrics"`
	// Latency is by operation name.
	Latency map[string]Latency `json:"latency"`
}

// Operations counts logical operations by outcome; Count is the sum of the
// others.
type Operations struct {
	Count   int64 `json:"count"`
	OK      int64 `json:"ok"`
	Failed  int64 `json:"failed"`
	Unknown int64 `json:"unknown"`
}

// Attempt counts requests of one kind.
type Attempt struct {
	Service string `json:"service"` // "dynamodb" or "s3"
	API     string `json:"api"`     // the SDK's operation name
	// Outcome is one of ok, absent, condition-failed, conflict, throttled,
	// server-error, timeout, reply-lost, other (docs/spec/results.md §1).
	Outcome string `json:"outcome"`
	Cause   string `json:"cause"` // a cause.Label
	Count   int64  `json:"count"`
}

// The meter and the services count in these types as well.
type (
	// Usage is what requests used.
	Usage = counts.Usage
	// Work is what requests did.
	Work = counts.Work
	// Units are what a service bills.
	Units = counts.Units
)

// The sources of units.
const (
	Computed = counts.Computed
	Reported = counts.Reported
)

// Latency holds both times of an operation. Service time runs from when the
// operation began; response time from when it should have begun.
type Latency struct {
	Service  Histogram `json:"service"`
	Response Histogram `json:"response"`
}

// Histogram is an HdrHistogram of nanoseconds. EncodeHistogram makes one.
type Histogram struct {
	// HDR is the histogram in HdrHistogram's V2 compressed encoding, base64.
	HDR string `json:"hdr"`
	// Clamped counts samples that were outside the histogram's range and are
	// recorded at its edge.
	Clamped int64 `json:"clamped"`
}

// Recorded are both times of an operation before they are encoded.
type Recorded struct{ Service, Response Samples }

// Samples are a histogram of nanoseconds, and how many of its samples are at the
// edge of its range.
type Samples struct {
	HDR     *hdrhistogram.Histogram
	Clamped int64
}

// Summary is what the series say together. Summarize makes it, of the steady
// phase. It is derived: everything in it can be recomputed from the series.
type Summary struct {
	Metrics   []MetricSummary `json:"metrics"`
	Growth    []Growth        `json:"growth"`
	Crossover []Crossover     `json:"crossover"`
	Slopes    []Slope         `json:"slopes"`
	// Disturbed are the variants and points with failures that no fault explains.
	Disturbed []Disturbance `json:"disturbed"`
}

// MetricSummary is a metric of one variant at one point over all repeats.
type MetricSummary struct {
	Variant string `json:"variant"`
	Point   Point  `json:"point"`
	Metric  string `json:"metric"`
	// Value is the median of the repeats for a count; for a time it is read from
	// the merged histograms of all repeats.
	Value   float64 `json:"value"`
	Repeats int     `json:"repeats"`
	// Min and Max are over the repeats.
	Min float64 `json:"min"`
	Max float64 `json:"max"`
}

// Growth is how a metric of a variant grows with a parameter
// (docs/spec/results.md §2, "Growth").
type Growth struct {
	Variant string `json:"variant"`
	// Point holds the other coordinates: those that were kept while X varied.
	Point  Point        `json:"point"`
	Metric string       `json:"metric"`
	X      string       `json:"x"` // the parameter's name
	Class  growth.Class `json:"class"`
	// Fit is nil where the class is not determined.
	Fit *growth.Curve `json:"fit,omitzero"`
}

// Crossover says that the order of two variants changes between two measured values
// of a parameter: at the first one the second variant costs more, from the second one
// on the first variant does. Where the order never changes there is no entry.
type Crossover struct {
	Point   Point      `json:"point"` // the other coordinates
	Metric  string     `json:"metric"`
	X       string     `json:"x"` // the parameter's name
	Between [2]float64 `json:"between"`
	// At is the value from which the second variant costs less by the fits; 0 if
	// they do not tell.
	At float64 `json:"at,omitzero"`
	// Changes is how often the order changes; this is the last one.
	Changes  int       `json:"changes"`
	Variants [2]string `json:"variants"`
}

// Slope splits a metric into Slope per unit of parameter X and a Fixed part, by
// a straight line.
type Slope struct {
	Variant string  `json:"variant"`
	Point   Point   `json:"point"` // the other coordinates
	Metric  string  `json:"metric"`
	X       string  `json:"x"`
	Slope   float64 `json:"slope"`
	Fixed   float64 `json:"fixed"`
}

// Status is the outcome of a check.
type Status string

// The outcomes. Only Passed is good; what was Skipped or Inconclusive was not
// shown.
const (
	Passed       Status = "passed"
	Failed       Status = "failed"
	Inconclusive Status = "inconclusive"
	Skipped      Status = "skipped"
)

// Check is the outcome of one check of correctness on what was measured.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Detail string `json:"detail"`
}

// LedgersCheck is the name of the check that holds the ledgers of all series
// against each other (docs/spec/results.md §1).
const LedgersCheck = "ledgers"
