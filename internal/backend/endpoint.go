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
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/sim/task"
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
		// A redirect would be a second request, which no ledger counts.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// probeAll sends one request to each service in use. A caller without permission to
// list is accepted: the service knows the credentials. Any other failure is an
// *UnreachableError, unless ctx ended.
func (b *Backend) probeAll(ctx context.Context) error {
	m, err := b.NewMeter(nil)
	if err != nil {
		return err
	}
	if b.cfg.Uses.DynamoDB {
		err := b.probe(ctx, dynamodb.ServiceID, func(ctx context.Context) error { return b.listTables(ctx, m) })
		if err != nil {
			return err
		}
	}
	if b.cfg.Uses.S3 {
		return b.probe(ctx, awss3.ServiceID, func(ctx context.Context) error { return b.listBucket(ctx, m) })
	}
	return nil
}

func (b *Backend) probe(ctx context.Context, service string, list func(context.Context) error) error {
	if _, err := b.cfg.AWS.Credentials.Retrieve(ctx); err != nil {
		return b.unreachable(ctx, service, ReasonCredentials, err)
	}
	first, cancel := task.WithTimeout(cause.With(ctx, cause.Setup), b.cfg.ConnectTimeout)
	defer cancel()
	err := list(first)
	switch {
	case first.Err() != nil:
		return b.unreachable(ctx, service, ReasonNoAnswer, &noAnswerError{b.cfg.ConnectTimeout})
	case err != nil:
		return b.unreachable(ctx, service, reasonOf(err), err)
	}
	return nil
}

// listTables asks a DynamoDB for tables, and how its server names itself.
func (b *Backend) listTables(ctx context.Context, m *meter.Meter) error {
	out, err := b.DynamoDB(m).ListTables(ctx, &dynamodb.ListTablesInput{Limit: aws.Int32(1)},
		func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
	var api smithy.APIError
	if errors.As(err, &api) && api.ErrorCode() == "AccessDeniedException" {
		return nil
	}
	if err != nil {
		return err
	}
	if raw, ok := awsmiddleware.GetRawResponse(out.ResultMetadata).(*smithyhttp.Response); ok {
		b.server = serverName(raw.Header.Get("Server"))
	}
	return nil
}

// listBucket asks an S3 for the objects of the bucket that it has to have, or for
// its buckets. Answers to LIST say what is wrong, those to HEAD do not.
func (b *Backend) listBucket(ctx context.Context, m *meter.Meter) error {
	once := func(o *awss3.Options) { o.Retryer = aws.NopRetryer{} }
	if b.cfg.S3Bucket != "" {
		_, err := b.S3(m).ListObjectsV2(ctx, &awss3.ListObjectsV2Input{Bucket: &b.cfg.S3Bucket, MaxKeys: aws.Int32(1)}, once)
		return err
	}
	_, err := b.S3(m).ListBuckets(ctx, &awss3.ListBucketsInput{}, once)
	var api smithy.APIError
	if errors.As(err, &api) && api.ErrorCode() == "AccessDenied" {
		return nil
	}
	return err
}

// serverName returns the server that an answer's Server header stands for. The known
// differences from the rules depend on it. DynamoDB Local is a Jetty (observed of
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
