package s3

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
)

// payload returns the bytes that a request brings, without the framing of
// aws-chunked, and what its headers declare about them.
func (in *inbound) payload() ([]byte, claims, *serviceError) {
	c := claims{md5: in.header.Get("Content-Md5")}
	body, trailers := in.body, http.Header(nil)
	hash := in.header.Get("X-Amz-Content-Sha256")
	if strings.HasPrefix(hash, "STREAMING-") || chunked(in.header.Get("Content-Encoding")) {
		var err *serviceError
		if body, trailers, err = unchunk(in.body); err != nil {
			return nil, claims{}, err
		}
		if text := in.header.Get("X-Amz-Decoded-Content-Length"); text != strconv.Itoa(len(body)) {
			return nil, claims{}, fail(incompleteBody, "The request body terminated unexpectedly: %d bytes, X-Amz-Decoded-Content-Length is %.100q", len(body), text)
		}
	} else if len(hash) == sha256Digits && len(in.body) > 0 {
		c.sha256 = hash
	}
	var err *serviceError
	c.algorithm, c.value, err = in.checksum(in.header)
	if declared := in.header.Get("X-Amz-Trailer"); declared != "" && err == nil {
		if trailers.Get(declared) == "" {
			return nil, claims{}, fail(invalidRequest, "The trailer %.100q was announced and is missing", declared)
		}
		if c.algorithm == noAlgorithm {
			c.algorithm, c.value, err = in.checksum(trailers)
		}
	}
	if err == nil && c.algorithm == noAlgorithm && in.header.Get("X-Amz-Sdk-Checksum-Algorithm") != "" {
		err = fail(invalidRequest, "x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.")
	}
	return body, c, err
}

// sha256Digits is the length of a SHA-256 in hexadecimal; anything else in its
// header is a word, such as UNSIGNED-PAYLOAD.
const sha256Digits = 64

// checksum returns the one checksum that headers, or trailers, have.
func (in *inbound) checksum(h http.Header) (found algorithm, value string, err *serviceError) {
	for _, a := range algorithms() {
		v := h.Get(a.header())
		if v == "" {
			continue
		}
		if found != noAlgorithm {
			return "", "", fail(invalidRequest, "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.")
		}
		sum, _, _ := strings.Cut(v, "-") // of parts, and their number
		if raw, err := base64.StdEncoding.DecodeString(sum); err != nil || len(raw) != a.hash().Size() {
			return "", "", fail(invalidRequest, "Value for %s header is invalid.", strings.ToLower(a.header()))
		}
		found, value = a, v
	}
	return found, value, nil
}

const awsChunked = "aws-chunked"

func chunked(encoding string) bool { return encoding != withoutChunking(encoding) }

// withoutChunking returns the content encodings that are the object's own.
func withoutChunking(encoding string) string {
	if !strings.Contains(encoding, awsChunked) {
		return encoding
	}
	var own []string
	for one := range strings.SplitSeq(encoding, ",") {
		if one = strings.TrimSpace(one); one != awsChunked {
			own = append(own, one)
		}
	}
	return strings.Join(own, ",")
}

// unchunk takes the framing of aws-chunked off (API reference, "Signature
// calculations: transferring payload in multiple chunks", and "... with trailing
// headers"): chunks of a size in hexadecimal, an extension with a signature that
// is not checked, and their bytes; after the last, empty one come trailers. The
// bytes are moved together within body.
func unchunk(body []byte) ([]byte, http.Header, *serviceError) {
	malformed := fail(incompleteBody, "The request body terminated unexpectedly: its chunks are not those of aws-chunked")
	out, rest := body[:0], body
	for {
		line, after, ok := bytes.Cut(rest, []byte("\r\n"))
		if !ok {
			return nil, nil, malformed
		}
		digits, _, _ := bytes.Cut(line, []byte(";"))
		size, err := strconv.ParseUint(string(digits), 16, 31)
		if err != nil {
			return nil, nil, malformed
		}
		if size == 0 {
			return out, trailersOf(after), nil
		}
		if uint64(len(after)) < size+2 || string(after[size:size+2]) != "\r\n" {
			return nil, nil, malformed
		}
		out = append(out, after[:size]...)
		rest = after[size+2:]
	}
}

// trailersOf reads what is behind the last chunk.
func trailersOf(text []byte) http.Header {
	trailers := http.Header{}
	for line := range bytes.Lines(text) {
		name, value, ok := bytes.Cut(bytes.TrimSpace(line), []byte(":"))
		if ok {
			trailers.Set(string(name), strings.TrimSpace(string(value)))
		}
	}
	return trailers
}
