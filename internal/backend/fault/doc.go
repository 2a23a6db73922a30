// Package fault makes chosen requests fail: before the service acted, after it
// acted, or with the node that asked.
//
// A fault is a rule that people can read, and it does what a real service, network
// or machine does. A rule names a service and produces that service's own errors, on
// the wire, below the SDK's retryer, so the code under test sees what the SDK makes
// of them. A rule that can never take effect is refused when it is read. A rule that
// did not take effect is reported at the end (Injector.Warnings), because a test
// whose fault did not happen proves nothing.
//
// # Rules
//
// One rule a line; # begins a comment. In EBNF, words separated by blanks:
//
//	rules     = { [ rule ] [ "#" comment ] newline } .
//	rule      = "on" service [ operation ] { condition } ":" effect .
//	service   = "dynamodb" | "s3" | "any" .
//	operation = name .                           as in the API: PutItem, HeadObject
//	condition = "in" pattern                     the table or bucket
//	          | "key" pattern                    see below
//	          | "cause" label                    the request's cause label
//	          | "actor" pattern                  the node or client that asks
//	          | "from" duration                  not before, since the injector began
//	          | "to" duration                    not from then on
//	          | selection .
//	selection = "nth" count [ ".." count ]       that one, or from that one to that one
//	          | "every" count                    each n-th, n being the count
//	          | "p" decimal .                    each with a probability in (0, 1]
//	pattern   = quoted string, in which * stands for any text .
//	duration  = as in Go: 150ms, 1.5s, 2m .
//	decimal   = digits [ "." digits ] .
//
// Each condition comes at most once, in any order, and of the selections one at
// most. Selection counts the requests that fulfil all the other conditions, from
// 1; requests are attempts, so that retries count too. The number includes those
// that another rule took over.
//
// The key of a DynamoDB request is any string in a key or an item of it, and of
// Query and Scan any string among the expression's values; in a batch or a
// transaction one entry has to be in the table and of the key. The key of an S3
// request is the object's; of lists, the prefix.
//
// # Effects
//
//	error-before [ form ]       the service does not act; form of the error: 500 (default), 503,
//	                            reset (of the connection), and on S3 403, 409, 409-bare (without a
//	                            body), 304 (to a PUT), 200 (with an error body), 200-precondition
//	                            (with PreconditionFailed in it)
//	error-after [ form ]        the service acts, its reply is lost; 500, 503, reset, on S3 also 200
//	                            and 200-precondition
//	timeout duration [ "lands" duration ]
//	                            the caller gets a timeout after the first duration; the request
//	                            reaches the service after the second, or never
//	throttle [ form ]           the service refuses; on DynamoDB provisioned (default), on-demand or
//	                            account, by the limit that was hit, or action, for which a transaction
//	                            is cancelled; on S3 SlowDown
//	conflict                    DynamoDB: another transaction holds an item
//	unprocessed count           DynamoDB: the last count entries of a batch are handed back
//	delay duration              the request reaches the service that much later
//	cut [ count ]               the service acts, the connection ends after count bytes of the
//	                            answer's body (default: half)
//	crash-before, crash-after   the node that asked crashes, before or after the service acts (Node)
//
// For a request for which several rules are due, their delays add up, and the
// first of the other effects in the order of the rules is the one.
//
// Examples:
//
//	on dynamodb PutItem key "tbl/*" cause mutate nth 3 : error-after
//	on dynamodb TransactWriteItems actor "writer-1" every 10 : conflict
//	on s3 PutObject key "*/manifest/*" p 0.05 : error-after reset
//	on any from 10s to 20s : delay 250ms
package fault
