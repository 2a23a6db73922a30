// Package migration is the scenario of the live migration: nodes in every mode that
// write and read, operators who migrate, faults and crashes
// (docs/spec/metadata-store.md §4 to §6).
//
// A migration is right if the users of the store cannot notice it. So the history of
// all users must be linearizable across the switch of authority, whatever the operators
// did. What the specification promises about the tables is checked after every
// request that may have changed it.
package migration

import (
	"bytes"
	"context"
	_ "embed" // the shipped scenario
	"slices"

	"github.com/lakebench/lakebench/internal/sim/explore"
	"github.com/lakebench/lakebench/internal/sim/explore/metadata"
	"github.com/lakebench/lakebench/internal/sim/explore/simulated"
)

// Name is that of the scenario.
const Name = "migration"

//go:embed migration.yaml
var shipped []byte

// Shipped returns the text of the scenario, in the language of package metadata.
func Shipped() []byte { return bytes.Clone(shipped) }

// Default returns the scenario.
func Default() (metadata.Config, error) { return metadata.Parse(Name+".yaml", shipped) }

// The checks beside those of package metadata.
const (
	// Pause: between barrier and marker nothing is written that a dual node, or a
	// migrator, wrote.
	Pause = "pause"
	// Marker: it is published once, by who holds the barrier, and stays.
	Marker = "marker"
	// Equality: when the marker is published both layouts hold the same, and in the
	// end too, unless a v2-only node has stopped mirroring.
	Equality = "equality"
	// Waits: no node is v2-only while another one is dual.
	Waits = "waits"
	// Refresh: no list that begins after the marker reads v1.
	Refresh = "refresh"
	// Copies: what a migrator writes into v2 is what v1 holds at that moment.
	Copies = "copies"
	// Backfilled: when a run is complete during which no v1-only node wrote, v2 holds
	// every record of v1, or there is a problem on record.
	Backfilled = "backfilled"
)

// operators are who migrates.
var operators = []string{"operator-1", "operator-2"}

// Scenario returns what is to be explored.
func Scenario(cfg metadata.Config) explore.Scenario {
	flags := []string{"--scenario", Name}
	if cfg.Services.Transport != simulated.Direct {
		flags = append(flags, "--transport", string(cfg.Services.Transport))
	}
	return explore.Scenario{
		Name: Name, Flags: flags,
		Actors:     append(cfg.Actors(), operators...),
		Operations: cfg.Operations,
		Faults:     slices.Clone(cfg.Faults),
		Open:       func(ctx context.Context, s explore.Setup) (explore.World, error) { return open(ctx, cfg, s) },
	}
}
