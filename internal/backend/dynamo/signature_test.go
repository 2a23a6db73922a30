package dynamo_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

// signed is a ListTables request that the SDK's own signer has signed.
func signed(t *testing.T, address, key, secret string, at time.Time) *http.Request {
	t.Helper()
	const body = `{}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Amz-Target", "DynamoDB_20120810.ListTables")
	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	req.Header.Set("X-Spaced", "  a   b ")
	sum := sha256.Sum256([]byte(body))
	credentials := aws.Credentials{AccessKeyID: key, SecretAccessKey: secret}
	if err := v4.NewSigner().SignHTTP(t.Context(), credentials, req, hex.EncodeToString(sum[:]), "dynamodb", "eu-west-1", at); err != nil {
		t.Fatal(err)
	}
	return req
}

func TestSignatures(t *testing.T) {
	engine := newEngine(t)
	server := httptest.NewServer(engine.SignedHTTPHandler(dynamo.Access{Key: "AKIDEXAMPLE", Secret: "wJalr/secret"}))
	defer server.Close()
	now := time.Now()
	good := func(t *testing.T) *http.Request { return signed(t, server.URL, "AKIDEXAMPLE", "wJalr/secret", now) }
	for _, c := range []struct {
		name    string
		request func(t *testing.T) *http.Request
		want    string // the error's type, empty for none
	}{
		{"good", good, ""},
		{"almost too old", func(t *testing.T) *http.Request {
			return signed(t, server.URL, "AKIDEXAMPLE", "wJalr/secret", now.Add(-14*time.Minute))
		}, ""},
		{"too old", func(t *testing.T) *http.Request {
			return signed(t, server.URL, "AKIDEXAMPLE", "wJalr/secret", now.Add(-16*time.Minute))
		}, "InvalidSignatureException"},
		{"of the future", func(t *testing.T) *http.Request {
			return signed(t, server.URL, "AKIDEXAMPLE", "wJalr/secret", now.Add(16*time.Minute))
		}, "InvalidSignatureException"},
		{"other secret", func(t *testing.T) *http.Request { return signed(t, server.URL, "AKIDEXAMPLE", "wrong", now) }, "InvalidSignatureException"},
		{"other key", func(t *testing.T) *http.Request { return signed(t, server.URL, "AKIDOTHER", "wJalr/secret", now) }, "UnrecognizedClientException"},
		{"unsigned", func(t *testing.T) *http.Request {
			req := good(t)
			req.Header.Del("Authorization")
			return req
		}, "MissingAuthenticationTokenException"},
		{"another body", func(t *testing.T) *http.Request {
			req := good(t)
			req.Body, req.ContentLength = io.NopCloser(bytes.NewReader([]byte(`{ }`))), 3
			return req
		}, "InvalidSignatureException"},
		{"another operation", func(t *testing.T) *http.Request {
			req := good(t)
			req.Header.Set("X-Amz-Target", "DynamoDB_20120810.DeleteTable")
			return req
		}, "InvalidSignatureException"},
		{"another host", func(t *testing.T) *http.Request {
			req := good(t)
			req.Host = "elsewhere"
			return req
		}, "InvalidSignatureException"},
		{"another day", func(t *testing.T) *http.Request {
			req := good(t)
			req.Header.Set("X-Amz-Date", "20010101T000000Z")
			return req
		}, "IncompleteSignatureException"},
		{"no credential", func(t *testing.T) *http.Request {
			req := good(t)
			req.Header.Set("Authorization", "AWS4-HMAC-SHA256 SignedHeaders=host, Signature=00")
			return req
		}, "IncompleteSignatureException"},
		{"another algorithm", func(t *testing.T) *http.Request {
			req := good(t)
			req.Header.Set("Authorization", "Basic AKIDEXAMPLE")
			return req
		}, "IncompleteSignatureException"},
		{"nothing signed but the date", func(t *testing.T) *http.Request {
			req := good(t)
			req.Header.Set("Authorization", strings.Replace(req.Header.Get("Authorization"), "host;", "", 1))
			return req
		}, "IncompleteSignatureException"},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp, err := server.Client().Do(c.request(t))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" {
				if resp.StatusCode != http.StatusOK {
					t.Errorf("status %d: %s", resp.StatusCode, body)
				}
				return
			}
			if got := typeOf(t, body); resp.StatusCode != http.StatusBadRequest || !strings.HasSuffix(got, "#"+c.want) {
				t.Errorf("status %d, %s; want %s", resp.StatusCode, body, c.want)
			}
		})
	}
}

// The SDK's client signs as the service wants it, whatever the region.
func TestSignedClient(t *testing.T) {
	server := httptest.NewServer(newEngine(t).SignedHTTPHandler(dynamo.Access{Key: "test", Secret: "test"}))
	defer server.Close()
	client := newClient(server.Client())
	if _, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{}, func(o *dynamodb.Options) { o.BaseEndpoint = &server.URL }); err != nil {
		t.Error(err)
	}
}
