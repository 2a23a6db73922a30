package s3

import (
	"context"
	"reflect"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Do serves one request without HTTP and XML: the direct front. input is a pointer
// to one of the SDK's input types, and the output one to the type that belongs to
// it. body is the bytes of a PutObject or an UploadPart, which the service keeps:
// the input's own Body is not read. The error is the one that the SDK would have
// made of the answer: a *smithyhttp.ResponseError with the status, around
// *types.NoSuchKey, say. What the SDK itself refuses to send, such as a request
// without a bucket, gets an error of the service here.
//
// As with the other fronts, there is no panic, and the end of ctx stops nothing.
// A body without a checksum gets the one that the SDK sends by default, CRC32.
func (s *Service) Do(ctx context.Context, input any, body []byte) (output any, served Served, err error) {
	api, decode := s.understand(input, body)
	out, served, refusal := s.serve(ctx, api, int64(len(body)), func() (request, *serviceError) {
		if name := unsupportedField(input); name != "" {
			return nil, unsupported("the field %s of %T", name, input)
		}
		return decode()
	})
	if refusal != nil {
		return nil, served, refusal.sdk(api)
	}
	return out.sdk(), served, nil
}

// understand returns the operation of an input, and how to make its typed request.
func (s *Service) understand(input any, body []byte) (api string, decode func() (request, *serviceError)) {
	switch in := input.(type) {
	case *s3.PutObjectInput:
		return "PutObject", func() (request, *serviceError) { return putObjectIn(in, body) }
	case *s3.GetObjectInput:
		return "GetObject", func() (request, *serviceError) { return getObjectIn(in) }
	case *s3.HeadObjectInput:
		return "HeadObject", func() (request, *serviceError) { return headObjectIn(in) }
	case *s3.DeleteObjectInput:
		return "DeleteObject", func() (request, *serviceError) { return deleteObjectIn(in) }
	case *s3.DeleteObjectsInput:
		return "DeleteObjects", func() (request, *serviceError) { return deleteObjectsIn(in) }
	case *s3.ListObjectsV2Input:
		return "ListObjectsV2", func() (request, *serviceError) { return listObjectsIn(in) }
	case *s3.ListBucketsInput:
		return "ListBuckets", func() (request, *serviceError) { return &listBuckets{}, nil }
	case *s3.CreateBucketInput:
		return "CreateBucket", func() (request, *serviceError) { return createBucketIn(in) }
	case *s3.HeadBucketInput:
		return "HeadBucket", func() (request, *serviceError) { return &headBucket{text(in.Bucket)}, nil }
	case *s3.DeleteBucketInput:
		return "DeleteBucket", func() (request, *serviceError) { return &deleteBucket{text(in.Bucket)}, nil }
	case *s3.CreateMultipartUploadInput:
		return "CreateMultipartUpload", func() (request, *serviceError) { return createUploadIn(in) }
	case *s3.UploadPartInput:
		return "UploadPart", func() (request, *serviceError) { return uploadPartIn(in, body) }
	case *s3.CompleteMultipartUploadInput:
		return "CompleteMultipartUpload", func() (request, *serviceError) { return completeUploadIn(in) }
	case *s3.AbortMultipartUploadInput:
		return "AbortMultipartUpload", func() (request, *serviceError) {
			return &abortUpload{text(in.Bucket), text(in.Key), text(in.UploadId)}, nil
		}
	}
	return UnknownAPI, func() (request, *serviceError) { return nil, unsupported("%T", input) }
}

// supported are the fields of inputs that the service heeds, whichever input has
// them.
var supported = []string{
	"Body", "Bucket", "CacheControl", "ChecksumAlgorithm", "ChecksumCRC32", "ChecksumCRC32C", "ChecksumCRC64NVME",
	"ChecksumMode", "ChecksumSHA1", "ChecksumSHA256", "ChecksumType", "ContentDisposition", "ContentEncoding",
	"ContentLanguage", "ContentLength", "ContentMD5", "ContentType", "ContinuationToken", "CreateBucketConfiguration",
	"Delete", "Delimiter", "EncodingType", "Expires", "IfMatch", "IfModifiedSince", "IfNoneMatch", "IfUnmodifiedSince",
	"Key", "MaxKeys", "Metadata", "MultipartUpload", "PartNumber", "Prefix", "Range", "StartAfter", "UploadId",
}

// notOf are exceptions: fields that another input shares only by name.
var notOf = map[reflect.Type][]string{
	reflect.TypeFor[s3.GetObjectInput]():   {"PartNumber"},
	reflect.TypeFor[s3.HeadObjectInput]():  {"PartNumber"},
	reflect.TypeFor[s3.ListBucketsInput](): {"ContinuationToken", "Prefix"},
	// The type of a whole object's checksum goes without saying there.
	reflect.TypeFor[s3.CompleteMultipartUploadInput](): {"ChecksumType"},
}

// unsupportedFields has the indexes of an input type's other fields. They are
// facts about types, looked up once.
var unsupportedFields sync.Map // from reflect.Type to []int

// unsupportedField returns the name of a field that is set and not supported.
func unsupportedField(input any) string {
	v := reflect.ValueOf(input)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return ""
	}
	v = v.Elem()
	cached, ok := unsupportedFields.Load(v.Type())
	if !ok {
		cached, _ = unsupportedFields.LoadOrStore(v.Type(), others(v.Type()))
	}
	for _, i := range cached.([]int) {
		if !v.Field(i).IsZero() {
			return v.Type().Field(i).Name
		}
	}
	return ""
}

func others(t reflect.Type) (indexes []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.IsExported() && (!slices.Contains(supported, f.Name) || slices.Contains(notOf[t], f.Name)) {
			indexes = append(indexes, i)
		}
	}
	return indexes
}
