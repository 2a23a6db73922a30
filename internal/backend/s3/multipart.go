package s3

import (
	"bytes"
	"cmp"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
)

const (
	// minPart is the least that a part has, except the last, and maxPart the
	// highest number of one (User Guide, "Amazon S3 multipart upload limits").
	minPart = 5 << 20
	maxPart = 10_000
)

// An upload is an object that comes in parts. The bucket's lock guards it.
type upload struct {
	key string
	attributes
	algorithm algorithm // of the parts' checksums and the object's; noAlgorithm: any, and CRC64NVME
	composite bool
	parts     map[int64]*part
}

// A part is never changed, only replaced.
type part struct {
	body     []byte
	md5      [md5.Size]byte
	checksum checksum
}

func (p *part) etag() string { return quoteSum(p.md5[:]) }

type createUpload struct {
	bucket, key string
	attributes
	algorithm algorithm
	kind      string // ChecksumType, "" for the algorithm's own
}

func (r *createUpload) do(_ context.Context, s *Service, _ *bill) (answer, *serviceError) {
	b, err := s.bucket(r.bucket)
	if err != nil {
		return nil, err
	}
	if err := checkKey(r.key); err != nil {
		return nil, err
	}
	if err := r.checkAttributes(); err != nil {
		return nil, err
	}
	u := &upload{key: r.key, attributes: r.attributes, algorithm: r.algorithm, parts: map[int64]*part{}}
	if u.composite, err = isComposite(cmp.Or(r.algorithm, crc64NVME), r.kind); err != nil {
		return nil, err
	}
	id := "upload-" + strconv.FormatUint(s.uploads.Add(1), 10)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.deleted {
		return nil, missingBucket(r.bucket)
	}
	b.uploads[id] = u
	return &uploadCreated{bucket: r.bucket, key: r.key, id: id, algorithm: r.algorithm, kind: checksum{composite: u.composite}.kind()}, nil
}

// isComposite reports whether an upload's checksum is made of those of its parts. A
// CRC64NVME is always of the whole object, a SHA always of the parts, a CRC32 or CRC32C
// of the parts by default (User Guide, "Checking object integrity", "Full object and
// composite checksum types").
func isComposite(a algorithm, kind string) (bool, *serviceError) {
	byDefault := composite
	if a == crc64NVME {
		byDefault = fullObject
	}
	switch kind = cmp.Or(kind, byDefault); {
	case kind == composite && a != crc64NVME:
		return true, nil
	case kind == fullObject && a != sha1Sum && a != sha256Sum:
		return false, nil
	}
	return false, fail(invalidRequest, "The %.100s checksum type cannot be used with the %s checksum algorithm.", kind, a)
}

// upload returns an upload of a key. The caller holds the bucket's lock.
func (b *bucket) upload(key, id string) (*upload, *serviceError) {
	if u := b.uploads[id]; u != nil && u.key == key {
		return u, nil
	}
	return nil, fail(noSuchUpload, noUploadMessage)
}

type uploadPart struct {
	bucket, key, id string
	number          int64
	body            []byte // kept
	claims          claims
}

func (r *uploadPart) do(_ context.Context, s *Service, _ *bill) (answer, *serviceError) {
	b, err := s.bucket(r.bucket)
	if err != nil {
		return nil, err
	}
	if r.number < 1 || r.number > maxPart {
		return nil, fail(invalidArgument, "Part number must be an integer between 1 and %d, inclusive: %d", maxPart, r.number)
	}
	sum, err := r.claims.verify(r.body)
	if err != nil {
		return nil, err
	}
	p := &part{body: r.body, md5: md5.Sum(r.body), checksum: sum}
	b.mu.Lock()
	defer b.mu.Unlock()
	u, err := b.upload(r.key, r.id)
	if err != nil {
		return nil, err
	}
	if r.claims.algorithm != u.algorithm && r.claims.algorithm != noAlgorithm && u.algorithm != noAlgorithm {
		return nil, fail(invalidRequest, "Checksum Type mismatch occurred, expected checksum Type: %s, actual checksum Type: %s", u.algorithm, r.claims.algorithm)
	}
	u.parts[r.number] = p
	return &partStored{p.etag(), sum}, nil
}

type abortUpload struct{ bucket, key, id string }

func (r *abortUpload) do(_ context.Context, s *Service, _ *bill) (answer, *serviceError) {
	b, err := s.bucket(r.bucket)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, err := b.upload(r.key, r.id); err != nil {
		return nil, err
	}
	delete(b.uploads, r.id)
	return &noContent{}, nil
}

type completeUpload struct {
	bucket, key, id string
	parts           []completedPart
	claims          claims // of the whole object
	size            int64  // that the object is said to have; -1: nothing is said
	condition       writeCondition
}

