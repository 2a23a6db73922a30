package meter

import (
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	attempts "github.com/lakebench/lakebench/internal/attempt"
	"github.com/lakebench/lakebench/internal/concern"
	"github.com/lakebench/lakebench/internal/counts"
)

// s3 is S3, whose requests are billed by class.
type s3 struct{}

func (s3) name() string { return "s3" }

func (s3) ask(input any) any { return input }

// absent is false: S3 reports a missing object as an error.
func (s3) absent(any) bool { return false }

// usage counts the request's class (AWS S3 pricing: PUT, COPY, POST and LIST
// requests; GET, SELECT and all other requests; DELETE and CANCEL are free).
// Answers of 404 and 412 are billed as well (docs/facts/s3.md §3.1); errors of the
// service itself are not. Bytes are those that the answer announces: its body is
// read by the caller, later.
func (s3) usage(api string, input, output any, err error, outcome Outcome) counts.Usage {
	u := counts.Usage{Work: counts.Work{BytesSent: objectSent(input)}}
	if err == nil {
		u.BytesReceived = objectReceived(output)
	}
	switch {
	case err != nil && attempts.Status(err) == 0:
		u.Unreported = 1 // no answer: it may have been billed
	case outcome != Throttled && outcome != ServerError:
		u.S3ClassA, u.S3ClassB = s3Class(api)
	}
	return u
}

func s3Class(api string) (a, b int64) {
	switch {
	case strings.HasPrefix(api, "Delete"), strings.HasPrefix(api, "Abort"):
		return 0, 0
	case strings.HasPrefix(api, "Put"), strings.HasPrefix(api, "Copy"), strings.HasPrefix(api, "List"),
		strings.HasPrefix(api, "Create"), strings.HasPrefix(api, "Upload"), strings.HasPrefix(api, "Complete"):
		return 1, 0
	default:
		return 0, 1
	}
}

// objectSent is how many bytes of an object a request brings.
func objectSent(input any) int64 {
	switch in := input.(type) {
	case *awss3.PutObjectInput:
		return bodySize(in.Body, in.ContentLength)
	case *awss3.UploadPartInput:
		return bodySize(in.Body, in.ContentLength)
	}
	return 0
}

// bodySize is the length of a body that has been sent, whose reader is at its end.
func bodySize(body io.Reader, length *int64) int64 {
	if length != nil {
		return *length
	}
	if sized, ok := body.(interface{ Size() int64 }); ok { // of package bytes or strings
		return sized.Size()
	}
	return 0
}

func objectReceived(output any) int64 {
	if out, ok := output.(*awss3.GetObjectOutput); ok {
		return aws.ToInt64(out.ContentLength)
	}
	return 0
}

// targets returns what a request is about: bucket and key, or the prefix of a
// list.
func (s3) targets(input any, _ []string) (all []Target) {
	bucket, keys := concern.Objects(input)
	_, several := input.(*awss3.DeleteObjectsInput)
	if bucket != "" && len(keys) == 0 && !several {
		return []Target{{Table: bucket}}
	}
	for _, key := range keys {
		t := Target{Table: bucket, Key: key}
		if several {
			t.Action = "delete"
		}
		all = append(all, t)
	}
	return all
}
