package dynamo

import (
	"fmt"
	"time"
)

// Config holds the engine's settings. Most decide a rule that public
// documentation leaves open; the defaults are what was observed or, failing
// that, what AWS's pages suggest.
type Config struct {
	// Region names the tables' ARNs.
	Region string

	// PhysicalPartitions is the number of equal hash ranges that a table is made
	// of. A Scan is charged one minimum read for each partition it walks through
	// and finds empty (Developer Guide, "Scan", capacity: "empty partitions
	// included"); how many partitions a table has is AWS's secret.
	PhysicalPartitions int

	// LastKeyOnFullFinalPage: a page that is full, of 1 MiB or more, and behind
	// which there is nothing still carries a LastEvaluatedKey. DynamoDB Local
	// 1.25.1 sends none, dynalite one; AWS does not say, so clients must take both.
	LastKeyOnFullFinalPage bool

	// ChecksConflict: a ConditionCheck or a TransactGetItems conflicts with a
	// mere ConditionCheck of the same item by a transaction in flight. Public
	// documentation does not settle it. A check always conflicts with a write.
	ChecksConflict bool

	// CommitDelay is the time between a transaction's preparation and its
	// commit, during which others conflict with it. 0 only lets other tasks run.
	CommitDelay time.Duration

	// VisibleOneByOne: a transaction's items become visible one after the other,
	// each after a further CommitDelay (0 only lets other tasks run), and each is
	// let go of as soon as it is. Every other transaction writes in the reverse
	// order of its actions, so that both orders come about. Otherwise all become
	// visible at once, which is more than DynamoDB promises: page
	// transaction-apis has transactions serializable with requests for single
	// items, and says nothing of the order in which two such requests see them.
	VisibleOneByOne bool

	// AbsentFailureBySize: a failed condition on an item that does not exist
	// costs as much as the item offered. Otherwise it costs 1 unit, as the page
	// WorkingWithItems says; AWS's own cost script has it by size.
	AbsentFailureBySize bool
}

// DefaultConfig returns the settings that the documented numbers of
// docs/facts/dynamodb.md §3.2 assume.
func DefaultConfig() Config {
	return Config{
		Region:             "us-east-1",
		PhysicalPartitions: 1,
		ChecksConflict:     true,
	}
}

// maxPhysicalPartitions bounds the work of charging for empty partitions.
const maxPhysicalPartitions = 1 << 16

// Validate names the first setting that is out of range.
func (c Config) Validate() error {
	switch {
	case c.Region == "":
		return fmt.Errorf("dynamo: Config.Region is empty: want a region name such as us-east-1")
	case c.PhysicalPartitions < 1 || c.PhysicalPartitions > maxPhysicalPartitions:
		return fmt.Errorf("dynamo: Config.PhysicalPartitions is %d: want 1 to %d", c.PhysicalPartitions, maxPhysicalPartitions)
	case c.CommitDelay < 0:
		return fmt.Errorf("dynamo: Config.CommitDelay is %v: want 0 or more", c.CommitDelay)
	}
	return nil
}
