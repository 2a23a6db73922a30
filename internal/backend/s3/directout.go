package s3

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// optional is a member of an output, nil if it is empty.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// show puts a checksum into the member that is for it, of the five in the order
// of algorithms.
func (c checksum) show(members ...**string) {
	for i, a := range algorithms() {
		if a == c.algorithm {
			*members[i] = aws.String(c.value)
		}
	}
}

func (a *bucketCreated) sdk() any {
	return &s3.CreateBucketOutput{Location: aws.String("/" + a.bucket)}
}

func (a *bucketHead) sdk() any { return &s3.HeadBucketOutput{BucketRegion: aws.String(a.region)} }

func (*bucketDeleted) sdk() any { return &s3.DeleteBucketOutput{} }

func (*objectDeleted) sdk() any { return &s3.DeleteObjectOutput{} }

func (*uploadAborted) sdk() any { return &s3.AbortMultipartUploadOutput{} }

func (a *bucketList) sdk() any {
	out := &s3.ListBucketsOutput{Buckets: make([]types.Bucket, len(a.buckets))}
	for i, b := range a.buckets {
		out.Buckets[i] = types.Bucket{Name: aws.String(b.name), CreationDate: aws.Time(b.created)}
	}
	return out
}

func (a *objectStored) sdk() any {
	out := &s3.PutObjectOutput{ETag: aws.String(a.etag), ChecksumType: types.ChecksumType(a.checksum.kind())}
	a.checksum.show(&out.ChecksumCRC32, &out.ChecksumCRC32C, &out.ChecksumCRC64NVME, &out.ChecksumSHA1, &out.ChecksumSHA256)
	return out
}

func (a *partStored) sdk() any {
	out := &s3.UploadPartOutput{ETag: aws.String(a.etag)}
	a.checksum.show(&out.ChecksumCRC32, &out.ChecksumCRC32C, &out.ChecksumCRC64NVME, &out.ChecksumSHA1, &out.ChecksumSHA256)
	return out
}

func (a *objectRead) sdk() any {
	if a.head {
		return a.sdkHead()
	}
	o := a.object
	out := &s3.GetObjectOutput{
		AcceptRanges: aws.String("bytes"), Body: io.NopCloser(bytes.NewReader(a.bytes())),
		ContentLength: aws.Int64(a.part.length()), ETag: aws.String(o.etag), LastModified: aws.Time(o.modified),
		ContentType: optional(o.contentType), ContentEncoding: optional(o.contentEncoding),
		ContentLanguage: optional(o.contentLanguage), ContentDisposition: optional(o.contentDisposition),
		CacheControl: optional(o.cacheControl), ExpiresString: optional(o.expires), Metadata: maps.Clone(o.metadata),
	}
	if t, err := http.ParseTime(o.expires); err == nil {
		out.Expires = &t //nolint:staticcheck // deprecated, and set by the SDK all the same
	}
	if a.part.partial {
		out.ContentRange = aws.String(a.part.contentRange())
	}
	if a.showsChecksum() {
		out.ChecksumType = types.ChecksumType(o.checksum.kind())
		o.checksum.show(&out.ChecksumCRC32, &out.ChecksumCRC32C, &out.ChecksumCRC64NVME, &out.ChecksumSHA1, &out.ChecksumSHA256)
	}
	return out
}

func (a *objectRead) sdkHead() *s3.HeadObjectOutput {
	o := a.object
	out := &s3.HeadObjectOutput{
		AcceptRanges:  aws.String("bytes"),
		ContentLength: aws.Int64(a.part.length()), ETag: aws.String(o.etag), LastModified: aws.Time(o.modified),
		ContentType: optional(o.contentType), ContentEncoding: optional(o.contentEncoding),
		ContentLanguage: optional(o.contentLanguage), ContentDisposition: optional(o.contentDisposition),
		CacheControl: optional(o.cacheControl), ExpiresString: optional(o.expires), Metadata: maps.Clone(o.metadata),
	}
	if t, err := http.ParseTime(o.expires); err == nil {
		out.Expires = &t //nolint:staticcheck // as above
	}
	if a.part.partial {
		out.ContentRange = aws.String(a.part.contentRange())
	}
	if a.showsChecksum() {
		out.ChecksumType = types.ChecksumType(o.checksum.kind())
		o.checksum.show(&out.ChecksumCRC32, &out.ChecksumCRC32C, &out.ChecksumCRC64NVME, &out.ChecksumSHA1, &out.ChecksumSHA256)
	}
	return out
}

