package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/lakebench/lakebench/results"
)

// samecounts compares two result documents but for what docs/spec/results.md §2
// exempts on the real clock. Usage: [!] samecounts FILE FILE.
func samecounts(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] samecounts FILE FILE")
	}
	sameText(ts, neg, args, counts(ts, args[0]), counts(ts, args[1]))
}

// samevirtual compares two result documents of the virtual clock, of which only
// the head may differ. Usage: [!] samevirtual FILE FILE.
func samevirtual(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] samevirtual FILE FILE")
	}
	text := func(file string) string { return encode(ts, headless(ts, file)) }
	sameText(ts, neg, args, text(args[0]), text(args[1]))
}

func sameText(ts *testscript.TestScript, neg bool, args []string, a, b string) {
	if diff := cmp.Diff(a, b); (diff == "") == neg {
		ts.Fatalf("%s and %s: equal is %v, expected %v\n%s", args[0], args[1], diff == "", !neg, diff)
	}
}

// headless returns a document without what says when, where and by what it was
// made.
func headless(ts *testscript.TestScript, file string) results.Document {
	doc, err := results.Decode([]byte(ts.ReadFile(file)))
	ts.Check(err)
	return withoutHead(doc)
}

func withoutHead(doc results.Document) results.Document {
	var none results.Document
	doc.RunID, doc.Started, doc.Ended = "compared", none.Started, none.Ended
	doc.Lakebench, doc.Environment = none.Lakebench, none.Environment
	return doc
}

func encode(ts *testscript.TestScript, doc results.Document) string {
	text, err := results.Encode(doc)
	ts.Check(err)
	return string(text)
}

// counts returns the text of a document without what differs from run to run on
// the real clock, nor which clock it was.
func counts(ts *testscript.TestScript, file string) string {
	doc := headless(ts, file)
	doc.Clock = results.RealClock
	timed := func(metric string) bool { return strings.HasSuffix(metric, "-ns") }
	for i := range doc.Series {
		doc.Series[i].Latency = nil
		maps.DeleteFunc(doc.Series[i].Metrics, func(name string, _ float64) bool { return timed(name) })
	}
	s := &doc.Summary
	s.Metrics = slices.DeleteFunc(s.Metrics, func(m results.MetricSummary) bool { return timed(m.Metric) })
	s.Growth = slices.DeleteFunc(s.Growth, func(g results.Growth) bool { return timed(g.Metric) })
	s.Crossover = slices.DeleteFunc(s.Crossover, func(c results.Crossover) bool { return timed(c.Metric) })
	s.Slopes = slices.DeleteFunc(s.Slopes, func(x results.Slope) bool { return timed(x.Metric) })
	return encode(ts, doc)
}
