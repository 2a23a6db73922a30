package backend

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/lakebench/lakebench/cause"
	"github.com/lakebench/lakebench/task"
)

const (
	// answerTimeout is how long an endpoint may take to begin an answer.
	// DynamoDB's own limit for a request is a few seconds.
	answerTimeout = 60 * time.Second
	// idleConnections keeps a connection for each of many clients at once.
	idleConnections = 256
	// idleTimeout is shorter than the time after which servers close an idle
	// connection: DynamoDB Local and AWS keep them for a minute or more.
	idleTimeout = 30 * time.Second
)

func newHTTPClient(cfg Config) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                 cfg.Proxy,
			DialContext:           (&net.Dialer{Timeout: cfg.ConnectTimeout}).DialContext,
			TLSHandshakeTimeout:   cfg.ConnectTimeout,
			ResponseHeaderTimeout: answerTimeout,
			MaxIdleConns:          idleConnections,
			MaxIdleConnsPerHost:   idleConnections,
			IdleConnTimeout:       idleTimeout,
		},
		// A redirect would be a second request that nobody counts.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// probe asks an endpoint for a sign of life, once, and how its server names
// itself. A caller who may not list tables is fine: he was recognized. Any other
// failure is an *UnreachableError, unless ctx ended.
func (b *Backend) probe(ctx context.Context) error {
	if _, err := b.cfg.AWS.Credentials.Retrieve(ctx); err != nil {
		return b.unreachable(ctx, ReasonCredentials, err)
	}
	m, err := b.NewMeter(nil)
	if err != nil {
		return err
	}
	first, cancel := task.WithTimeout(cause.With(ctx, cause.Setup), b.cfg.ConnectTimeout)
	defer cancel()
	out, err := b.DynamoDB(m).ListTables(first, &dynamodb.ListTablesInput{Limit: aws.Int32(1)},
		func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
	var api smithy.APIError
	switch {
	case errors.As(err, &api) && api.ErrorCode() == "AccessDeniedException":
		return nil
	case first.Err() != nil:
		return b.unreachable(ctx, ReasonNoAnswer, &noAnswerError{b.cfg.ConnectTimeout})
	case err != nil:
		return b.unreachable(ctx, reasonOf(err), err)
	}
	if raw, ok := awsmiddleware.GetRawResponse(out.ResultMetadata).(*smithyhttp.Response); ok {
		b.server = serverName(raw.Header.Get("Server"))
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
