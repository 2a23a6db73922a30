// Package results holds what a run produced: one document with every ledger,
// latency histogram, check and summary, its files, and its tables.
//
// The package's opinion: a number is only worth keeping with the counts it was
// made from. Metrics, summaries, fits and tables are all recomputable from the
// ledgers and histograms in the document; percentiles are taken from merged
// histograms and never averaged; counts are exact and printed exactly. The
// format is docs/spec/results.md §2, and a reader refuses what it does not know.
package results
