package dynamo

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// Access is the one pair of keys that requests must be signed with. The zero
// Access takes every request, signed or not.
type Access struct{ Key, Secret string }

const (
	signingAlgorithm = "AWS4-HMAC-SHA256"
	signingTime      = "20060102T150405Z"
	// maxSkew is how far a signature's time may be from the service's (IAM User
	// Guide, "Troubleshoot Signature Version 4", expired signatures).
	maxSkew = 15 * time.Minute
)

// verify checks a request's signature by AWS Signature Version 4 (IAM User Guide,
// "Create a signed AWS API request"). Requests have the path / and no query.
func (a Access) verify(ctx context.Context, req *http.Request, body []byte) *serviceError {
	if a == (Access{}) {
		return nil
	}
	text := req.Header.Get("Authorization")
	if text == "" {
		return &serviceError{code: missingAuthentication, message: "Request is missing Authentication Token"}
	}
	sent, ok := parseAuthorization(text)
	if !ok {
		return &serviceError{code: incompleteSignature, message: "Authorization header requires the algorithm " + signingAlgorithm + " with 'Credential', 'SignedHeaders' and 'Signature'"}
	}
	if sent.key != a.Key {
		return &serviceError{code: unrecognizedClient, message: "The security token included in the request is invalid."}
	}
	stamp := req.Header.Get("X-Amz-Date")
	at, err := time.Parse(signingTime, stamp)
	if err != nil || !strings.HasPrefix(stamp, sent.date) || !slices.Contains(sent.headers, "host") {
		return &serviceError{code: incompleteSignature, message: "The request must be signed with its host and an 'X-Amz-Date' of the credential's day"}
	}
	if skew := task.Now(ctx).Sub(at).Abs(); skew > maxSkew {
		return &serviceError{code: invalidSignature, message: "Signature expired: " + stamp + " is more than " + maxSkew.String() + " from the service's time"}
	}
	want := a.sign(sent, stamp, canonicalRequest(req, sent.headers, body))
	if !hmac.Equal([]byte(sent.signature), []byte(want)) {
		return &serviceError{code: invalidSignature, message: "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details."}
	}
	return nil
}

// authorization is an Authorization header, taken apart.
type authorization struct {
	key                   string
	date, region, service string   // of the credential's scope
	headers               []string // that are signed
	signature             string   // in hexadecimal
}

func parseAuthorization(text string) (a authorization, ok bool) {
	rest, ok := strings.CutPrefix(text, signingAlgorithm+" ")
	if !ok {
		return a, false
	}
	for part := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "Credential":
			scope := strings.Split(value, "/")
			if len(scope) != 5 || scope[4] != "aws4_request" {
				return a, false
			}
			a.key, a.date, a.region, a.service = scope[0], scope[1], scope[2], scope[3]
		case "SignedHeaders":
			a.headers = strings.Split(value, ";")
		case "Signature":
			a.signature = value
		}
	}
	return a, a.key != "" && a.date != "" && a.headers != nil && a.signature != ""
}

func (a *authorization) scope() string {
	return strings.Join([]string{a.date, a.region, a.service, "aws4_request"}, "/")
}

// canonicalRequest is what is signed of a request.
func canonicalRequest(req *http.Request, headers []string, body []byte) string {
	var b strings.Builder
	b.WriteString(req.Method + "\n/\n\n")
	for _, name := range headers {
		values := req.Header.Values(name)
		if name == "host" {
			values = []string{req.Host}
		}
		trimmed := make([]string, len(values))
		for i, v := range values {
			trimmed[i] = strings.Join(strings.Fields(v), " ")
		}
		b.WriteString(name + ":" + strings.Join(trimmed, ",") + "\n")
	}
	b.WriteString("\n" + strings.Join(headers, ";") + "\n" + hexSum(body))
	return b.String()
}

func (a Access) sign(sent authorization, stamp, request string) string {
	key := []byte("AWS4" + a.Secret)
	for _, part := range []string{sent.date, sent.region, sent.service, "aws4_request"} {
		key = mac(key, part)
	}
	return hex.EncodeToString(mac(key, strings.Join([]string{signingAlgorithm, stamp, sent.scope(), hexSum([]byte(request))}, "\n")))
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text)) // never fails
	return h.Sum(nil)
}

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
