package s3

import (
	"cmp"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func text(s *string) string { return aws.ToString(s) }

func putObjectIn(in *s3.PutObjectInput, body []byte) (request, *serviceError) {
	c, err := claimsIn(in.ChecksumAlgorithm, in.ContentMD5, body,
		in.ChecksumCRC32, in.ChecksumCRC32C, in.ChecksumCRC64NVME, in.ChecksumSHA1, in.ChecksumSHA256)
	if err != nil {
		return nil, err
	}
	return &putObject{
		bucket: text(in.Bucket), key: text(in.Key), body: body,
		attributes: attributes{
			contentType:        cmp.Or(text(in.ContentType), sdkContentType),
			contentEncoding:    text(in.ContentEncoding),
			contentLanguage:    text(in.ContentLanguage),
			contentDisposition: text(in.ContentDisposition),
			cacheControl:       text(in.CacheControl),
			expires:            dateIn(in.Expires),
			metadata:           metadataIn(in.Metadata),
		},
		claims: c, condition: writeCondition{text(in.IfNoneMatch), text(in.IfMatch)},
	}, nil
}

// sdkContentType is what the SDK sends with a body of which it knows no more.
const sdkContentType = "application/octet-stream"

// claimsIn are what the SDK would send: checksums that were given, else that of
// the algorithm that was asked for, else CRC32.
func claimsIn(a types.ChecksumAlgorithm, contentMD5 *string, body []byte, values ...*string) (claims, *serviceError) {
	given := make([]string, len(values))
	for i, v := range values {
		given[i] = text(v)
	}
	c := claims{md5: text(contentMD5)}
	if c.algorithm, c.value = pickChecksum(given...); c.algorithm != noAlgorithm {
		return c, nil
	}
	c.algorithm = algorithm(cmp.Or(a, types.ChecksumAlgorithmCrc32))
	if err := checkAlgorithm(c.algorithm); err != nil {
		return claims{}, err
	}
	c.value = c.algorithm.sum(body)
	return c, nil
}

func dateIn(t *time.Time) string {
	if t == nil {
		return ""
	}
	return httpDate(*t)
}

func metadataIn(m map[string]string) map[string]string {
	if m == nil {
		return nil
	}
	lower := make(map[string]string, len(m))
	for name, value := range m {
		lower[strings.ToLower(name)] = strings.TrimSpace(value)
	}
	return lower
}

func getObjectIn(in *s3.GetObjectInput) (request, *serviceError) {
	return &getObject{
		bucket: text(in.Bucket), key: text(in.Key), spec: text(in.Range),
		condition: readCondition{
			ifMatch: text(in.IfMatch), ifNoneMatch: text(in.IfNoneMatch),
			ifModifiedSince: seconds(in.IfModifiedSince), ifUnmodifiedSince: seconds(in.IfUnmodifiedSince),
		},
		// The SDK asks for the checksum unless it is told otherwise.
		checksumMode: true,
	}, nil
}

func headObjectIn(in *s3.HeadObjectInput) (request, *serviceError) {
	return &getObject{
		bucket: text(in.Bucket), key: text(in.Key), spec: text(in.Range), head: true,
		condition: readCondition{
			ifMatch: text(in.IfMatch), ifNoneMatch: text(in.IfNoneMatch),
			ifModifiedSince: seconds(in.IfModifiedSince), ifUnmodifiedSince: seconds(in.IfUnmodifiedSince),
		},
		checksumMode: in.ChecksumMode == types.ChecksumModeEnabled,
	}, nil
}

// seconds is a time as a header holds it.
func seconds(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Second)
}

func deleteObjectIn(in *s3.DeleteObjectInput) (request, *serviceError) {
	return &deleteObject{text(in.Bucket), text(in.Key), text(in.IfMatch)}, nil
}

