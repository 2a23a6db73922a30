package compare

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/render/format"
	"github.com/lakebench/lakebench/internal/spelling"
	"github.com/lakebench/lakebench/results"
)

// An AlignError reports why results cannot be put side by side by a parameter.
type AlignError struct{ Problem string }

func (e *AlignError) Error() string { return e.Problem }

// Align names results by the parameters that they differ in, "page limit 250", and
// takes those out of their points, so that series which agree in everything else are
// at one point. It refuses results that differ in another parameter as well: what
// differs between them would have two causes. An error is an *AlignError.
func Align(all []results.Named, by []string) ([]results.Named, error) {
	by = unique(by)
	if err := alignable(all, by); err != nil {
		return nil, &AlignError{err.Error()}
	}
	aligned := make([]results.Named, len(all))
	of := map[string]string{}
	for i, r := range all {
		label := labelOf(r.Document.Workload.Params, by)
		if other, taken := of[label]; taken {
			return nil, &AlignError{fmt.Sprintf("%s and %s both have %s; name one of them", other, r.Name, label)}
		}
		of[label] = r.Name
		aligned[i] = results.Named{Name: label, Document: without(r.Document, by)}
	}
	return aligned, nil
}

// alignable says why results cannot be aligned by parameters.
func alignable(all []results.Named, by []string) error {
	if len(all) < 2 {
		return fmt.Errorf("--by needs at least two results, found %d", len(all))
	}
	known := map[string]any{}
	for _, r := range all {
		a, b := all[0].Document.Workload, r.Document.Workload
		if a.Name != b.Name || a.Version != b.Version {
			return fmt.Errorf("%s is of %s version %d and %s of %s version %d; --by needs results of one workload and version", all[0].Name, a.Name, a.Version, r.Name, b.Name, b.Version)
		}
		maps.Copy(known, b.Params)
	}
	differ := differing(all)
	for _, name := range by {
		switch _, ok := known[name]; {
		case !ok:
			return fmt.Errorf("--by: %s", spelling.Unknown("parameter", name, slices.Collect(maps.Keys(known))))
		case !slices.Contains(differ, name) && len(differ) == 0:
			return fmt.Errorf("--by %s: it is %s in every result, as is every other parameter; leave --by out", name, written(all[0].Document.Workload.Params, name))
		case !slices.Contains(differ, name):
			return fmt.Errorf("--by %s: it is %s in every result; they differ in %s: use --by %s", name, written(all[0].Document.Workload.Params, name), format.List(differ), strings.Join(differ, ","))
		}
		for _, r := range all {
			if _, one := single(r.Document.Workload.Params, name); !one {
				return fmt.Errorf("--by %s: %s has several values of it, %s; expected one in each result", name, r.Name, written(r.Document.Workload.Params, name))
			}
		}
	}
	others := slices.DeleteFunc(differ, func(name string) bool { return slices.Contains(by, name) })
	if len(others) > 0 {
		together := slices.Concat(by, others)
		return fmt.Errorf("--by %s: the results differ in %s as well; use --by %s", strings.Join(by, ","), describe(all, others), strings.Join(together, ","))
	}
	return nil
}

// Separated returns the parameters that results of one workload differ in, if each
// result has one value of each: what Align can align them by. It is nil for others.
func Separated(all []results.Named) []string {
	differ := differing(all)
	for _, r := range all {
		if r.Document.Workload.Name != all[0].Document.Workload.Name || r.Document.Workload.Version != all[0].Document.Workload.Version {
			return nil
		}
		for _, name := range differ {
			if _, one := single(r.Document.Workload.Params, name); !one {
				return nil
			}
		}
	}
	return differ
}

// Unaligned returns an *AlignError that names the flag to use, if results differ in
// parameters that Align can align them by.
func Unaligned(all []results.Named) error {
	names := Separated(all)
	if len(names) == 0 {
		return nil
	}
	return &AlignError{fmt.Sprintf("the results differ in %s; --by %s puts them side by side", describe(all, names), strings.Join(names, ","))}
}

// describe names parameters with their values: "page_limit (1000 and 250)".
func describe(all []results.Named, names []string) string {
	var parts []string
	for _, name := range names {
		var values []string
		for _, r := range all {
			values = append(values, written(r.Document.Workload.Params, name))
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", name, format.List(unique(values))))
	}
	return format.List(parts)
}

// differing names the parameters that do not have one value in all results, sorted.
func differing(all []results.Named) []string {
	var names []string
	for _, r := range all[1:] {
		a, b := all[0].Document.Workload.Params, r.Document.Workload.Params
		for _, name := range union(a, b) {
			if written(a, name) != written(b, name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// single returns the one value of a parameter. A parameter that is missing has one:
// none.
func single(p results.Params, name string) (value any, ok bool) {
	v := p[name]
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice {
		if list.Len() != 1 {
			return nil, false
		}
		v = list.Index(0).Interface()
	}
	return v, true
}

// labelOf names a result by parameters: "page limit 250, tables 1,000".
func labelOf(p results.Params, by []string) string {
	var parts []string
	for _, name := range by {
		v, _ := single(p, name)
		text := fmt.Sprint(v)
		if c, err := results.ValueOf(v); err == nil {
			text = results.FormatCoordinate(c)
		}
		if _, there := p[name]; !there {
			text = "not set"
		}
		parts = append(parts, format.Spaced(name)+" "+text)
	}
	return strings.Join(parts, ", ")
}

// without returns the document with parameters taken out of its points.
func without(doc results.Document, by []string) results.Document {
	strip := func(p results.Point) results.Point {
		for _, name := range by {
			p = p.Without(name)
		}
		return p
	}
	doc.Series = slices.Clone(doc.Series)
	for i := range doc.Series {
		doc.Series[i].Point = strip(doc.Series[i].Point)
	}
	doc.Summary.Metrics = slices.Clone(doc.Summary.Metrics)
	for i := range doc.Summary.Metrics {
		doc.Summary.Metrics[i].Point = strip(doc.Summary.Metrics[i].Point)
	}
	doc.Summary.Growth = slices.Clone(doc.Summary.Growth)
	for i := range doc.Summary.Growth {
		doc.Summary.Growth[i].Point = strip(doc.Summary.Growth[i].Point)
	}
	return doc
}

// unique returns the words without repetition, in their order.
func unique(words []string) []string {
	var all []string
	for _, w := range words {
		if !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}
