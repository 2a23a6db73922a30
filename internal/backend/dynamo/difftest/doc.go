// Package difftest is test support: it compares the embedded DynamoDB with another
// implementation. It makes random sequences of requests, sends them to both, and
// compares the answers. Only tests import it.
//
// A hundred thousand random requests find what chosen examples do not, if every
// difference is either removed or explained. The explanations are in one place
// ([Differences]), each with a name, a reason and exactly the cases it covers.
// Compared is what a program can act on: items, counts, last keys, types of errors,
// old and new images, but not the texts of messages.
//
// The other implementation is DynamoDB Local in `make test-real` and `make diff-soak`.
package difftest