func (a *deletions) sdk() any {
	out := &s3.DeleteObjectsOutput{}
	for _, key := range a.deleted {
		out.Deleted = append(out.Deleted, types.DeletedObject{Key: aws.String(key)})
	}
	for _, f := range a.failed {
		out.Errors = append(out.Errors, types.Error{Key: aws.String(f.key), Code: aws.String(string(f.err.code)), Message: aws.String(f.err.message)})
	}
	return out
}

func (p *page) sdk() any {
	out := &s3.ListObjectsV2Output{
		Name: aws.String(p.bucket), Prefix: aws.String(p.encoded(p.prefix)),
		Delimiter: optional(p.encoded(p.delimiter)), StartAfter: optional(p.encoded(p.startAfter)),
		ContinuationToken: optional(p.token), NextContinuationToken: optional(p.next),
		MaxKeys: aws.Int32(int32(p.maxKeys)), KeyCount: aws.Int32(int32(p.count())), IsTruncated: aws.Bool(p.next != ""),
	}
	if p.urlEncoded {
		out.EncodingType = types.EncodingTypeUrl
	}
	for _, o := range p.objects {
		out.Contents = append(out.Contents, types.Object{
			Key: aws.String(p.encoded(o.key)), Size: aws.Int64(o.size), ETag: aws.String(o.etag), LastModified: aws.Time(o.modified),
			StorageClass:      types.ObjectStorageClassStandard,
			ChecksumAlgorithm: []types.ChecksumAlgorithm{types.ChecksumAlgorithm(o.checksum.algorithm)},
			ChecksumType:      types.ChecksumType(o.checksum.kind()),
		})
	}
	for _, prefix := range p.prefixes {
		out.CommonPrefixes = append(out.CommonPrefixes, types.CommonPrefix{Prefix: aws.String(p.encoded(prefix))})
	}
	return out
}

func (a *uploadCreated) sdk() any {
	out := &s3.CreateMultipartUploadOutput{Bucket: aws.String(a.bucket), Key: aws.String(a.key), UploadId: aws.String(a.id)}
	if a.algorithm != noAlgorithm {
		out.ChecksumAlgorithm, out.ChecksumType = types.ChecksumAlgorithm(a.algorithm), types.ChecksumType(a.kind)
	}
	return out
}

func (a *uploadCompleted) sdk() any {
	out := &s3.CompleteMultipartUploadOutput{
		Bucket: aws.String(a.bucket), Key: aws.String(a.key), ETag: aws.String(a.etag), Location: aws.String(a.location()),
		ChecksumType: types.ChecksumType(a.checksum.kind()),
	}
	a.checksum.show(&out.ChecksumCRC32, &out.ChecksumCRC32C, &out.ChecksumCRC64NVME, &out.ChecksumSHA1, &out.ChecksumSHA256)
	return out
}

// sdk is the error as the SDK's client returns it, but for what belongs to the
// SDK's call: the status, and the type of the code where the operation has one.
func (e *serviceError) sdk(api string) error {
	code, message := string(e.code), e.message
	if bare := api == "HeadObject" || api == "HeadBucket" || e.status() == http.StatusNotModified; bare {
		message = http.StatusText(e.status())
		code = strings.ReplaceAll(message, " ", "")
	}
	return &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: e.status(), Header: http.Header{}}},
		Err:      typed(api, code, message),
	}
}

// typed returns the error of the type that the SDK has for an operation's code
// (service/s3 v1.114.10, deserializers).
func typed(api, code, message string) error {
	switch {
	case code == "NotFound" && (api == "HeadObject" || api == "HeadBucket"):
		return &types.NotFound{}
	case code == string(noSuchKey) && api == "GetObject":
		return &types.NoSuchKey{Message: &message}
	case code == string(noSuchBucket) && api == "ListObjectsV2":
		return &types.NoSuchBucket{Message: &message}
	case code == string(noSuchUpload) && api == "AbortMultipartUpload":
		return &types.NoSuchUpload{Message: &message}
	case code == string(bucketAlreadyOwnedByYou) && api == "CreateBucket":
		return &types.BucketAlreadyOwnedByYou{Message: &message}
	case code == string(invalidRequest) && api == "PutObject":
		return &types.InvalidRequest{Message: &message}
	}
	return &smithy.GenericAPIError{Code: code, Message: message}
}
