package cost

import "github.com/lakebench/lakebench/internal/units"

// A Mode is what a node reads and writes (docs/spec/metadata-store.md §4). A
// store/control.Mode is one.
type Mode interface {
	ReadsV2() bool // else it reads v1
	WritesV1() bool
	WritesV2() bool
}

// Mutation returns what one CAS or Delete of an item costs: one request in every
// mode; each action of a transaction costs twice the units of a plain write,
// rounded up by item; while v1 is read and both are written, the transaction also
// checks the barrier (docs/spec/metadata-store.md §4).
func Mutation(m Mode, family string, itemBytes int64) Cost {
	v1, v2 := units.Write(itemBytes), units.Write(itemBytes+bucketBytes(family))
	c := Cost{Requests: 1}
	switch {
	case !m.WritesV2():
		c.WRU = v1
	case !m.WritesV1():
		c.WRU = v2
	default:
		c.WRU = 2*v1 + 2*v2
		if !m.ReadsV2() {
			c.WRU += BarrierCheck
		}
	}
	return c
}

// BarrierCheck is the write units of checking in a transaction that the write
// barrier is absent (docs/spec/metadata-store.md §4).
const BarrierCheck = 2

// GuardedMutation returns what one GuardedMutate costs: a transaction in every
// mode, which checks the guard in the layout that the mode reads
// (docs/spec/metadata-store.md §4).
func GuardedMutation(m Mode, family string, itemBytes int64, guardFamily string, guardBytes int64) Cost {
	c := Mutation(m, family, itemBytes)
	if !m.WritesV1() || !m.WritesV2() { // a plain write, which becomes an action
		c.WRU *= 2
	}
	c.WRU += units.TransactWrite(sizeRead(m, guardFamily, guardBytes))
	return c
}

// PointRead returns what one strong read of a record costs
// (docs/spec/metadata-store.md §3).
func PointRead(m Mode, family string, itemBytes int64) Cost {
	c := read(sizeRead(m, family, itemBytes))
	c.Evaluated, c.Returned = 1, 1
	return c
}

// sizeRead is the size of a record in the layout that a mode reads.
func sizeRead(m Mode, family string, itemBytes int64) int64 {
	if m.ReadsV2() {
		return itemBytes + bucketBytes(family)
	}
	return itemBytes
}
