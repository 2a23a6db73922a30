package backend

import (
	"context"
	"fmt"
	"strings"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"

	"github.com/lakebench/lakebench/internal/concern"
)

// A ForeignObjectError is a request to an endpoint that would change a bucket or
// an object which is not this run's. It was not sent.
type ForeignObjectError struct {
	API         string
	Bucket, Key string // empty if the request does not say
}

func (e *ForeignObjectError) Error() string {
	return fmt.Sprintf("%s was not sent: %q is not this run's, and so may only be read", e.API, e.Bucket+"/"+e.Key)
}

// guardS3 adds the check to a client: it refuses every request that may change
// something, unless it is known to be about this run's bucket and keys.
func (b *Backend) guardS3(s *middleware.Stack) error {
	return s.Initialize.Add(middleware.InitializeMiddlewareFunc("lakebench:GuardForeignObjects", b.guardObjects), middleware.After)
}

func (b *Backend) guardObjects(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	middleware.InitializeOutput, middleware.Metadata, error,
) {
	api := awsmiddleware.GetOperationName(ctx)
	if !readsS3(api) {
		if err := b.checkObjects(api, in.Parameters); err != nil {
			return middleware.InitializeOutput{}, middleware.Metadata{}, err
		}
	}
	return next.HandleInitialize(ctx, in)
}

// readsS3 reports whether an operation changes nothing, by the names that S3 gives
// its operations.
func readsS3(api string) bool {
	return strings.HasPrefix(api, "Get") || strings.HasPrefix(api, "Head") || strings.HasPrefix(api, "List")
}

// checkObjects returns a *ForeignObjectError unless all that a request changes is this
// run's.
func (b *Backend) checkObjects(api string, input any) error {
	bucket, keys := concern.Objects(input)
	name, made, _ := b.bucket.get()
	if bucket == "" || bucket != name {
		return &ForeignObjectError{API: api, Bucket: bucket}
	}
	if made {
		return nil
	}
	if len(keys) == 0 { // the bucket itself
		return &ForeignObjectError{API: api, Bucket: bucket}
	}
	for _, key := range keys {
		if !strings.HasPrefix(key, b.KeyPrefix()) {
			return &ForeignObjectError{API: api, Bucket: bucket, Key: key}
		}
	}
	return nil
}
