// Package disk keeps the state of a service that lives in memory in a directory,
// so that it survives the end of the process at any moment.
//
// The service answers every request from memory. It hands each change to a [Store]
// in the order in which it makes them, and answers only when [Store.Sync] returns.
// The directory is read once, when it is opened.
//
// The directory holds one file, a database of go.etcd.io/bbolt, which makes a group
// of changes visible as a whole or not at all, and has it on disk, as far as the disk
// keeps what it has acknowledged, when a commit returns. bbolt has no checksums except
// for its two roots, so every bucket carries a sum over its entries (see sum).
package disk
