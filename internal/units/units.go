// Package units holds DynamoDB's rules of size and price-bearing units: how
// many bytes a value has, and how many request units those bytes cost.
//
// A request unit is arithmetic on bytes, so it is computed from
// bytes in one place, by whoever counts (the embedded service) and whoever
// predicts (the planner), and never read off a table of examples. Units are
// float64 because an eventually consistent read of one block is half a unit;
// halves are exact in binary, so sums of units are exact as well.
//
// The pages named in the comments are those of the Amazon DynamoDB Developer
// Guide.
package units

import "fmt"

// KB is the 1,024 bytes that DynamoDB's guide means by "KB" (page
// CapacityUnitCalculations).
const KB = 1024

// Blocks that reads and writes are rounded up to (page
// read-write-operations: "4 KB" a read unit, "1 KB" a write unit).
const (
	ReadBlock  = 4 * KB
	WriteBlock = KB
)

// Limits of items and keys, in bytes (page ServiceQuotas).
const (
	// MaxItemBytes bounds an item, attribute names included: 400 KB.
	MaxItemBytes = 400 * KB
	// MaxPartitionKeyBytes and MaxSortKeyBytes bound key values; the least is
	// 1 byte for both.
	MaxPartitionKeyBytes = 2048
	MaxSortKeyBytes      = 1024
	// MaxAttributeNameBytes bounds the name of any attribute, MaxKeyNameBytes
	// the name of a key attribute.
	MaxAttributeNameBytes = 64*KB - 1
	MaxKeyNameBytes       = 255
)

// Limits of requests (page ServiceQuotas; Query, Scan, BatchGetItem,
// BatchWriteItem, TransactWriteItems and TransactGetItems in the API
// reference).
const (
	// MaxPageBytes is how much a Query or Scan evaluates, before filter and
	// projection, until it ends the page: 1 MB. The item that crosses it is
	// still part of the page.
	MaxPageBytes = 1024 * KB
	// MaxBatchGetItems and MaxBatchGetBytes bound a BatchGetItem.
	MaxBatchGetItems = 100
	MaxBatchGetBytes = 16 * 1024 * KB
	// MaxBatchWriteItems and MaxBatchWriteBytes bound a BatchWriteItem.
	MaxBatchWriteItems = 25
	MaxBatchWriteBytes = 16 * 1024 * KB
	// MaxTransactItems and MaxTransactBytes bound either kind of transaction.
	MaxTransactItems = 100
	MaxTransactBytes = 4 * 1024 * KB
)

// IndexOverheadBytes is what DynamoDB adds to an item's size when it bills
// storage, and only then: neither request units nor MaxItemBytes know it (page
// CapacityUnitCalculations).
const IndexOverheadBytes = 100

// Consistency is how a read is made.
type Consistency int

// The three ways to read; the zero value is DynamoDB's default.
const (
	Eventual Consistency = iota
	Strong
	Transactional
)

// String returns the name used in results and parameters.
func (c Consistency) String() string {
	switch c {
	case Eventual:
		return "eventual"
	case Strong:
		return "strong"
	case Transactional:
		return "transactional"
	}
	return fmt.Sprintf("Consistency(%d)", int(c))
}

// Read returns the read request units of reading n bytes in one rounded sum:
// 1 unit a block of 4 KB when strongly consistent, half of it when eventually
// consistent, twice when transactional (page read-write-operations). Reading
// nothing costs as much as one block: a missing item and an empty page are
// charged too (pages read-write-operations and Query).
//
// What one sum is depends on the operation: a page of Query or Scan is summed
// first and rounded once, BatchGetItem and TransactGetItems round every item
// (page CapacityUnitCalculations).
func Read(n int64, c Consistency) float64 {
	blocks := blocks(n, ReadBlock)
	switch c {
	case Eventual:
		return blocks / 2
	case Transactional:
		return blocks * 2
	default:
		return blocks
	}
}

// Write returns the write request units of writing n bytes outside a
// transaction: 1 unit a block of 1 KB, at least 1 (page
// read-write-operations). n is the larger of the item before and after (page
// read-write-operations for updates; put and delete behave alike).
func Write(n int64) float64 {
	return blocks(n, WriteBlock)
}

// TransactWrite returns the write request units of writing, deleting or merely
// checking n bytes as one action of a transaction: twice Write, rounded before
// doubled (page transaction-apis, "Capacity management for transactions").
func TransactWrite(n int64) float64 {
	return 2 * Write(n)
}

// blocks returns how many blocks n bytes fill, at least 1.
func blocks(n, size int64) float64 {
	if n <= 0 {
		return 1
	}
	return float64((n-1)/size + 1)
}
