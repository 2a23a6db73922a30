package workloads

import (
	"fmt"
	"strings"
	"sync"

	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run/load"
)

// checkList gathers the outcomes of checks from all points. A check that is made
// at several points is one check of the run: it passed if it passed everywhere.
type checkList struct {
	mu     sync.Mutex // never held over a yield
	order  []string
	byName map[string]*results.Check
	// operations and histories are those that were found to be linearizable.
	operations, histories int64
}

// rank orders outcomes from good to bad: the worst one is the run's.
var rank = map[results.Status]int{results.Passed: 0, results.Skipped: 1, results.Inconclusive: 2, results.Failed: 3}

func (l *checkList) add(checks ...results.Check) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range checks {
		known, ok := l.byName[c.Name]
		switch {
		case !ok:
			if l.byName == nil {
				l.byName = map[string]*results.Check{}
			}
			l.order = append(l.order, c.Name)
			l.byName[c.Name] = &c
		case rank[c.Status] > rank[known.Status]:
			*known = c
		case c.Status == results.Passed && known.Status == results.Passed:
			*known = c // the last one: it may sum up
		}
	}
}

// ledgers books whether the ledgers of one meter agreed.
func (l *checkList) ledgers(what string, p load.Point, err error) {
	c := results.Check{
		Name: results.LedgersCheck, Status: results.Passed,
		Detail: "calls + retries = attempts = requests served, in every phase",
	}
	if err != nil {
		c.Status = results.Failed
		c.Detail = fmt.Sprintf("%s at %s: %s", what, pointText(p), oneLine(err.Error()))
	}
	l.add(c)
}

func (l *checkList) all() []results.Check {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]results.Check, 0, len(l.order))
	for _, name := range l.order {
		out = append(out, *l.byName[name])
	}
	return out
}

func oneLine(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), "\n", "; ") }
