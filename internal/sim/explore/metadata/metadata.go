// Package metadata is the scenario of the metadata store: writers, readers and a
// crash over store/v1 or store/v2 (docs/spec/metadata-store.md §1 and §6).
//
// The checks look only at the recorded operations, because a store is wrong if its
// callers were answered wrongly and not otherwise. One store that does one thing at a
// time must be able to give the same answers, listings included, and a mutation must
// end with an outcome that the contract allows.
package metadata

import (
	"bytes"
	"context"
	_ "embed" // the shipped scenario
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/internal/sim/explore"
	"github.com/lakebench/lakebench/internal/sim/explore/simulated"
	"github.com/lakebench/lakebench/store"
)

// Name is that of the shipped scenario.
const Name = "metadata"

//go:embed metadata.yaml
var shipped []byte

// Shipped returns the text of the shipped scenario.
func Shipped() []byte { return bytes.Clone(shipped) }

// Default returns the shipped scenario.
func Default() (Config, error) { return Parse(Name+".yaml", shipped) }

// Config is a scenario, as a file says it.
type Config struct {
	Layout     store.Layout
	Writers    int
	Readers    int
	Operations int // of each actor
	Groups     []Group
	Shared     []string // values that all actors write
	Unique     float64  // the probability of a value that no other call writes
	Mix        map[string]Mix
	Services   simulated.Config
	PageLimit  int
	Shards     int // of each family in v2
	Parallel   int // shards that a list drains at once in v2
	Faults     fault.Rules
	Checks     []string
	Policies   []explore.Policy
	// Limits bound the search for an order of each run's operations.
	Limits checker.Limits
}

// Group is a key that guards others. They are checked together.
type Group struct {
	Guard   string
	Targets []string
}

// Mix is how often an actor does what, by the operation's name, in parts of the
// sum.
type Mix map[string]int

// The roles of actors, and the operations that they mix.
const (
	Writers = "writers"
	Readers = "readers"

	opGet     = "get"
	opCAS     = "cas"
	opDelete  = "delete"
	opGuarded = "guarded"
	opList    = "list"
)

// The checks that a file can ask for.
const (
	// Linearizable: one store that does one thing at a time could have given all
	// the answers.
	Linearizable = "linearizable"
	// Listings: no list returns a key twice, or one that was never written; and
	// each key of it counts as a read in Linearizable, so that none is missing
	// that existed throughout.
	Listings = "listings"
	// Answers: a mutation ends as the contract says, and as refused for
	// contention only if that is what its last request was refused for.
	Answers = "answers"
)

func knownOperations() []string { return []string{opGet, opCAS, opDelete, opGuarded, opList} }
func knownChecks() []string     { return []string{Linearizable, Listings, Answers} }

// listed is the prefix that lists are of.
const listed = "tbl/"

// maxActors and maxOperations keep a history within what can be checked.
const (
	maxActors     = 64
	maxOperations = 10_000
	maxLatency    = time.Minute
)

// defaultLimits are far above what a history of the shipped scenario takes.
func defaultLimits() checker.Limits { return checker.Limits{Steps: 5_000_000, Bytes: 1 << 29} }

// Validate reports the first thing that makes no sense.
func (c Config) Validate() error {
	switch {
	case c.Layout != store.V1 && c.Layout != store.V2:
		return fmt.Errorf("layout is %v, expected v1 or v2", c.Layout)
	case c.Writers < 0 || c.Readers < 0 || c.Writers+c.Readers < 1 || c.Writers+c.Readers > maxActors:
		return fmt.Errorf("%d writers and %d readers, expected 1 to %d actors", c.Writers, c.Readers, maxActors)
	case c.Operations < 1 || c.Operations > maxOperations:
		return fmt.Errorf("operations is %d, expected 1 to %d", c.Operations, maxOperations)
	case len(c.Checks) == 0:
		return errors.New("no checks; a scenario without any finds nothing")
	case len(c.Groups) == 0:
		return errors.New("no keys")
	case len(c.Shared) == 0:
		return errors.New("no shared values, expected at least one")
	case c.Unique < 0 || c.Unique > 1:
		return fmt.Errorf("a probability of %v is impossible; it is 0 to 1", c.Unique)
	case len(c.Policies) == 0:
		return errors.New("no policies")
	}
	return c.Services.Validate()
}

// Keys returns all keys, groups in order.
func (c Config) Keys() []string {
	var keys []string
	for _, g := range c.Groups {
		keys = append(append(keys, g.Guard), g.Targets...)
	}
	return keys
}

// role returns the role of an actor: writers come first.
func (c Config) role(actor int) string {
	if actor < c.Writers {
		return Writers
	}
	return Readers
}

// Actors returns the names of all actors, writers first.
func (c Config) Actors() []string {
	var names []string
	for i := range c.Writers {
		names = append(names, fmt.Sprintf("writer-%d", i+1))
	}
	for i := range c.Readers {
		names = append(names, fmt.Sprintf("reader-%d", i+1))
	}
	return names
}

// Scenario returns what is to be explored. source is what --scenario says on the
// command line.
func (c Config) Scenario(source string) explore.Scenario {
	flags := []string{"--scenario", source, "--layout", c.Layout.String()}
	if c.Services.Transport != simulated.Direct {
		flags = append(flags, "--transport", string(c.Services.Transport))
	}
	return explore.Scenario{
		Name:       fmt.Sprintf("%s, layout %v", source, c.Layout),
		Flags:      flags,
		Actors:     c.Actors(),
		Operations: c.Operations,
		Faults:     slices.Clone(c.Faults),
		Open:       func(ctx context.Context, s explore.Setup) (explore.World, error) { return open(ctx, c, s) },
	}
}

// checks reports whether the scenario asks for a check.
func (c Config) checks(name string) bool { return slices.Contains(c.Checks, name) }

// isListed reports whether lists are about the key.
func isListed(key string) bool { return strings.HasPrefix(key, listed) }
