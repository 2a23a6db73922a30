// Package inspect reports what state the shards of a table are in, and what it would
// cost to open and to read them, without writing anything.
//
// What is wrong is named with its path and does not end the look at
// the rest; and a cost is not worked out but counted: the very code that opens a
// shard runs against a copy of it in memory.
package inspect

import "fmt"

// A Report is what was found below a table (docs/spec/results.md §2).
type Report struct {
	Location string  `json:"location"` // of the table
	Shards   []Shard `json:"shards"`   // in the order of their ids
}

// A Shard is the state of a shard. What could not be read is zero, and among its
// problems.
type Shard struct {
	ID                string       `json:"id"`
	Version           uint64       `json:"version"` // of the tip; 0: there is no manifest
	Status            string       `json:"status"`
	WriterEpoch       uint64       `json:"writer_epoch"`
	SpecID            uint32       `json:"spec_id"`
	ReplayAfter       uint64       `json:"replay_after"`
	LastSeen          uint64       `json:"last_seen"`
	CurrentGeneration uint64       `json:"current_generation"`
	Generations       []Generation `json:"generations"` // that the tip lists
	Hint              uint64       `json:"hint"`        // 0: missing or damaged
	HintState         HintState    `json:"hint_state"`
	WALTip            uint64       `json:"wal_tip"` // the last entry, or the last one that a generation covers; 0: none
	Tail              Tail         `json:"wal_tail"`
	// Orphans are directories of generations that the tip does not list: compacted
	// and not yet collected, left by a flush that failed, or of one under way.
	Orphans []string `json:"orphans"`
	// Foreign are the names of objects in the manifest's directory that no version and
	// no hint has. Every search of the tip lists or passes them by.
	Foreign []string `json:"foreign"`
	// Cost is by policy; one that cannot open the shard is missing.
	Cost map[string]Cost `json:"cost"`
	// NewerFields are those of the tip that this program does not know. They are
	// kept by each process that commits through it.
	NewerFields []string `json:"newer_fields"`
	// Problems are what is wrong, one line each, with the path of where. A sealed
	// shard has none: it is as it should be.
	Problems []string `json:"problems"`

	// Unopened is why there is no cost though nothing is wrong; "" if there is.
	Unopened string `json:"unopened,omitempty"`
}

// A Generation is one that the tip lists.
type Generation struct {
	Generation uint64 `json:"generation"`
	Path       string `json:"path"`
}

// A HintState compares the version hint with the tip.
type HintState string

// The states of a hint.
const (
	HintExact   HintState = "exact"
	HintBehind  HintState = "behind"
	HintAhead   HintState = "ahead"
	HintMissing HintState = "missing"
	HintDamaged HintState = "damaged"
)

// hintState compares a hint, 0 if it is damaged, with the tip.
func hintState(exists bool, hint, tip uint64) HintState {
	switch {
	case !exists:
		return HintMissing
	case hint == 0:
		return HintDamaged
	case hint < tip:
		return HintBehind
	case hint > tip:
		return HintAhead
	}
	return HintExact
}

// A Tail is the entries of the WAL that no generation covers.
type Tail struct {
	Entries   int `json:"entries"` // sentinels included
	Sentinels int `json:"sentinels"`
	Rows      int `json:"rows"`
}

// A Cost is requests.
type Cost struct {
	// Open is what it takes to claim the shard and to replay its WAL.
	Open int `json:"open"`
	// Read is what its writer then asks for to scan all generations whose metadata
	// it has: the manifest, and one object of each.
	Read int `json:"read"`
}

// Problems counts what is wrong with all shards.
func (r Report) Problems() int {
	n := 0
	for _, s := range r.Shards {
		n += len(s.Problems)
	}
	return n
}

// A ProblemsError is a table with whose shards something is wrong.
type ProblemsError struct {
	Location string
	Count    int
}

func (e *ProblemsError) Error() string {
	return fmt.Sprintf("%s: %s with its shards, listed above", e.Location, counted(e.Count, "problem", "problems"))
}
