// Package difftest holds the embedded DynamoDB against another implementation: it
// makes random sequences of requests, sends them to both, and compares what they
// answer.
//
// Its opinion: two implementations that agree on a hundred thousand requests which
// nobody has chosen say more than any number of examples, provided that every
// difference is either gone or explained. The explanations are in one place
// ([Differences]), each with a name, a reason and the very cases it covers. What is
// compared is what a program can act on: items, counts, last keys, types of errors,
// old and new images; not the texts of messages.
//
// It is for tests. The other implementation is DynamoDB Local in `make test-real`
// and `make diff-soak`.
package difftest
