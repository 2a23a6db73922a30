package s3

import (
	"context"
	"encoding/base64"
	"strings"
	"time"
)

// maxListed is how many keys and common prefixes a page has at most
// (ListObjectsV2, API reference, "max-keys").
const maxListed = 1000

type listObjects struct {
	bucket, prefix, delimiter string
	startAfter                string
	token                     string // ContinuationToken, "" for the first page
	hasToken                  bool
	maxKeys                   int64
	urlEncoded                bool // EncodingType url: about the form of the answer only
}

func (r *listObjects) do(_ context.Context, s *Service, _ *bill) (answer, *serviceError) {
	of, err := s.bucket(r.bucket)
	if err != nil {
		return nil, err
	}
	if !s.cfg.ListPermission {
		return nil, s.denied()
	}
	if r.maxKeys < 0 {
		return nil, fail(invalidArgument, "Argument maxKeys must be an integer between 0 and 2147483647: %d", r.maxKeys)
	}
	at := place{after: r.startAfter}
	if r.hasToken { // then StartAfter is ignored (API reference)
		if at, err = parseToken(r.token); err != nil {
			return nil, err
		}
	}
	p := &page{listObjects: *r}
	p.maxKeys = min(r.maxKeys, maxListed)
	of.mu.RLock()
	defer of.mu.RUnlock()
	p.fill(of, at)
	return p, nil
}

// A place is where a page begins.
type place struct {
	after string
	// whole: behind every key that begins with after, which is a common prefix
	// that an earlier page has listed.
	whole bool
}

// Tokens are opaque to clients: the kind of place, and its text.
const (
	tokenKey    = 'k'
	tokenPrefix = 'p'
)

func (p place) token() string {
	kind := byte(tokenKey)
	if p.whole {
		kind = tokenPrefix
	}
	return base64.RawURLEncoding.EncodeToString(append([]byte{kind}, p.after...))
}

func parseToken(token string) (place, *serviceError) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) < 2 || raw[0] != tokenKey && raw[0] != tokenPrefix {
		return place{}, fail(invalidArgument, "The continuation token provided is incorrect")
	}
	return place{after: string(raw[1:]), whole: raw[0] == tokenPrefix}, nil
}

// first returns the first key that can be on the page: none before it is.
func (p place) first(prefix string) string {
	first := p.after
	if first != "" {
		// The smallest key behind it; behind all keys with that prefix, if whole.
		first += "\x00"
	}
	if p.whole {
		first = behind(p.after)
	}
	return max(first, prefix)
}

// behind returns the smallest text that is greater than all that begin with
// prefix. A key is valid UTF-8, so that no byte of it is 0xff.
func behind(prefix string) string {
	b := []byte(prefix)
	b[len(b)-1]++
	return string(b)
}

// A page is the answer to a list.
type page struct {
	listObjects // the request
	objects     []listedObject
	prefixes    []string
	next        string // NextContinuationToken, "" at the end
}

type listedObject struct {
	key      string
	size     int64
	etag     string
	modified time.Time
	checksum checksum
}

func (p *page) count() int { return len(p.objects) + len(p.prefixes) }

// fill collects keys and common prefixes from a place on. The caller holds the
// bucket's lock.
func (p *page) fill(b *bucket, at place) {
	if p.maxKeys == 0 {
		return // not truncated, although there may be more: so does S3
	}
	from := at.first(p.prefix)
	iter := b.objects.Iter()
	for ok := iter.Seek(from); ok; {
		key := iter.Key()
		if !strings.HasPrefix(key, p.prefix) {
			return
		}
		if int64(p.count()) == p.maxKeys {
			p.next = at.token()
			return
		}
		if common, some := p.commonPrefix(key); some {
			p.prefixes = append(p.prefixes, common)
			at = place{after: common, whole: true}
			ok = iter.Seek(behind(common))
			continue
		}
		o := iter.Value()
		p.objects = append(p.objects, listedObject{key, int64(len(o.body)), o.etag, o.modified, o.checksum})
		at = place{after: key}
		ok = iter.Next()
	}
}

// commonPrefix returns the key up to the first delimiter behind the prefix.
func (p *page) commonPrefix(key string) (string, bool) {
	if p.delimiter == "" {
		return "", false
	}
	i := strings.Index(key[len(p.prefix):], p.delimiter)
	if i < 0 {
		return "", false
	}
	return key[:len(p.prefix)+i+len(p.delimiter)], true
}