func deleteObjectsIn(in *s3.DeleteObjectsInput) (request, *serviceError) {
	r := &deleteObjects{bucket: text(in.Bucket)}
	if in.Delete == nil {
		return r, nil
	}
	r.quiet = aws.ToBool(in.Delete.Quiet)
	for _, o := range in.Delete.Objects {
		if o.VersionId != nil || o.LastModifiedTime != nil || o.Size != nil {
			return nil, unsupported("VersionId, LastModifiedTime and Size of an object to delete")
		}
		r.objects = append(r.objects, deletion{text(o.Key), text(o.ETag)})
	}
	return r, nil
}

func listObjectsIn(in *s3.ListObjectsV2Input) (request, *serviceError) {
	r := &listObjects{
		bucket: text(in.Bucket), prefix: text(in.Prefix), delimiter: text(in.Delimiter), startAfter: text(in.StartAfter),
		token: text(in.ContinuationToken), hasToken: in.ContinuationToken != nil,
		maxKeys: maxListed, urlEncoded: in.EncodingType == types.EncodingTypeUrl,
	}
	if in.MaxKeys != nil {
		r.maxKeys = int64(*in.MaxKeys)
	}
	if !r.urlEncoded && in.EncodingType != "" {
		return nil, fail(invalidArgument, "Invalid Encoding Method specified in Request: %.100q", string(in.EncodingType))
	}
	return r, nil
}

func createBucketIn(in *s3.CreateBucketInput) (request, *serviceError) {
	r := &createBucket{bucket: text(in.Bucket)}
	if c := in.CreateBucketConfiguration; c != nil {
		if c.Bucket != nil || c.Location != nil || c.Tags != nil {
			return nil, unsupported("Bucket, Location and Tags of a bucket's configuration")
		}
		r.location = string(c.LocationConstraint)
	}
	return r, nil
}

func createUploadIn(in *s3.CreateMultipartUploadInput) (request, *serviceError) {
	r := &createUpload{
		bucket: text(in.Bucket), key: text(in.Key),
		attributes: attributes{
			contentType:        cmp.Or(text(in.ContentType), defaultContentType),
			contentEncoding:    text(in.ContentEncoding),
			contentLanguage:    text(in.ContentLanguage),
			contentDisposition: text(in.ContentDisposition),
			cacheControl:       text(in.CacheControl),
			expires:            dateIn(in.Expires),
			metadata:           metadataIn(in.Metadata),
		},
		algorithm: algorithm(in.ChecksumAlgorithm), kind: string(in.ChecksumType),
	}
	return r, checkAlgorithm(r.algorithm)
}

func uploadPartIn(in *s3.UploadPartInput, body []byte) (request, *serviceError) {
	c, err := claimsIn(in.ChecksumAlgorithm, in.ContentMD5, body,
		in.ChecksumCRC32, in.ChecksumCRC32C, in.ChecksumCRC64NVME, in.ChecksumSHA1, in.ChecksumSHA256)
	if err != nil {
		return nil, err
	}
	return &uploadPart{
		bucket: text(in.Bucket), key: text(in.Key), id: text(in.UploadId),
		number: int64(aws.ToInt32(in.PartNumber)), body: body, claims: c,
	}, nil
}

func completeUploadIn(in *s3.CompleteMultipartUploadInput) (request, *serviceError) {
	r := &completeUpload{
		bucket: text(in.Bucket), key: text(in.Key), id: text(in.UploadId),
		condition: writeCondition{text(in.IfNoneMatch), text(in.IfMatch)},
	}
	r.claims.algorithm, r.claims.value = pickChecksum(text(in.ChecksumCRC32), text(in.ChecksumCRC32C),
		text(in.ChecksumCRC64NVME), text(in.ChecksumSHA1), text(in.ChecksumSHA256))
	if in.MultipartUpload == nil {
		return r, nil
	}
	for i := range in.MultipartUpload.Parts {
		p := &in.MultipartUpload.Parts[i]
		a, value := pickChecksum(text(p.ChecksumCRC32), text(p.ChecksumCRC32C), text(p.ChecksumCRC64NVME), text(p.ChecksumSHA1), text(p.ChecksumSHA256))
		r.parts = append(r.parts, completedPart{int64(aws.ToInt32(p.PartNumber)), text(p.ETag), a, value})
	}
	return r, nil
}
