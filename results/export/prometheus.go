package export

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lakebench/lakebench/results"
)

// A Family is what the format calls the samples of one name.
type Family struct {
	Name string
	Help string
	// Quantile is the label of that name, of metrics that are percentiles; "1" is the
	// maximum.
	Quantile string
	// Factor turns the metric's value into the unit.
	Factor float64
}

// FamilyOf returns the family that a metric belongs to. All names begin with
// lakebench_; "/op" becomes "_per_op" and "/s" "_per_second"; what is no letter or
// digit becomes "_"; times are in seconds, percentiles of one time in one family.
func FamilyOf(m results.Metric) Family {
	if t, ok := times[m.From.Time]; ok {
		return Family{Name: "lakebench_" + t.name + "_seconds", Help: t.help, Quantile: quantile(m.From.Percentile), Factor: 1e-9}
	}
	name := m.Name
	if base, ok := strings.CutSuffix(name, "/s"); ok {
		name = base + "/second"
	}
	return Family{Name: "lakebench_" + sanitize(strings.ReplaceAll(name, "/", "_per_")), Factor: 1, Help: capital(m.Title())}
}

var times = map[results.Timing]struct{ name, help string }{
	results.ResponseTime: {"response_time", "Time from when an operation should have begun until it ended"},
	results.ServiceTime:  {"service_time", "Time from when an operation began until it ended"},
}

// quantile is a percentile as a part of 1, without what dividing leaves.
func quantile(percentile float64) string { return decimal(percentile / 100) }

// sanitize makes a name that the format allows.
func sanitize(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' {
			return r
		}
		return '_'
	}, name)
}

// labelName keeps a parameter's name from being that of a label which is taken.
func labelName(param string) string {
	name := sanitize(param)
	if name == "" || '0' <= name[0] && name[0] <= '9' || slices.Contains([]string{"workload", "variant", "quantile"}, name) {
		return "param_" + name
	}
	return name
}

// samples collects the lines of each family.
type samples struct {
	order    []string
	families map[string]Family
	lines    map[string][]string
}

// WritePrometheus writes the summary of the steady phase in the Prometheus text
// format 0.0.4.
func WritePrometheus(w io.Writer, doc results.Document) error {
	s := samples{families: map[string]Family{}, lines: map[string][]string{}}
	for _, m := range doc.Summary.Metrics {
		f := FamilyOf(doc.Metrics.Lookup(m.Metric))
		labels := []string{label("workload", doc.Workload.Name), label("variant", m.Variant)}
		for _, name := range sortedKeys(m.Point) {
			labels = append(labels, label(labelName(name), m.Point[name].String()))
		}
		if f.Quantile != "" {
			labels = append(labels, label("quantile", f.Quantile))
		}
		s.add(f, labels, m.Value*f.Factor)
	}
	for _, c := range doc.Checks {
		passed := 0.0
		if c.Status == results.Passed {
			passed = 1
		}
		s.add(Family{Name: "lakebench_check_passed", Help: "1 if the check passed, 0 if it failed or was not made"},
			[]string{label("workload", doc.Workload.Name), label("check", c.Name), label("status", string(c.Status))}, passed)
	}
	s.add(Family{Name: "lakebench_run_ended_timestamp_seconds", Help: "When the run ended"},
		[]string{label("workload", doc.Workload.Name)}, float64(doc.Ended.UnixMilli())/1000)
	s.add(Family{Name: "lakebench_run_info", Help: "What was run, and where"}, infoLabels(doc), 1)
	_, err := io.WriteString(w, s.text())
	return err
}

func infoLabels(doc results.Document) []string {
	return []string{
		label("workload", doc.Workload.Name), label("workload_hash", doc.Workload.Hash), label("run_id", doc.RunID),
		label("seed", strconv.FormatUint(doc.Seed, 10)), label("clock", string(doc.Clock)), label("backend", doc.Environment.Backend.Kind),
		label("go", doc.Environment.Go), label("os", doc.Environment.OS), label("arch", doc.Environment.Arch),
		label("version", doc.Lakebench.Version), label("commit", doc.Lakebench.Commit),
	}
}

func (s *samples) add(f Family, labels []string, value float64) {
	if _, ok := s.families[f.Name]; !ok {
		s.families[f.Name] = f
		s.order = append(s.order, f.Name)
	}
	s.lines[f.Name] = append(s.lines[f.Name], fmt.Sprintf("%s{%s} %s", f.Name, strings.Join(labels, ","), decimal(value)))
}

// text writes the families, each in one block as the format demands.
func (s *samples) text() string {
	var b strings.Builder
	for _, name := range s.order {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s gauge\n", name, s.families[name].Help, name)
		for _, line := range s.lines[name] {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// label writes a label; its value is escaped.
func label(name, value string) string {
	return name + `="` + strings.NewReplacer("\\", `\\`, "\"", `\"`, "\n", `\n`).Replace(value) + `"`
}

// decimal rounds away what multiplying with a unit's factor leaves.
func decimal(f float64) string {
	if f == 0 || math.IsInf(f, 0) {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 15, 64), 64)
	if err != nil {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return strconv.FormatFloat(rounded, 'g', -1, 64)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
