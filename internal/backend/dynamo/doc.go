// Package dynamo is DynamoDB in memory, for measuring what a program asks of it.
//
// Every request is charged by the documented rules, where it is served, failed ones
// included. What the documentation leaves open is a named setting (see [Config]). It
// does not make life easier than AWS does: scans come in hash order, pages end where
// AWS ends them, transactions take time and conflict.
//
// A request goes through three layers: a front (an HTTP server, or an HTTP client in
// memory) that knows only headers; the codec, JSON to typed requests and back; and the
// operations on tables, which know neither. The direct front, [Engine.Do], replaces
// the first two for requests about items: it turns the SDK's own types into typed ones. [Open] keeps the
// tables in a directory (package disk): operations hand over what they change, and an
// answer waits until that is on disk.
//
// The files, by layer:
//
//	engine, config, operations        an account, its settings, what it can do
//	http, signature                   the HTTP fronts, and signatures
//	direct, direct*                   the front for the SDK's own types
//	decode, encode, params, errors    the codec, what requests share, errors
//	expression, view                  expressions of a request, projected items
//	control, describe, updatetable,
//	tags, table, schema               tables and their keys
//	item, write, writeitem            one item: GetItem, and the three writes
//	query, scan, page                 Query and Scan
//	batchget, batchwrite              batches
//	transactget, transactwrite,
//	transaction, token                transactions and their idempotency
//	served                            what a request is billed, and the totals
//	persist                           what a directory holds
//
// Values, expressions and stored items are in the packages attr, expr and rows;
// package difftest compares the whole with DynamoDB Local. Rules and their sources are
// in docs/facts/dynamodb.md §3. AWS pages named in comments are those of the Amazon
// DynamoDB Developer Guide.
// Where regions differ the engine follows us-east-1, as it was in July 2026.
package dynamo
