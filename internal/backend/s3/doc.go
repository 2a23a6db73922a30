// Package s3 is S3 in memory, for measuring what a program asks of it.
//
// Conditional writes matter most. One of any number of racing creators wins. A write
// that a deletion overtook gets the 409 that asks for another try. A key that may not
// be listed gets a 403, which does not mean that it is absent. Every request is counted
// and billed where it is served. What the service does not have it refuses by name with
// NotImplemented.
//
// A request goes through two layers: a front, which turns it into a typed request and
// the answer back, and the operations on buckets. There are two fronts: an HTTP client
// in memory ([Service.Client]) and an HTTP server ([Service.HTTPHandler]). Requests
// are addressed by path, and no signature is checked.
//
// The files, by layer:
//
//	service, config, errors               an account, its settings, its errors
//	http, route, inbound, outbound        the HTTP front: which operation, in and out
//	payload, checksum                     bodies of uploads and their checksums
//	bucket, object, write, conditions     buckets, reading and writing objects
//	list, deletes, multipart              lists, deletions of many, uploads in parts
//	served                                what a request is billed, and the totals
//
// Package s3test is the suite that this service and real servers are held to. Rules and
// their sources are in docs/facts/s3.md §3. AWS pages named in comments are those of the
// Amazon S3 API Reference and User Guide.
package s3
