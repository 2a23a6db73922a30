package s3

import "github.com/lakebench/lakebench/internal/backend/tally"

// Served is one request as the service saw it and bills it.
type Served struct {
	API     string // the operation's name, such as "PutObject"; or UnknownAPI
	Outcome string // one of the Outcome constants

	// ClassA and ClassB are 1 if the request is billed in that class: A are PUT,
	// COPY, POST and LIST, B are GET, HEAD and all others; DELETE and the end of
	// an upload without its completion are free (AWS S3 pricing). What the caller
	// did wrong is billed, failed conditions included (User Guide, "Conditional
	// requests"); what the service failed at is not ("Error responses", 5xx).
	ClassA, ClassB int64

	// Bytes of objects: ReadBytes of those in the answer, WrittenBytes of those
	// to be put, whether stored or refused.
	ReadBytes, WrittenBytes int64
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
		b.ReadBytes = 0
	}
	if b.Outcome == OutcomeServerError {
		return
	}
	switch classes[b.API] {
	case classA:
		b.ClassA = 1
	case classB:
		b.ClassB = 1
	case classFree:
	}
}

// Totals is what a service has served since it was made.
type Totals struct {
	Requests tally.Requests
	Billed
}

// Billed is what requests are billed for, as in [Served].
type Billed struct {
	ClassA, ClassB          int64
	ReadBytes, WrittenBytes int64
}

// counter is the service's own count, independent of any observer.
type counter struct{ tally.Tally[Billed] }

func (c *counter) add(s *Served) {
	c.Count(tally.Request{API: s.API, Outcome: s.Outcome}, func(sums *Billed) {
		sums.ClassA += s.ClassA
		sums.ClassB += s.ClassB
		sums.ReadBytes += s.ReadBytes
		sums.WrittenBytes += s.WrittenBytes
	})
}

// Totals returns what was served and billed so far.
func (s *Service) Totals() Totals {
	requests, billed := s.counter.Totals()
	return Totals{requests, billed}
}
