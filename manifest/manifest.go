package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// A Manifest is one version of what a shard is: who may write to it, which
// generations it has, and from where on its WAL is not in one of them.
type Manifest struct {
	Shard   ShardID
	Version uint64 // from 1, without gaps
	Spec    Spec
	// WriterEpoch is the fencing token of the writer that holds the shard; 0 until
	// a writer claims it.
	WriterEpoch uint64
	// ReplayAfter is the last WAL position that a generation covers; 0 is none.
	ReplayAfter uint64
	// LastSeen is a WAL position that was there when this was written. The end of
	// the WAL is there or beyond, however far.
	LastSeen uint64
	// CurrentGeneration is the number that the next flush gets, from 1.
	CurrentGeneration uint64
	// Generations are those flushed and not compacted away.
	Generations []Generation
	Status      Status

	newer    newerFields
	repeated []uint64
}

// Repeated returns the numbers of generations that the body listed more than once, each
// time with the same path. The real system does so after a lost reply: the flush is
// committed again. The rows are the same, so Generations has each of them once.
func (m Manifest) Repeated() []uint64 { return slices.Clone(m.repeated) }

// A Spec is how rows find a shard. It never changes.
type Spec struct {
	ID     uint32 // 0 is a shard made by hand
	Fields []FieldValue
}

// A FieldValue is a value that the rows of a shard have in common.
type FieldValue struct {
	FieldID string
	Value   []byte // a raw Arrow scalar, little-endian

	newer []byte
}

// A Generation is a memtable that was flushed.
type Generation struct {
	Number uint64
	Path   string // of its directory, below the shard's
	// Of these, nil is not known: generations of older programs do not have them.
	InMemoryBytes, PhysicalRows, PrimaryKeyBytes *uint64

	newer []byte
}

// A Status is whether a shard may be claimed.
type Status int32

// The statuses. A manifest may have one that is newer than this program.
const (
	Active Status = 0
	// Sealed shards are being dropped, which may be taken back.
	Sealed Status = 1
)

func (s Status) String() string {
	switch s {
	case Active:
		return "active"
	case Sealed:
		return "sealed"
	}
	return fmt.Sprintf("status %d", int32(s))
}

// Equal compares specs; the order of fields is of no meaning.
func (s Spec) Equal(other Spec) bool {
	if s.ID != other.ID || len(s.Fields) != len(other.Fields) {
		return false
	}
	for _, f := range s.Fields {
		if !slices.ContainsFunc(other.Fields, func(o FieldValue) bool {
			return o.FieldID == f.FieldID && slices.Equal(o.Value, f.Value)
		}) {
			return false
		}
	}
	return true
}

func (s Spec) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "spec %d", s.ID)
	for _, f := range s.Fields {
		fmt.Fprintf(&b, " %s=0x%x", f.FieldID, f.Value)
	}
	return b.String()
}

// Clone returns a copy that shares nothing with m.
func (m Manifest) Clone() Manifest {
	m.Spec.Fields = slices.Clone(m.Spec.Fields)
	for i, f := range m.Spec.Fields {
		m.Spec.Fields[i].Value = slices.Clone(f.Value)
	}
	m.Generations = slices.Clone(m.Generations)
	for i, g := range m.Generations {
		g.InMemoryBytes, g.PhysicalRows, g.PrimaryKeyBytes = clonePointer(g.InMemoryBytes), clonePointer(g.PhysicalRows), clonePointer(g.PrimaryKeyBytes)
		m.Generations[i] = g
	}
	return m
}

func clonePointer(p *uint64) *uint64 {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// Next returns m under the next version: what an update begins with.
func (m Manifest) Next() Manifest {
	m = m.Clone()
	m.Version++
	m.repeated = nil
	return m
}

// check returns what makes no sense in m by itself, "" if nothing.
func (m Manifest) check() string {
	if m.CurrentGeneration == 0 {
		return "its current generation is 0; the first is 1"
	}
	seen := make(map[uint64]bool, len(m.Generations))
	for _, g := range m.Generations {
		switch {
		case g.Number == 0 || g.Number >= m.CurrentGeneration:
			return fmt.Sprintf("it lists generation %d, while the next is to be %d", g.Number, m.CurrentGeneration)
		case seen[g.Number]:
			return fmt.Sprintf("it lists generation %d twice", g.Number)
		case g.Path == "" || g.Path == "." || g.Path == ".." || strings.Contains(g.Path, "/"):
			return fmt.Sprintf("the path of generation %d is %q, which is no directory of the shard", g.Number, g.Path)
		}
		seen[g.Number] = true
	}
	return ""
}

// checkSuccessor refuses a manifest that may not follow m. A skipped version
// would hide all that come after it; the others would undo what a reader relies
// on.
func (m Manifest) checkSuccessor(next Manifest) error {
	wrong := next.check()
	switch {
	case next.Version != m.Version+1:
		wrong = fmt.Sprintf("its version is %d", next.Version)
	case next.Shard != m.Shard || !next.Spec.Equal(m.Spec):
		wrong = fmt.Sprintf("it is of shard %v, %v instead of %v, %v", next.Shard, next.Spec, m.Shard, m.Spec)
	case next.WriterEpoch < m.WriterEpoch:
		wrong = fmt.Sprintf("its epoch goes back from %d to %d", m.WriterEpoch, next.WriterEpoch)
	case next.ReplayAfter < m.ReplayAfter:
		wrong = fmt.Sprintf("its replay position goes back from %d to %d", m.ReplayAfter, next.ReplayAfter)
	case next.CurrentGeneration < m.CurrentGeneration:
		wrong = fmt.Sprintf("its current generation goes back from %d to %d", m.CurrentGeneration, next.CurrentGeneration)
	}
	if wrong != "" {
		return fmt.Errorf("%w: what is to follow version %d of shard %v may not: %s", ErrInvalid, m.Version, m.Shard, wrong)
	}
	return nil
}
