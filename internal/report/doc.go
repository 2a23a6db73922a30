// Package report builds pages: what runs found, and what a migration would do or
// did. A page begins with the answer in a sentence. Whatever speaks against the
// numbers stands before them.
package report
