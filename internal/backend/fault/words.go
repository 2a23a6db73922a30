package fault

import (
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/spelling"
)

// What the language knows. A word that is not here is a mistake in a rule.

// dynamoOperations are of the Amazon DynamoDB API Reference: those on items, and
// those on tables that a test may meet.
func dynamoOperations() []string {
	return []string{
		"BatchGetItem", "BatchWriteItem", "CreateTable", "DeleteItem", "DeleteTable", "DescribeTable", "DescribeTimeToLive",
		"GetItem", "ListTables", "PutItem", "Query", "Scan", "TransactGetItems", "TransactWriteItems", "UpdateItem",
		"UpdateTable", "UpdateTimeToLive",
	}
}

// s3Operations are of the Amazon S3 API Reference: those that s3Operation tells
// apart.
func s3Operations() []string {
	return []string{
		"AbortMultipartUpload", "CompleteMultipartUpload", "CopyObject", "CreateBucket", "CreateMultipartUpload",
		"CreateSession", "DeleteBucket", "DeleteObject", "DeleteObjects", "GetObject", "HeadBucket", "HeadObject",
		"ListBuckets", "ListMultipartUploads", "ListObjects", "ListObjectsV2", "ListParts", "PutObject", "RenameObject",
		"UploadPart", "UploadPartCopy",
	}
}

// causes are the labels of a service's requests (docs/spec/results.md §2; for S3
// docs/spec/shard-manifest.md §1).
func causes(s Service) []cause.Label {
	common := []cause.Label{cause.Setup, cause.None}
	dynamo := []cause.Label{cause.Point, cause.List, cause.Mutate, cause.Control, cause.Backfill, cause.Verify}
	s3 := []cause.Label{"hint", "probe", "manifest-body", "commit", "wal", "fence", "data", "index", "base"}
	switch s {
	case DynamoDB:
		return append(dynamo, common...)
	case S3:
		return append(s3, common...)
	case Any:
	}
	return slices.Concat(dynamo, s3, common)
}

// A scope lists, by service, the operations that an effect is possible for: nil is all.
type scope map[Service][]string

func (sc scope) has(s Service) bool { _, ok := sc[s]; return ok }

// covers reports whether requests of an operation can have what sc is the scope of;
// "" stands for all operations, of which one is enough.
func (sc scope) covers(s Service, operation string) bool {
	ops, ok := sc[s]
	return ok && (ops == nil || operation == "" || slices.Contains(ops, operation))
}

// everywhere is the scope of what can happen to any request. What a rule for any
// service may do is what is there for Any.
func everywhere() scope { return scope{DynamoDB: nil, S3: nil, Any: nil} }

// An effectWord is what the language knows of a kind of effect.
type effectWord struct {
	kind  Kind
	scope scope
	forms []formWord // the first is the default
}

// A formWord is a form of an effect, and where it is one.
type formWord struct {
	form  Form
	scope scope
}

func effectWords() []effectWord {
	dynamo := func(ops ...string) scope { return scope{DynamoDB: ops} }
	s3 := func(ops ...string) scope { return scope{S3: ops} }
	// What S3 says of requests that lost against another one at the same time
	// (User Guide, "Conditional writes"; docs/facts/s3.md §3.1).
	conditional := s3("PutObject", "CopyObject", "CompleteMultipartUpload")
	// Where an answer of 200 may hold an error (docs/facts/s3.md §3.1; API Reference of
	// CopyObject and CompleteMultipartUpload).
	late := s3("PutObject", "CopyObject", "CompleteMultipartUpload", "UploadPartCopy", "DeleteObjects")
	return []effectWord{
		{ErrorBefore, everywhere(), []formWord{
			{Form500, everywhere()}, {Form503, everywhere()}, {FormReset, everywhere()},
			{Form403, s3()}, {Form409, conditional}, {Form409Bare, conditional}, {Form304, s3("PutObject")},
			{Form200, late}, {Form200Precondition, late},
		}},
		{ErrorAfter, everywhere(), []formWord{
			{Form500, everywhere()}, {Form503, everywhere()}, {FormReset, everywhere()},
			{Form200, late}, {Form200Precondition, late},
		}},
		{Timeout, everywhere(), nil},
		{Throttle, everywhere(), []formWord{
			{FormProvisioned, dynamo()}, {FormOnDemand, dynamo()}, {FormAccount, dynamo()},
			// What a transaction says of an action that met a limit (API Reference,
			// TransactWriteItems and TransactGetItems, cancellation reasons).
			{FormAction, dynamo("TransactWriteItems", "TransactGetItems")},
		}},
		// Which operations meet transactions: Developer Guide, "Amazon DynamoDB
		// Transactions: How it works" (docs/facts/dynamodb.md §3.5).
		{Conflict, dynamo("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "TransactGetItems"), nil},
		{Unprocessed, dynamo("BatchWriteItem", "BatchGetItem"), nil},
		{Delay, everywhere(), nil},
		{Cut, everywhere(), nil},
		{CrashBefore, everywhere(), nil},
		{CrashAfter, everywhere(), nil},
	}
}

// scopeOf returns the scope of an effect that Parse accepted.
func scopeOf(e Effect) scope {
	for _, w := range effectWords() {
		if w.kind != e.Kind {
			continue
		}
		for _, f := range w.forms {
			if f.form == e.Form {
				return f.scope
			}
		}
		return w.scope
	}
	return nil
}

// suggest names the known word that was probably meant, if one is near.
func suggest[S ~string](word string, known []S) string {
	near := spelling.Nearest(word, known)
	if near == "" {
		return ""
	}
	return "; did you mean " + string(near) + "?"
}

// list is for messages: "a, b or c".
func list[S ~string](words []S) string {
	var b strings.Builder
	for i, w := range words {
		switch {
		case i > 0 && i == len(words)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(string(w))
	}
	return b.String()
}
