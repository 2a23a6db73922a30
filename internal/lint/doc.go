// Package lint holds the rules of this module that no linter knows, as tests:
// which package may import which (docs/design.md §1), that concurrency, locks,
// sleeps and clocks go through package task (docs/design.md §2), and that every
// reference to a document, a section, a hazard or a path resolves.
//
// A rule that is not checked is a wish, and an exception is written down beside the
// rule, with its reason and its number. Each rule has sources in testdata that break
// it; a rule that lets them pass fails its own test.
package lint
