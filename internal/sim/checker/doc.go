// Package checker records what clients asked of a metadata store and what they
// were told, and decides whether one store that does one thing at a time could
// have told them so: whether the history is linearizable (docs/spec/metadata-store.md §6,
// "Safety property").
//
// A check is exact or reports that it is not. Operations whose outcome is
// unknown stay open until the end of the history; they may have
// taken effect at any time after they were called, or never. A search that
// exceeds its limits, or a history with nothing in it to check, is Inconclusive
// and never Passed. The limits that count by default are steps and bytes, which
// are the same on every machine, so that a history has one verdict.
//
// # Model
//
// The store maps keys to values. A key holds exactly one value or none, and an
// empty value is not none. An operation's outcome constrains the state at the
// one moment at which the operation took effect:
//
//	get        ok         the key holds the value found
//	           not-found  the key holds nothing
//	cas        ok         the key is as expected, and is set to next
//	           conflict   the key is not as expected
//	delete     ok         the key holds the expected value, and is removed
//	           not-found  the key holds nothing
//	           conflict   the key holds another value
//	guarded    ok         guard and target are as expected; the target is set or removed
//	           guard      the guard is not as expected
//	           conflict   the guard is as expected, the target is not
//	any        refused    nothing: it had no effect and saw nothing
//	mutations  unknown    any of: it had its effect, or none, or will have it later
//
// Where a refusal names what it found, that is checked too.
//
// Keys are checked apart from each other, which is sound because linearizability
// is local (Herlihy and Wing, "Linearizability: A Correctness Condition for
// Concurrent Objects", 1990, §3.1): a history is linearizable if and only if it
// is for each object. Keys that a guarded mutation ties together are one object.
package checker
