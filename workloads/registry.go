// Package workloads holds what lakebench can measure, a file each: variants and
// parameters, how to set it up, which operations it runs, which checks what it
// measured must pass, and what its headline says. Package run measures it.
package workloads

import (
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
)

// All returns the workloads in the order in which they are listed.
func All() []*run.Workload {
	return []*run.Workload{
		catalogRefresh(), appendHistory(), metadataMix(), dualWrite(), migration(),
		freshRead(), flush(), compaction(), walAppend(), walReplay(), concurrentCommits(), failover(),
	}
}

// Find returns the workload of that name.
func Find(name string) (*run.Workload, error) { return run.Find(All(), name) }

// Merge is results.Merge, and has the workload describe what came of it.
func Merge(runID string, docs ...results.Named) (results.Document, error) {
	doc, err := results.Merge(runID, docs...)
	if err != nil {
		return results.Document{}, err
	}
	w, err := Find(doc.Workload.Name)
	if err != nil {
		return results.Document{}, err
	}
	w.Describe(&doc)
	return doc, nil
}
