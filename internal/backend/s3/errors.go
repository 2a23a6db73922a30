package s3

import (
	"fmt"
	"net/http"
)

// code is the name of an error as the API reference has it ("Error responses").
type code string

const (
	accessDenied               code = "AccessDenied"
	badDigest                  code = "BadDigest"
	bucketAlreadyOwnedByYou    code = "BucketAlreadyOwnedByYou"
	bucketNotEmpty             code = "BucketNotEmpty"
	conditionalRequestConflict code = "ConditionalRequestConflict"
	entityTooLarge             code = "EntityTooLarge"
	entityTooSmall             code = "EntityTooSmall"
	illegalLocationConstraint  code = "IllegalLocationConstraintException"
	incompleteBody             code = "IncompleteBody"
	internalError              code = "InternalError"
	invalidArgument            code = "InvalidArgument"
	invalidBucketName          code = "InvalidBucketName"
	invalidDigest              code = "InvalidDigest"
	invalidPart                code = "InvalidPart"
	invalidPartOrder           code = "InvalidPartOrder"
	invalidRange               code = "InvalidRange"
	invalidRequest             code = "InvalidRequest"
	invalidURI                 code = "InvalidURI"
	keyTooLong                 code = "KeyTooLongError"
	malformedXML               code = "MalformedXML"
	metadataTooLarge           code = "MetadataTooLarge"
	noSuchBucket               code = "NoSuchBucket"
	noSuchKey                  code = "NoSuchKey"
	noSuchUpload               code = "NoSuchUpload"
	notImplemented             code = "NotImplemented"
	notModified                code = "NotModified"
	preconditionFailed         code = "PreconditionFailed"
	contentSHA256Mismatch      code = "XAmzContentSHA256Mismatch"
)

// statuses are the HTTP statuses of the codes; those that are not here are 400.
var statuses = map[code]int{
	accessDenied:               http.StatusForbidden,
	bucketAlreadyOwnedByYou:    http.StatusConflict,
	bucketNotEmpty:             http.StatusConflict,
	conditionalRequestConflict: http.StatusConflict,
	internalError:              http.StatusInternalServerError,
	invalidRange:               http.StatusRequestedRangeNotSatisfiable,
	noSuchBucket:               http.StatusNotFound,
	noSuchKey:                  http.StatusNotFound,
	noSuchUpload:               http.StatusNotFound,
	notImplemented:             http.StatusNotImplemented,
	notModified:                http.StatusNotModified,
	preconditionFailed:         http.StatusPreconditionFailed,
}

// A serviceError is an error that the service answers with.
type serviceError struct {
	code    code
	message string
	// object is the one that a condition of a read did not hold for: a 304 says
	// what it is.
	object *object
}

func (e *serviceError) Error() string { return string(e.code) + ": " + e.message }

func (e *serviceError) status() int {
	if status, ok := statuses[e.code]; ok {
		return status
	}
	return http.StatusBadRequest
}

// outcomes are those that the status does not tell.
var outcomes = map[code]string{
	noSuchKey:                  OutcomeAbsent,
	preconditionFailed:         OutcomeConditionFailed,
	notModified:                OutcomeConditionFailed,
	conditionalRequestConflict: OutcomeConflict,
}

// outcome is the class of the error in the ledgers.
func (e *serviceError) outcome() string {
	if o, ok := outcomes[e.code]; ok {
		return o
	}
	if e.status() >= http.StatusInternalServerError {
		return OutcomeServerError
	}
	return OutcomeOther
}

func fail(c code, format string, args ...any) *serviceError {
	return &serviceError{code: c, message: fmt.Sprintf(format, args...)}
}

// unsupported refuses something that S3 has and this service has not.
func unsupported(format string, args ...any) *serviceError {
	return fail(notImplemented, "lakebench's embedded S3 does not support "+format, args...)
}

// The service's own words, where they do not depend on the request.
const (
	preconditionMessage = "At least one of the pre-conditions you specified did not hold"
	conflictMessage     = "The conditional request cannot succeed due to a conflicting operation against this resource."
	noKeyMessage        = "The specified key does not exist."
	noUploadMessage     = "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed."
)

func missingBucket(name string) *serviceError {
	return fail(noSuchBucket, "The specified bucket does not exist: %.100q", name)
}
