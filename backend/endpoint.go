package backend

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/lakebench/lakebench/cause"
)

const (
	// ConnectTimeout is how long an endpoint may take to accept a connection.
	ConnectTimeout = 5 * time.Second
	// answerTimeout is how long it may take to begin an answer. DynamoDB's own
	// limit for a request is a few seconds.
	answerTimeout = 60 * time.Second
	// idleConnections keeps a connection for each of many clients at once.
	idleConnections = 256
)

func newHTTPClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: ConnectTimeout}).DialContext,
		TLSHandshakeTimeout:   ConnectTimeout,
		ResponseHeaderTimeout: answerTimeout,
		MaxIdleConns:          idleConnections,
		MaxIdleConnsPerHost:   idleConnections,
		IdleConnTimeout:       90 * time.Second,
	}}
}

// An UnreachableError is an endpoint that does not answer, or that refuses to
// work for this caller.
type UnreachableError struct {
	Endpoint string
	// Code is the service's own code of a refusal; empty if there was no answer.
	Code string
	Err  error
}

func (e *UnreachableError) Error() string {
	if e.Code != "" {
		return fmt.Sprintf("%s refuses: %v", e.Endpoint, e.Err)
	}
	return fmt.Sprintf("%s is unreachable: %v", e.Endpoint, e.Err)
}

// Unwrap returns why.
func (e *UnreachableError) Unwrap() error { return e.Err }

// refusals are the codes by which DynamoDB says that it will not work for this
// caller, whatever is asked (DynamoDB API reference, "Common Errors").
var refusals = []string{
	"AccessDeniedException", "ExpiredTokenException", "IncompleteSignatureException", "InvalidClientTokenId",
	"InvalidSignatureException", "MissingAuthenticationToken", "MissingAuthenticationTokenException",
	"NotAuthorized", "OptInRequired", "RequestExpired", "UnrecognizedClientException",
}

// missing is the code of a table that is not there, in this account and region.
const missing = "ResourceNotFoundException"

// Classify turns an error of a service into an *UnreachableError if it means
// that the service cannot be reached, refuses the caller, or lacks the table.
// Any other error comes back as it is.
func (b *Backend) Classify(err error) error {
	var (
		known *UnreachableError
		api   smithy.APIError
		sent  *smithyhttp.RequestSendError
		cred  *credentialsError
	)
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.As(err, &api) && (slices.Contains(refusals, api.ErrorCode()) || api.ErrorCode() == missing):
		return &UnreachableError{Endpoint: b.where(), Code: api.ErrorCode(), Err: err}
	case errors.As(err, &cred):
		return &UnreachableError{Endpoint: b.where(), Code: "credentials", Err: err}
	case errors.As(err, &sent) && !errors.Is(err, context.Canceled):
		return &UnreachableError{Endpoint: b.where(), Err: root(sent.Err)}
	}
	return err
}

// root drops the layers that only repeat the address.
func root(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op
	}
	return err
}

// credentialsError says that there are none that could be used.
type credentialsError struct{ err error }

func (e *credentialsError) Error() string { return "no usable credentials: " + e.err.Error() }
func (e *credentialsError) Unwrap() error { return e.err }

// probe asks an endpoint for a sign of life, and how its server names itself. A
// caller who may not list tables is fine: he was recognized.
func (b *Backend) probe(ctx context.Context) error {
	if _, err := b.cfg.AWS.Credentials.Retrieve(ctx); err != nil {
		return b.Classify(&credentialsError{err})
	}
	m, err := b.NewMeter(nil)
	if err != nil {
		return err
	}
	out, err := b.DynamoDB(m).ListTables(cause.With(ctx, cause.Setup), &dynamodb.ListTablesInput{Limit: aws.Int32(1)},
		func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
	var api smithy.APIError
	if errors.As(err, &api) && api.ErrorCode() == "AccessDeniedException" {
		return nil
	}
	if err != nil {
		return b.Classify(fmt.Errorf("first request: %w", err))
	}
	if raw, ok := awsmiddleware.GetRawResponse(out.ResultMetadata).(*smithyhttp.Response); ok {
		b.settings["server"] = serverName(raw.Header.Get("Server"))
	}
	return nil
}

// serverName says which server an answer's Server header means: what is known to
// differ from the rules depends on it. DynamoDB Local is a Jetty (observed of
// 1.25.1), AWS says "Server".
func serverName(header string) string {
	switch {
	case strings.HasPrefix(header, "Jetty"):
		return "DynamoDB Local"
	case header == "Server":
		return "AWS"
	default:
		return header
	}
}
