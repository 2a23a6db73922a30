package plan

import (
	"github.com/lakebench/lakebench/internal/cost"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/keyspace"
)

// A Pattern is one kind of operation of a lake: how often, and what one costs in
// each column.
type Pattern struct {
	Name string `json:"name"`
	// PerSecond is the mean rate over the whole lake.
	PerSecond float64 `json:"per_second"`
	// Costs has the cost of one operation by column: a Mode, or a Policy.
	Costs map[string]cost.Cost `json:"costs"`
	// Spread has, by column, the bounds of a cost that key hashes decide.
	Spread map[string]cost.Spread `json:"spread,omitempty"`
	// Source says where the costs come from: a rule, or a result file.
	Source string `json:"source"`
}

// Names of patterns, where others refer to them.
const (
	patternRefresh    = "catalog refresh"
	patternCommit     = "table update"
	patternFreshRead  = "fresh read"
	patternAppend     = "append"
	patternFlush      = "flush"
	patternCompaction = "compaction"
	patternOpen       = "open"
	// patternBackfill is no pattern of a month, but of the migration: of a record.
	patternBackfill = "backfill of a record"
)

// metadata returns the access patterns of the metadata store. A commit creates
// its append-operation and manifest records, and now and then a tombstone or a
// lease, updates its table, and what it created expires: so in the steady state
// as many records are deleted as are created.
func (s Scale) metadata() []Pattern {
	created := []struct {
		name, family string
		perCommit    float64
	}{
		{"append-operation record", keyspace.Appends, 1},
		{"manifest record", keyspace.Manifests, 1},
		{"tombstone", keyspace.Tombstones, s.TombstoneShare},
		{"lease", keyspace.Leases, s.LeaseShare},
	}
	out := []Pattern{s.refresh(), s.pointReads(), s.updates()}
	for _, c := range created {
		if c.perCommit == 0 {
			continue
		}
		// Deleting costs what creating did: the larger image counts.
		out = append(out, byMode(c.name+", created or expired", 2*s.CommitsPerSecond*c.perCommit, func(m control.Mode) cost.Cost {
			return cost.Mutation(m, c.family, s.ItemBytes)
		}))
	}
	return out
}

const ruleSource = "the documented rules"

func byMode(name string, perSecond float64, of func(control.Mode) cost.Cost) Pattern {
	p := Pattern{Name: name, PerSecond: perSecond, Costs: map[string]cost.Cost{}, Source: ruleSource}
	for _, m := range control.Modes() {
		p.Costs[m.String()] = of(m)
	}
	return p
}

func (s Scale) refresh() Pattern {
	v2 := cost.RefreshV2(s.Tables, keyspace.Tables, int(s.TableShards), s.ItemBytes, s.PageLimit)
	p := byMode(patternRefresh, s.RefreshesPerSecond(), func(m control.Mode) cost.Cost {
		switch m {
		case control.ModeV1:
			return cost.RefreshV1(s.Tables, s.History(), s.ItemBytes, s.PageLimit)
		case control.ModeDual:
			return cost.RefreshDual(s.Tables, s.History(), s.ItemBytes, s.PageLimit)
		default:
			return v2.Even
		}
	})
	p.Spread = map[string]cost.Spread{control.ModeV2Authoritative.String(): v2, control.ModeV2Only.String(): v2}
	return p
}

func (s Scale) pointReads() Pattern {
	return byMode("point read", s.CommitsPerSecond*s.PointReadsPerCommit, func(m control.Mode) cost.Cost {
		return cost.PointRead(m, keyspace.Tables, s.ItemBytes)
	})
}

func (s Scale) updates() Pattern {
	return byMode(patternCommit, s.CommitsPerSecond, func(m control.Mode) cost.Cost {
		plain := cost.Mutation(m, keyspace.Tables, s.ItemBytes)
		return plain.Times(1-s.GuardedShare).Plus(cost.GuardedMutation(m, keyspace.Tables, s.ItemBytes, keyspace.Leases, s.ItemBytes), s.GuardedShare)
	})
}
