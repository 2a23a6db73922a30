package s3

import (
	"github.com/lakebench/lakebench/internal/backend/tally"
	"github.com/lakebench/lakebench/internal/counts"
)

// Served is one request as the service saw it and bills it.
type Served struct {
	API     string // the operation's name, such as "PutObject"; or UnknownAPI
	Outcome string // one of the Outcome constants

	counts.Usage
}

// The outcome classes of docs/spec/results.md §1 that a service can tell.
const (
	OutcomeOK              = "ok"
	OutcomeAbsent          = "absent" // no such key
	OutcomeConditionFailed = "condition-failed"
	OutcomeConflict        = "conflict"
	OutcomeServerError     = "server-error"
	OutcomeOther           = "other" // refused for what it asked
)

// UnknownAPI is what requests are counted under that no known operation makes.
const UnknownAPI = "unknown"

// class is how an operation is billed.
type class int

const (
	classFree class = iota
	classA
	classB
)

// classes are those of the operations that the service has.
var classes = map[string]class{
	"ListBuckets":             classA,
	"CreateBucket":            classA,
	"HeadBucket":              classB,
	"DeleteBucket":            classFree,
	"PutObject":               classA,
	"GetObject":               classB,
	"HeadObject":              classB,
	"DeleteObject":            classFree,
	"DeleteObjects":           classFree,
	"ListObjectsV2":           classA,
	"CreateMultipartUpload":   classA,
	"UploadPart":              classA,
	"CompleteMultipartUpload": classA,
	"AbortMultipartUpload":    classFree,
}

// bill collects what one request is charged.
type bill struct{ Served }

// settle books how the request ended.
func (b *bill) settle(err *serviceError) {
	b.Outcome = OutcomeOK
	if err != nil {
		b.Outcome = err.outcome()
		b.BytesReceived = 0
	}
	if b.Outcome == OutcomeServerError {
		return
	}
	switch classes[b.API] {
	case classA:
		b.S3ClassA = 1
	case classB:
		b.S3ClassB = 1
	case classFree:
	}
}

// counter is the service's own count, independent of any observer.
type counter struct{ tally.Tally }

func (c *counter) add(s *Served) { c.Count(tally.Request{API: s.API, Outcome: s.Outcome}, s.Usage) }

// Totals returns what was served so far.
func (s *Service) Totals() tally.Totals { return s.counter.Totals() }
