// Package cause carries, in a context, why a request is made and who makes it.
//
// Every request that lakebench counts is booked under a cause label
// (docs/spec/results.md §2, "Cause labels"), so that a total can be broken down into
// the reasons that produced it.
package cause

import "context"

// Label names why a request is made.
type Label string

// The labels of the DynamoDB metadata store (docs/spec/results.md §2), and those of
// the shard manifest and the write-ahead log on S3 (docs/spec/shard-manifest.md §1).
const (
	// Point is a read of one key.
	Point Label = "point"
	// List is a page of a prefix read.
	List Label = "list"
	// Mutate is a conditional write or a transaction asked for by a user.
	Mutate Label = "mutate"
	// Control is a read or a write of a durable control record.
	Control Label = "control"
	// Backfill is the migrator copying records.
	Backfill Label = "backfill"
	// Verify is the migrator comparing both layouts.
	Verify Label = "verify"
	// Hint reads or writes the hint of a shard's newest manifest version.
	Hint Label = "hint"
	// Probe asks whether a manifest version exists.
	Probe Label = "probe"
	// ManifestBody reads a manifest.
	ManifestBody Label = "manifest-body"
	// Commit writes a manifest version, or settles whether one was written.
	Commit Label = "commit"
	// WAL reads, finds or writes an entry of a write-ahead log.
	WAL Label = "wal"
	// Fence makes sure that no other writer has taken over, or keeps the one
	// before out.
	Fence Label = "fence"
	// Data reads or writes rows of an L0 generation, and what describes them.
	Data Label = "data"
	// Index reads or writes an index of an L0 generation.
	Index Label = "index"
	// Base reads or writes the base table.
	Base Label = "base"

	// Setup prepares or removes what a workload measures. It is part of no metric.
	Setup Label = "setup"
	// None is the label of a request without a cause.
	None Label = "none"
)

type labelKey struct{}

// With labels the requests made under ctx. A label that ctx already has stays:
// the outermost caller knows best why all of it happens, so what a workload
// calls Setup remains Setup although the store below would call it Mutate.
func With(ctx context.Context, l Label) context.Context {
	if _, ok := ctx.Value(labelKey{}).(Label); ok {
		return ctx
	}
	return context.WithValue(ctx, labelKey{}, l)
}

// From returns the label of ctx, None if there is none.
func From(ctx context.Context) Label {
	if l, ok := ctx.Value(labelKey{}).(Label); ok {
		return l
	}
	return None
}

type actorKey struct{}

// WithActor names the node or client on whose behalf requests under ctx are
// made. The innermost name holds.
func WithActor(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, actorKey{}, name)
}

// Actor returns the name given by WithActor, "" if there is none.
func Actor(ctx context.Context) string {
	name, _ := ctx.Value(actorKey{}).(string)
	return name
}
