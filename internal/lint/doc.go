// Package lint tests the rules of this house that no linter knows: which package may
// import which (docs/design.md §1), that concurrency, locks, sleeps and clocks go
// through package task (docs/design.md §2), and that every reference to a document and
// its section resolves.
//
// Each exception is written down beside its rule, with its reason and its number.
// Each rule has sources in testdata that break it; a rule that lets them pass fails
// its own test.
package lint
