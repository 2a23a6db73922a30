package s3

import (
	"strconv"
	"strings"
	"time"
)

// readCondition is what a reader demands of an object; empty is nothing.
type readCondition struct {
	ifMatch, ifNoneMatch               string
	ifModifiedSince, ifUnmodifiedSince time.Time
}

// check is by the order of RFC 9110 §13.2.2: an ETag decides before a date
// (GetObject, API reference, "If-Match" to "If-Unmodified-Since").
func (c *readCondition) check(o *object) *serviceError {
	switch {
	case c.ifMatch != "":
		if !matches(c.ifMatch, o.etag) {
			return fail(preconditionFailed, preconditionMessage)
		}
	case !c.ifUnmodifiedSince.IsZero() && o.modified.After(c.ifUnmodifiedSince):
		return fail(preconditionFailed, preconditionMessage)
	}
	unchanged := &serviceError{code: notModified, object: o}
	switch {
	case c.ifNoneMatch != "":
		if matches(c.ifNoneMatch, o.etag) {
			return unchanged
		}
	case !c.ifModifiedSince.IsZero() && !o.modified.After(c.ifModifiedSince):
		return unchanged
	}
	return nil
}

// matches reports whether an ETag is in a list of them, with or without quotes.
func matches(list, etag string) bool {
	if list == "*" {
		return true
	}
	for one := range strings.SplitSeq(list, ",") {
		if strings.Trim(strings.TrimSpace(one), `"`) == strings.Trim(etag, `"`) {
			return true
		}
	}
	return false
}

// A span is the part of an object that is read.
type span struct {
	from, to, size int64 // of size bytes those in [from, to)
	partial        bool
}

func (p span) length() int64 { return p.to - p.from }

func (p span) contentRange() string {
	return "bytes " + strconv.FormatInt(p.from, 10) + "-" + strconv.FormatInt(p.to-1, 10) + "/" + strconv.FormatInt(p.size, 10)
}

// parseRange reads a Range header. As RFC 9110 §14.2 has it, one that makes no
// sense is ignored; one that lies outside of the object is refused (GetObject,
// API reference, "InvalidRange").
func parseRange(spec string, size int64) (span, *serviceError) {
	whole := span{0, size, size, false}
	text, ok := strings.CutPrefix(strings.TrimSpace(spec), "bytes=")
	if !ok {
		return whole, nil
	}
	if strings.Contains(text, ",") {
		return whole, unsupported("several ranges in one request")
	}
	first, last, ok := strings.Cut(text, "-")
	from, fromErr := strconv.ParseUint(first, 10, 63)
	to, toErr := strconv.ParseUint(last, 10, 63)
	p := span{size: size, partial: true}
	switch {
	case !ok:
		return whole, nil
	case first == "" && toErr == nil:
		p.from, p.to = size-min(int64(to), size), size
		if to == 0 {
			p.from = size
		}
	case fromErr == nil && last == "":
		p.from, p.to = int64(from), size
	case fromErr == nil && toErr == nil && from <= to:
		p.from, p.to = int64(from), min(int64(to), size-1)+1
	default:
		return whole, nil
	}
	if p.from >= size {
		return span{}, fail(invalidRange, "The requested range is not satisfiable: %.100q of %d bytes", spec, size)
	}
	return p, nil
}
