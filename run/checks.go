package run

import (
	"fmt"
	"strings"
	"sync"

	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run/load"
)

// CheckList gathers the outcomes of checks from all points. A check that is made
// at several points is one check of the run: it passed if it passed everywhere.
type CheckList struct {
	mu     sync.Mutex // never held over a yield
	order  []string
	byName map[string]*results.Check
	// operations and histories are those that were found to be linearizable.
	operations, histories int64
}

// rank orders outcomes from good to bad: the worst one is the run's.
var rank = map[results.Status]int{results.Passed: 0, results.Skipped: 1, results.Inconclusive: 2, results.Failed: 3}

// Add adds outcomes: of several of one name the worst is kept.
func (l *CheckList) Add(checks ...results.Check) {
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
func (l *CheckList) ledgers(what string, p load.Point, err error) {
	c := results.Check{
		Name: results.LedgersCheck, Status: results.Passed,
		Detail: "calls + retries = attempts = requests served, in every phase",
	}
	if err != nil {
		c.Status = results.Failed
		c.Detail = fmt.Sprintf("%s at %s: %s", what, PointText(p), oneLine(err.Error()))
	}
	l.Add(c)
}

// maxLostShare is the share of attempts whose reply may be lost. Each is sent
// again, so this share of all requests was counted twice: up to 1 in 1,000 it
// stays below the three digits to which results are read.
const maxLostShare = 0.001

// repliesCheck is the name of the check that replies of an endpoint arrive.
const repliesCheck = "replies arrive"

// replies judges the replies that were lost though no fault was injected.
func replies(attempts, lost int64) results.Check {
	c := results.Check{Name: repliesCheck, Status: results.Passed, Detail: fmt.Sprintf("all %d requests got their reply", attempts)}
	share := float64(lost) / float64(max(attempts, 1))
	switch {
	case share > maxLostShare:
		c.Status = results.Failed
		c.Detail = fmt.Sprintf("%d of %d requests (%.2g %%) lost their reply, more than %g %%: each was sent again, so counts and units are too high; "+
			"repeat the run, and if it happens again, look for what closes connections between here and the endpoint (--trace-out has the errors)",
			lost, attempts, 100*share, 100*maxLostShare)
	case lost > 0:
		c.Detail = fmt.Sprintf("%d of %d requests lost their reply, at most %g %% may", lost, attempts, 100*maxLostShare)
	}
	return c
}

// All returns the outcomes in the order in which their names were added.
func (l *CheckList) All() []results.Check {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]results.Check, 0, len(l.order))
	for _, name := range l.order {
		out = append(out, *l.byName[name])
	}
	return out
}

func oneLine(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), "\n", "; ") }
