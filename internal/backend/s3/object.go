package s3

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"time"
	"unicode/utf8"
)

const (
	// maxKey is in bytes of UTF-8 (User Guide, "Naming Amazon S3 objects").
	maxKey = 1024
	// maxMetadata is of a user's metadata, names and values, in bytes (User
	// Guide, "Working with object metadata").
	maxMetadata = 2 << 10
	// maxBody bounds what one request can store. S3's own limit is 5 GB, and all
	// of it would be in memory.
	maxBody = 1 << 30
)

// An object is never changed, only replaced: it may be read without a
// lock.
type object struct {
	body     []byte
	etag     string // in quotes
	modified time.Time
	checksum checksum
	attributes
}

// attributes are what a writer gives an object besides its bytes.
type attributes struct {
	contentType        string
	contentEncoding    string
	contentLanguage    string
	contentDisposition string
	cacheControl       string
	expires            string
	metadata           map[string]string // by names in lower case, without x-amz-meta-
}

// defaultContentType is that of an object whose writer named none.
const defaultContentType = "binary/octet-stream"

func (a *attributes) checkAttributes() *serviceError {
	size := 0
	for name, value := range a.metadata {
		size += len(name) + len(value)
	}
	if size > maxMetadata {
		return fail(metadataTooLarge, "Your metadata headers exceed the maximum allowed metadata size: %d bytes, at most %d", size, maxMetadata)
	}
	return nil
}

func checkKey(key string) *serviceError {
	switch {
	case len(key) > maxKey:
		return fail(keyTooLong, "Your key is too long: %d bytes, at most %d", len(key), maxKey)
	case key == "" || !utf8.ValidString(key):
		return fail(invalidURI, "The key %.100q is not UTF-8, or empty", key)
	}
	return nil
}

func etagOf(body []byte) string {
	sum := md5.Sum(body)
	return quoteSum(sum[:])
}

func quoteSum(sum []byte) string { return `"` + hex.EncodeToString(sum) + `"` }

type putObject struct {
	bucket, key string
	body        []byte // kept
	attributes
	claims    claims
	condition writeCondition
}

func (r *putObject) do(ctx context.Context, s *Service, _ *bill) (answer, *serviceError) {
	into, err := s.bucket(r.bucket)
	if err != nil {
		return nil, err
	}
	if err := checkKey(r.key); err != nil {
		return nil, err
	}
	if err := r.checkAttributes(); err != nil {
		return nil, err
	}
	if err := r.condition.check(); err != nil {
		return nil, err
	}
	sum, err := r.claims.verify(r.body)
	if err != nil {
		return nil, err
	}
	o := &object{body: r.body, etag: etagOf(r.body), modified: now(ctx), checksum: sum, attributes: r.attributes}
	if err := s.write(ctx, into, r.key, o, r.condition); err != nil {
		return nil, err
	}
	return &objectStored{etag: o.etag, checksum: sum}, nil
}

// getObject is GetObject and, with head, HeadObject.
type getObject struct {
	bucket, key  string
	head         bool
	spec         string // of a range, "" for all of it
	condition    readCondition
	checksumMode bool // the answer is to have the checksum
}

func (r *getObject) do(_ context.Context, s *Service, b *bill) (answer, *serviceError) {
	from, err := s.bucket(r.bucket)
	if err != nil {
		return nil, err
	}
	if err := checkKey(r.key); err != nil {
		return nil, err
	}
	from.mu.RLock()
	o, found := from.objects.Get(r.key)
	from.mu.RUnlock()
	if !found {
		if !s.cfg.ListPermission {
			return nil, s.denied()
		}
		return nil, fail(noSuchKey, noKeyMessage)
	}
	if err := r.condition.check(o); err != nil {
		return nil, err
	}
	part, err := parseRange(r.spec, int64(len(o.body)))
	if err != nil {
		return nil, err
	}
	if !r.head {
		b.BytesReceived = part.length()
	}
	return &objectRead{object: o, part: part, head: r.head, checksumMode: r.checksumMode}, nil
}

type deleteObject struct {
	bucket, key string
	ifMatch     string
}

func (r *deleteObject) do(_ context.Context, s *Service, _ *bill) (answer, *serviceError) {
	from, err := s.bucket(r.bucket)
	if err != nil {
		return nil, err
	}
	if err := from.remove(r.key, r.ifMatch); err != nil {
		return nil, err
	}
	return &noContent{}, nil
}

// remove deletes a key, which need not exist unless ifMatch is not "".
func (b *bucket) remove(key, ifMatch string) *serviceError {
	if err := checkKey(key); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	o, found := b.objects.Get(key)
	switch {
	case !found && ifMatch != "":
		// User Guide, "How to perform conditional deletes", names 412 for another
		// ETag and nothing for no object; 404 is what conditional writes get.
		return fail(noSuchKey, noKeyMessage)
	case ifMatch != "" && !matches(ifMatch, o.etag):
		return fail(preconditionFailed, preconditionMessage)
	case !found:
		return nil
	}
	b.objects.Delete(key)
	for _, w := range b.inFlight[key] {
		w.deleted = true
	}
	return nil
}
