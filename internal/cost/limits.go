package cost

// Limits of the services that loads are held against. Those of one item, page or
// request are in package units.
const (
	// PartitionRRU and PartitionWRU are what a partition of a DynamoDB table
	// serves a second, also to a single item (docs/facts/dynamodb.md §3.6).
	PartitionRRU = 3000
	PartitionWRU = 1000
	// TableRRU and TableWRU are the default quotas of an on-demand table a second
	// (docs/facts/dynamodb.md §3.6).
	TableRRU = 40_000
	TableWRU = 40_000
	// PrefixWrites and PrefixReads are what S3 serves a second at least, per
	// partitioned prefix: PUT, COPY, POST and DELETE; GET and HEAD (S3 User Guide,
	// "Best practices design patterns").
	PrefixWrites = 3500
	PrefixReads  = 5500
	// ListedKeys is how many keys a list returns at most (ListObjectsV2, API
	// reference).
	ListedKeys = 1000
)
