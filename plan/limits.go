package plan

// Limits of the services that a plan holds its loads against.
const (
	// PartitionRRU and PartitionWRU are what a partition of a DynamoDB table
	// serves a second, also to a single item (Developer Guide, "Designing
	// partition keys to distribute your workload").
	PartitionRRU = 3000
	PartitionWRU = 1000
	// TableRRU and TableWRU are the default quotas of an on-demand table a second
	// (Developer Guide, "Quotas").
	TableRRU = 40_000
	TableWRU = 40_000
	// TransactionBytes and TransactionActions bound a transaction (Developer
	// Guide, "Constraints").
	TransactionBytes   = 4 << 20
	TransactionActions = 100
	// PrefixWrites and PrefixReads are what S3 serves a second per partitioned
	// prefix at least: PUT, COPY, POST and DELETE; GET and HEAD (User Guide, "Best
	// practices design patterns").
	PrefixWrites = 3500
	PrefixReads  = 5500
)

const (
	secondsPerDay = 24 * 60 * 60
	// secondsPerMonth is a month of 730 hours, as AWS's price calculator has it.
	secondsPerMonth = 730 * 60 * 60
	hoursPerMonth   = 730
)
