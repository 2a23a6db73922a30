package object

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/internal/attempt"
)

// What can come of a request, beside errors of the service itself. Test for them
// with errors.Is.
var (
	// ErrAbsent: the key holds no object.
	ErrAbsent = errors.New("no such object")
	// ErrExists: the key holds an object of another creator.
	ErrExists = errors.New("object exists")
	// ErrUnknown: the object may have been created, may not have been, and may
	// yet be; reading back was not possible, or did not settle it.
	ErrUnknown = errors.New("outcome unknown")
	// ErrBusy: the service answered each attempt that another request for the
	// same key was in its way. Nothing was created.
	ErrBusy = errors.New("refused for other requests on the same key")
	// ErrInvalid: the arguments mean nothing, whatever the bucket holds.
	ErrInvalid = errors.New("invalid argument")
)

// A PermissionError is a request that the caller may not make.
type PermissionError struct {
	Method string // GET, HEAD, LIST or PUT
	Err    error
}

// Error names the permission that is missing. Without s3:ListBucket S3 answers
// 403 for a key that does not exist (API Reference, HeadObject and GetObject,
// "Permissions"), so that an absent key cannot be told from a forbidden one.
func (e *PermissionError) Error() string {
	switch e.Method {
	case http.MethodPut:
		return fmt.Sprintf("no permission: s3:PutObject is needed: %v", e.Err)
	case "LIST":
		return fmt.Sprintf("no permission: s3:ListBucket is needed: %v", e.Err)
	}
	return fmt.Sprintf("no permission: s3:GetObject is needed, and s3:ListBucket, without which an absent key is answered like this too: %v", e.Err)
}

// Unwrap returns the service's error.
func (e *PermissionError) Unwrap() error { return e.Err }

// An answer is what the service said of a request that failed.
type answer struct {
	code   string // "" is no answer of the service
	status int    // of HTTP; 0 is a transport without
	fault  smithy.ErrorFault
}

func answerOf(err error) answer {
	var named smithy.APIError
	if !errors.As(err, &named) {
		return answer{}
	}
	return answer{code: named.ErrorCode(), status: attempt.Status(err), fault: named.ErrorFault()}
}

// absent: a missing bucket is a 404 as well, but has a code of its own wherever
// the answer has a body (docs/facts/s3.md §3.2).
func (a answer) absent() bool { return a.code == "NoSuchKey" || a.code == "NotFound" }

// denied: answers without a body, as to HEAD, have the status's name for a code.
func (a answer) denied() bool { return a.code == "AccessDenied" || a.code == "Forbidden" }

// exists: the condition of a creation did not hold.
func (a answer) exists() bool { return a.code == "PreconditionFailed" }

// busy: 409 ConditionalRequestConflict means that the creation may simply be sent
// again (User Guide, "Conditional writes"); without a body the code is the
// status's name.
func (a answer) busy() bool {
	return a.code == "ConditionalRequestConflict" || a.code == "Conflict" || a.status == http.StatusConflict
}

// settled: the service answered that it did not do it. What is no error by its
// status is no such answer, nor is a failure of the service; S3 may send an error
// under status 200, which the SDK makes a 500 (docs/facts/s3.md §3.1).
func (a answer) settled() bool {
	switch {
	case a.code == "" || a.code == "NotModified":
		return false
	case a.status != 0:
		return a.status >= http.StatusBadRequest && a.status < http.StatusInternalServerError
	}
	return a.fault == smithy.FaultClient
}
