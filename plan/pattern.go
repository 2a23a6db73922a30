package plan

// A Pattern is one kind of operation of a lake: how often, and what one costs in
// each column.
type Pattern struct {
	Name string `json:"name"`
	// PerSecond is the mean rate over the whole lake.
	PerSecond float64 `json:"per_second"`
	// Costs has the cost of one operation by column: a Mode, or a Policy.
	Costs map[string]Cost `json:"costs"`
	// Spread has, by column, the bounds of a cost that key hashes decide.
	Spread map[string]Spread `json:"spread,omitempty"`
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
		{"append-operation record", "append-operation", 1},
		{"manifest record", "lance-manifest", 1},
		{"tombstone", "tombstone", s.TombstoneShare},
		{"lease", familyLeases, s.LeaseShare},
	}
	out := []Pattern{s.refresh(), s.pointReads(), s.updates()}
	for _, c := range created {
		if c.perCommit == 0 {
			continue
		}
		// Deleting costs what creating did: the larger image counts.
		out = append(out, byMode(c.name+", created or expired", 2*s.CommitsPerSecond*c.perCommit, func(m Mode) Cost {
			return Mutation(m, c.family, s.ItemBytes)
		}))
	}
	return out
}

const ruleSource = "the documented rules"

func byMode(name string, perSecond float64, cost func(Mode) Cost) Pattern {
	p := Pattern{Name: name, PerSecond: perSecond, Costs: map[string]Cost{}, Source: ruleSource}
	for _, m := range Modes() {
		p.Costs[string(m)] = cost(m)
	}
	return p
}

func (s Scale) refresh() Pattern {
	v2 := RefreshV2(s.Tables, familyTables, int(s.TableShards), s.ItemBytes, s.PageLimit)
	p := byMode(patternRefresh, s.RefreshesPerSecond(), func(m Mode) Cost {
		switch m {
		case V1:
			return RefreshV1(s.Tables, s.History(), s.ItemBytes, s.PageLimit)
		case Dual:
			return RefreshDual(s.Tables, s.History(), s.ItemBytes, s.PageLimit)
		default:
			return v2.Even
		}
	})
	p.Spread = map[string]Spread{string(Authoritative): v2, string(V2): v2}
	return p
}

// familyTables is the family of the catalog's tables, familyLeases that of the
// leases that guard their updates.
const (
	familyTables = "tbl"
	familyLeases = "lease"
)

func (s Scale) pointReads() Pattern {
	return byMode("point read", s.CommitsPerSecond*s.PointReadsPerCommit, func(m Mode) Cost {
		return PointRead(m, familyTables, s.ItemBytes)
	})
}

func (s Scale) updates() Pattern {
	return byMode(patternCommit, s.CommitsPerSecond, func(m Mode) Cost {
		plain := Mutation(m, familyTables, s.ItemBytes)
		return plain.times(1-s.GuardedShare).plus(GuardedMutation(m, familyTables, s.ItemBytes, familyLeases, s.ItemBytes), s.GuardedShare)
	})
}
