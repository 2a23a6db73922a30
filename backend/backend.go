// Package backend opens the services that lakebench measures: its own embedded
// ones, or an endpoint, which is AWS or a server that speaks like it.
//
// Its opinion: every client is built here, in one place, so that all of them are
// metered, retry by one policy and differ in nothing but where they lead.
package backend

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/lakebench/lakebench/backend/dynamo"
	"github.com/lakebench/lakebench/backend/retry"
	"github.com/lakebench/lakebench/meter"
)

// Kind says whose services a backend leads to.
type Kind int

// The kinds.
const (
	Embedded Kind = iota // lakebench's own, in this process
	Endpoint             // AWS, or a server at an address
)

func (k Kind) String() string {
	if k == Endpoint {
		return "endpoint"
	}
	return "embedded"
}

// Config says what to open.
type Config struct {
	Kind Kind
	// Dynamo configures the embedded DynamoDB.
	Dynamo dynamo.Config
	// AWS has the credentials and the region of an endpoint. Everything that
	// lakebench decides itself, such as retries, is not taken from it.
	AWS aws.Config
	// DynamoDBEndpoint is the address of an endpoint; empty is AWS.
	DynamoDBEndpoint string
	// TablePrefix begins the names of the tables that are made.
	TablePrefix string
	// RunID makes those names unique.
	RunID string
	// Keep leaves the tables that were made.
	Keep bool
	// Retry says how failed requests are sent again.
	Retry retry.Config
}

// DefaultConfig returns the embedded services.
func DefaultConfig() Config {
	return Config{Kind: Embedded, Dynamo: dynamo.DefaultConfig(), TablePrefix: "lakebench", RunID: "run", Retry: retry.DynamoDBConfig()}
}

// Validate reports the first field that is no good.
func (c Config) Validate() error {
	if c.RunID == "" {
		return errors.New("backend: RunID is empty; it is what keeps the tables of runs apart")
	}
	if c.Kind == Endpoint && c.AWS.Credentials == nil {
		return errors.New("backend: an endpoint needs credentials")
	}
	return c.Retry.Validate()
}

// A Backend is an open service. It may be used by any number of tasks.
type Backend struct {
	cfg      Config
	engine   *dynamo.Engine // of the embedded DynamoDB
	policy   *retry.Policy
	http     aws.HTTPClient // to an endpoint
	settings map[string]string
	tables   tables
}

// Open opens a backend. An endpoint is asked for a sign of life first: if it
// cannot be reached, or refuses the credentials, that is an *UnreachableError.
func Open(ctx context.Context, cfg Config) (*Backend, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	b := &Backend{cfg: cfg, settings: map[string]string{}}
	var err error
	if b.policy, err = retry.New(cfg.Retry); err != nil {
		return nil, err
	}
	if cfg.Kind == Endpoint {
		b.http = newHTTPClient()
		return b, b.probe(ctx)
	}
	if b.engine, err = dynamo.New(cfg.Dynamo); err != nil {
		return nil, err
	}
	return b, nil
}

// Kind returns whose services these are.
func (b *Backend) Kind() Kind { return b.cfg.Kind }

// Description is what a result says of a backend.
type Description struct {
	Kind     string
	Endpoint string // empty for the embedded services
	Region   string // likewise
	// Settings are further facts: "server" is how an endpoint's server names
	// itself.
	Settings map[string]string
}

// Describe returns what is known of the backend.
func (b *Backend) Describe() Description {
	d := Description{Kind: b.cfg.Kind.String(), Settings: maps.Clone(b.settings)}
	if b.cfg.Kind == Endpoint {
		d.Endpoint, d.Region = b.where(), b.cfg.AWS.Region
	}
	return d
}

// where names an endpoint in messages.
func (b *Backend) where() string {
	if b.cfg.DynamoDBEndpoint != "" {
		return b.cfg.DynamoDBEndpoint
	}
	return "DynamoDB in " + b.cfg.AWS.Region
}

// NewMeter returns a meter for this backend's clients: an endpoint is asked for
// the units that the embedded services tell by themselves. trace may be nil.
func (b *Backend) NewMeter(trace func(meter.TraceRecord)) (*meter.Meter, error) {
	cfg := meter.DefaultConfig()
	cfg.ReportCapacity = b.cfg.Kind == Endpoint
	cfg.Trace = trace
	return meter.New(cfg)
}

// DynamoDB returns a client all of whose requests m counts.
func (b *Backend) DynamoDB(m *meter.Meter) *dynamodb.Client {
	o := dynamodb.Options{
		Region:     b.cfg.AWS.Region,
		Retryer:    b.policy,
		APIOptions: append(b.policy.APIOptions(), m.APIOptions()...),
	}
	if b.cfg.Kind == Endpoint {
		o.Credentials = b.cfg.AWS.Credentials
		o.HTTPClient = m.HTTPClient(b.http)
		if b.cfg.DynamoDBEndpoint != "" {
			o.BaseEndpoint = aws.String(b.cfg.DynamoDBEndpoint)
		}
		return dynamodb.New(o)
	}
	o.Region = "us-east-1" // a signature needs one
	o.Credentials = credentials.NewStaticCredentialsProvider("lakebench", "lakebench", "")
	o.BaseEndpoint = aws.String("http://embedded.invalid")
	o.HTTPClient = m.HTTPClient(b.engine.Client(func(ctx context.Context, s dynamo.Served) { m.Served(ctx, served(s)) }))
	return dynamodb.New(o)
}

// served is what the embedded DynamoDB bills, in the meter's terms.
func served(s dynamo.Served) meter.Served {
	return meter.Served{Service: "dynamodb", API: s.API, Usage: meter.Usage{
		RRU: s.RRU, WRU: s.WRU,
		Evaluated: s.Evaluated, Returned: s.Returned,
		BytesSent: s.WrittenBytes, BytesReceived: s.ReadBytes,
	}}
}

// Close removes the tables that were made, unless they are to be kept. ctx
// should be one that a user's interrupt has not ended.
func (b *Backend) Close(ctx context.Context) error {
	if b.cfg.Keep || b.cfg.Kind == Embedded {
		return nil
	}
	if err := b.RemoveTables(ctx); err != nil {
		return fmt.Errorf("removing the tables of this run: %w", err)
	}
	return nil
}
