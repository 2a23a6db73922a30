package migrate

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/units"
)

// Each record is created by two actions of a transaction, beside which there is
// the check of the barrier (spec §5). The 4 MB that a transaction may have are never
// the bound: a page has 1 MB and the rest of one item of at most 400 KB, and both
// the item that is checked and the one that is put count.
const (
	actionsPerPair = 2
	// MaxBatch is the most records that a transaction creates: 49.
	MaxBatch = (units.MaxTransactItems - 1) / actionsPerPair
)

// creation is the transaction that creates records which v2 does not have yet:
// {the barrier is absent; v1 still holds what was read; put v2 if absent} for each.
// Without the check of v1 a delete that comes in between would leave a resurrected
// record (spec §6, hazard 1), without the barrier's a worker that wakes up after
// the marker would (hazard 3), and a newer value of a dual write is never
// overwritten (hazard 2).
func (m *Migrator) creation(items []item) []types.TransactWriteItem {
	actions := []types.TransactWriteItem{m.records.BarrierAbsent()}
	for _, it := range items {
		actions = append(actions,
			m.v1Record(it.key).Check(store.Exactly(it.value)),
			m.v2Record(it.key).Put(store.Absent(), it.value))
	}
	return actions
}

// place says which item of a creation an action is about, and on which side.
// Action 0 is the barrier's check, whose item is -1.
func place(action int) (item int, onV2 bool) {
	if action == 0 {
		return -1, false
	}
	return (action - 1) / actionsPerPair, (action-1)%actionsPerPair == 1
}
