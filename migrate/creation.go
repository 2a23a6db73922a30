package migrate

import (
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
)

// Each record is created by two actions of a transaction, beside which there is
// the check of the barrier (docs/spec/metadata-store.md §5). The 4 MB that a
// transaction may have are never the bound: a page has 1 MB and the rest of one
// item of at most 400 KB, and both the item that is checked and the one that is
// put count.
const (
	actionsPerPair = 2
	// MaxBatch is the most records that a transaction creates: 49.
	MaxBatch = cost.MaxPairs
)

// creation is the transaction that creates records which v2 does not have yet:
// {the barrier is absent; v1 still holds what was read; put v2 if absent} for each.
// Without the check of v1 a delete that comes in between would leave a resurrected
// record (hazard 1), without the barrier's a worker that wakes up after the marker
// would (hazard 3), and a newer value of a dual write is never overwritten
// (hazard 2).
func (m *Migrator) creation(items []original) []types.TransactWriteItem {
	actions := []types.TransactWriteItem{m.records.BarrierAbsent()}
	for _, it := range items {
		actions = append(actions,
			m.v1Record(it.key).Check(store.Exactly(it.value)),
			m.v2Record(it.key).Put(store.Absent(), it.value))
	}
	return actions
}

// place returns which item of a creation an action is about, and on which side.
// Action 0 is the barrier's check, whose item is -1.
func place(action int) (i int, onV2 bool) {
	if action == 0 {
		return -1, false
	}
	return (action - 1) / actionsPerPair, (action-1)%actionsPerPair == 1
}

// A batchSize is how many records a creation has, by the rule that TCP sends by:
// additive increase, multiplicative decrease (RFC 5681). All of a cancelled
// transaction is paid for, and one of n records is cancelled if any of the n is in
// somebody's hands. Where that is so of one record in q a record costs least in
// transactions of about √(q/2) records; the rule's sizes go as √q too, up to the
// most that fits where no writer is in the way.
type batchSize struct {
	most int

	mu  sync.Mutex // guards now; never held over a yield
	now int
}

func newBatchSize(most int) *batchSize { return &batchSize{most: most, now: most} }

// of returns how many of the records that are left come next.
func (b *batchSize) of(left int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return min(left, b.now)
}

// done books a creation of n records: if there were as many as there could be the
// next one has one more.
func (b *batchSize) done(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n >= b.now {
		b.now = min(b.now+1, b.most)
	}
}

// lost books a creation of n records that was in vain for some of them.
func (b *batchSize) lost(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = max(1, min(b.now, n/2))
}

// byRecords reports whether contention concerned records of a creation, so that a
// smaller one meets less of it. The barrier's check is in all of them, and costs
// least in the largest.
func byRecords(err error) bool { return !slices.Equal(item.Contended(err), []int{0}) }
