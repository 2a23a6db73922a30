package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/results"
)

// warnings say what beside the measured thing is not the same. Of aligned results the
// parameters are expected to differ.
func warnings(old, next results.Document, aligned bool) []string {
	found := []string{}
	warn := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if old.Workload.Hash != next.Workload.Hash && !aligned {
		warn("different things were measured: %s", differentParams(old.Workload.Params, next.Workload.Params))
	}
	if old.Seed != next.Seed {
		warn("the seeds are %d and %d: counts that depend on what a seed generates differ for that reason alone", old.Seed, next.Seed)
	}
	if old.Clock != next.Clock {
		warn("the clocks are %s and %s: times are not compared", old.Clock, next.Clock)
	}
	if old.Deterministic != next.Deterministic {
		warn("only one of the results is deterministic: counts are compared as samples")
	}
	if diffs := environmentDifferences(old.Environment, next.Environment); len(diffs) > 0 {
		warn("the environments differ: %s", strings.Join(diffs, "; "))
	}
	for _, d := range []struct {
		which string
		doc   results.Document
	}{{"old", old}, {"new", next}} {
		if d.doc.Partial {
			warn("the %s result is partial: its run was interrupted", d.which)
		}
		if all := d.doc.Summary.Disturbed; len(all) > 0 {
			warn("requests of the %s result failed although no fault was injected, at %s (first %s at %s): its counts there are not those of the variant alone",
				d.which, format.Plural(int64(len(all)), "point", "points"), all[0].Variant, all[0].Point)
		}
		for _, c := range d.doc.Checks {
			if c.Status == results.Failed {
				warn("the %s result is invalid: its check %q failed", d.which, c.Name)
			}
		}
	}
	return found
}

// environmentDifferences names what is not the same of where two runs took place.
func environmentDifferences(a, b results.Environment) []string {
	var found []string
	differ := func(what string, x, y any) {
		if x != y {
			found = append(found, fmt.Sprintf("%s %v and %v", what, orNone(x), orNone(y)))
		}
	}
	differ("Go", a.Go, b.Go)
	differ("OS", a.OS, b.OS)
	differ("architecture", a.Arch, b.Arch)
	differ("CPUs", a.CPUs, b.CPUs)
	differ("backend", a.Backend.Kind, b.Backend.Kind)
	differ("endpoint", a.Backend.Endpoint, b.Backend.Endpoint)
	differ("region", a.Backend.Region, b.Backend.Region)
	for _, name := range union(a.Backend.Settings, b.Backend.Settings) {
		differ(name, a.Backend.Settings[name], b.Backend.Settings[name])
	}
	return found
}

func orNone(v any) any {
	if v == "" {
		return "none"
	}
	return v
}

// union returns the keys of both maps, sorted.
func union[V any](a, b map[string]V) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(names)
	return slices.Compact(names)
}

// differentParams names the parameters that have different values.
func differentParams(a, b results.Params) string {
	var found []string
	for _, name := range union(a, b) {
		if x, y := written(a, name), written(b, name); x != y {
			found = append(found, fmt.Sprintf("%s is %s and %s", name, x, y))
		}
	}
	if len(found) == 0 {
		return "the parameters are the same, the workload's name or version is not"
	}
	return strings.Join(found, "; ")
}

// written is a parameter's value as it stands in the file, without the brackets of a
// list of one.
func written(p results.Params, name string) string {
	v, ok := p[name]
	if !ok {
		return "not set"
	}
	if one, ok := single(p, name); ok {
		v = one
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
