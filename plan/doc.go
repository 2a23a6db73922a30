// Package plan turns counts into a plan: what a lake's metadata costs a month
// on each layout and under each manifest policy, what of it is waste, how it
// grows, how near it comes to the limits of the services, and what it takes to
// migrate.
//
// A plan is arithmetic that a reader can follow. Every count comes
// from a named rule or a named measurement, every limit from a named source, and
// what a plan leaves out is part of it. Where the hash of a key decides a count,
// the plan gives the count of an even spread and the range that holds it.
package plan