type completedPart struct {
	number    int64
	etag      string
	algorithm algorithm // noAlgorithm: no checksum given
	value     string
}

func (r *completeUpload) do(ctx context.Context, s *Service, _ *bill) (answer, *serviceError) {
	b, err := s.bucket(r.bucket)
	if err != nil {
		return nil, err
	}
	if err := r.condition.check(); err != nil {
		return nil, err
	}
	u, o, err := r.assemble(ctx, b)
	if err != nil {
		return nil, err
	}
	if err := s.write(ctx, b, r.key, o, r.condition); err != nil {
		if err.code == conditionalRequestConflict {
			// Such an upload has to begin again (User Guide, "How to prevent object
			// overwrites with conditional writes").
			b.drop(r.id, u)
		}
		return nil, err
	}
	b.drop(r.id, u)
	return &uploadCompleted{bucket: r.bucket, key: r.key, etag: o.etag, checksum: o.checksum}, nil
}

func (b *bucket) drop(id string, u *upload) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.uploads[id] == u {
		delete(b.uploads, id)
	}
}

// assemble makes the object of the parts that the request lists.
func (r *completeUpload) assemble(ctx context.Context, b *bucket) (*upload, *object, *serviceError) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	u, err := b.upload(r.key, r.id)
	if err != nil {
		return nil, nil, err
	}
	parts, err := r.pick(u)
	if err != nil {
		return nil, nil, err
	}
	var body bytes.Buffer
	sums := md5.New()
	for _, p := range parts {
		body.Write(p.body)
		sums.Write(p.md5[:])
	}
	o := &object{
		body: body.Bytes(), modified: now(ctx), attributes: u.attributes,
		etag: `"` + hex.EncodeToString(sums.Sum(nil)) + "-" + strconv.Itoa(len(parts)) + `"`,
	}
	o.checksum, err = r.checksum(u, parts, o.body)
	if err == nil && r.claims.algorithm != noAlgorithm && (r.claims.algorithm != o.checksum.algorithm || r.claims.value != o.checksum.value) {
		err = fail(badDigest, "The %s you specified did not match the calculated checksum.", r.claims.algorithm)
	}
	if err == nil && r.size >= 0 && r.size != int64(len(o.body)) {
		err = fail(invalidRequest, "The provided 'x-amz-mp-object-size' header value %d does not match what was computed: %d", r.size, len(o.body))
	}
	return u, o, err
}

// pick returns the listed parts, if they are as listed.
func (r *completeUpload) pick(u *upload) ([]*part, *serviceError) {
	if len(r.parts) == 0 {
		return nil, fail(malformedXML, "The XML you provided was not well-formed or did not validate against our published schema: no parts")
	}
	parts := make([]*part, len(r.parts))
	for i, listed := range r.parts {
		p := u.parts[listed.number]
		switch {
		case i > 0 && listed.number <= r.parts[i-1].number:
			return nil, fail(invalidPartOrder, "The list of parts was not in ascending order.")
		case p == nil || strings.Trim(listed.etag, `"`) != strings.Trim(p.etag(), `"`),
			listed.algorithm != noAlgorithm && (listed.algorithm != p.checksum.algorithm || listed.value != p.checksum.value):
			return nil, fail(invalidPart, "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match the part's entity tag: part %d", listed.number)
		case i < len(r.parts)-1 && len(p.body) < minPart:
			return nil, fail(entityTooSmall, "Your proposed upload is smaller than the minimum allowed size: part %d has %d bytes, at least %d", listed.number, len(p.body), minPart)
		}
		parts[i] = p
	}
	return parts, nil
}

// checksum is that of the object: over its bytes, or over the parts' checksums,
// all of which the request must then list (CompleteMultipartUpload, API reference,
// "InvalidRequest").
func (r *completeUpload) checksum(u *upload, parts []*part, body []byte) (checksum, *serviceError) {
	if !u.composite {
		a := cmp.Or(u.algorithm, crc64NVME)
		return checksum{algorithm: a, value: a.sum(body)}, nil
	}
	var sums []byte
	for i, p := range parts {
		raw, err := base64.StdEncoding.DecodeString(p.checksum.value)
		if err != nil || r.parts[i].algorithm != u.algorithm {
			return checksum{}, fail(invalidRequest, "The upload was created using a %s checksum. The complete request must include the checksum for each part. It was missing for part %d in the request.", strings.ToLower(string(u.algorithm)), r.parts[i].number)
		}
		sums = append(sums, raw...)
	}
	return checksum{algorithm: u.algorithm, value: u.algorithm.sum(sums) + "-" + strconv.Itoa(len(parts)), composite: true}, nil
}
