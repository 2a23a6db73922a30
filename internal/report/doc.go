// Package report writes what runs found for somebody who did not run them: one
// HTML file that needs nothing else, or Markdown.
//
// Its opinion: a report begins with the answer in a sentence and ends with how to
// get it again. Between them stands what the terminal showed, from the same code,
// and everything that speaks against the numbers stands before them. Equal
// documents give equal bytes.
package report
