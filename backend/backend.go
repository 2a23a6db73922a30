// Package backend opens the services that lakebench measures: its own embedded
// ones, or an endpoint, which is AWS or a server that speaks like it.
//
// Its opinion: every client is built here, in one place, so that all of them are
// metered, retry by one policy and differ in nothing but where they lead. On an
// endpoint it changes and removes only what it made itself.
package backend

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/lakebench/lakebench/backend/dynamo"
	"github.com/lakebench/lakebench/backend/latency"
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
	// Retry says how failed requests are sent again.
	Retry retry.Config

	// Dynamo configures the embedded DynamoDB.
	Dynamo dynamo.Config
	// ServiceTimes, if not nil, are how long requests to the embedded services
	// take on the clock of their callers. Seed decides what is drawn from them.
	ServiceTimes *latency.Table
	Seed         uint64
	// Observe, if not nil, hears of each request that an embedded service served,
	// with the request's context, also of one whose answer nobody waits for any
	// more. It must not wait.
	Observe func(ctx context.Context, s dynamo.Served)

	// The other fields are about an endpoint.

	// AWS has its credentials and its region. Everything that lakebench decides
	// itself, such as retries and the transport, is not taken from it.
	AWS aws.Config
	// DynamoDBEndpoint is an address such as http://127.0.0.1:8000; empty is AWS.
	DynamoDBEndpoint string
	// ConnectTimeout is how long it may take to accept a connection, and to
	// answer the first request. More than 0.
	ConnectTimeout time.Duration
	// Proxy says through which proxy a request goes; nil is none.
	Proxy func(*http.Request) (*url.URL, error)
	// TablePrefix begins the names of the tables that are made, RunID makes them
	// unique.
	TablePrefix string
	RunID       string
	// Keep leaves the tables that were made.
	Keep bool
}

// DefaultConfig returns the embedded services.
func DefaultConfig() Config {
	return Config{
		Kind:           Embedded,
		Retry:          retry.DynamoDBConfig(),
		Dynamo:         dynamo.DefaultConfig(),
		ConnectTimeout: 5 * time.Second,
		TablePrefix:    "lakebench",
		RunID:          "run",
	}
}

// Validate reports the first field that is no good.
func (c Config) Validate() error {
	if err := c.Retry.Validate(); err != nil {
		return err
	}
	if c.TablePrefix == "" || c.RunID == "" {
		return errors.New("backend: TablePrefix or RunID is empty; they are what keeps the tables of a run apart from all others")
	}
	if c.Kind == Embedded {
		if c.ServiceTimes != nil {
			if err := c.ServiceTimes.Validate(); err != nil {
				return fmt.Errorf("backend: service times: %w", err)
			}
		}
		return c.Dynamo.Validate()
	}
	switch {
	case c.AWS.Credentials == nil:
		return errors.New("backend: an endpoint needs credentials")
	case c.AWS.Region == "":
		return errors.New("backend: an endpoint needs a region")
	case c.ConnectTimeout <= 0:
		return fmt.Errorf("backend: ConnectTimeout is %v, expected more than 0", c.ConnectTimeout)
	}
	return checkEndpoint(c.DynamoDBEndpoint)
}

func checkEndpoint(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("backend: endpoint %q: expected an address such as http://127.0.0.1:8000", address)
	}
	return nil
}

// A Backend is an open service. It may be used by any number of tasks.
type Backend struct {
	cfg    Config
	policy *retry.Policy
	engine *dynamo.Engine // the embedded DynamoDB
	times  *latency.Model // of the embedded services; nil: none
	http   *http.Client   // to an endpoint
	server string         // how an endpoint's server names itself
	tables tables
	tokens atomic.Uint64 // made up by direct clients
}

// Open opens a backend. An endpoint is asked for a sign of life first: if it
// cannot be reached, or refuses the credentials, that is an *UnreachableError.
func Open(ctx context.Context, cfg Config) (*Backend, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	b := &Backend{cfg: cfg}
	var err error
	if b.policy, err = retry.New(cfg.Retry); err != nil {
		return nil, err
	}
	if cfg.Kind == Endpoint {
		b.http = newHTTPClient(cfg)
		if err := b.probe(ctx); err != nil {
			b.http.CloseIdleConnections()
			return nil, err
		}
		return b, nil
	}
	if cfg.ServiceTimes != nil {
		b.times = latency.NewModel(*cfg.ServiceTimes, cfg.Seed)
	}
	b.engine, err = dynamo.New(cfg.Dynamo)
	return b, err
}

// Kind returns whose services these are.
func (b *Backend) Kind() Kind { return b.cfg.Kind }

// Description is what a result says of a backend.
type Description struct {
	Kind     string
	Endpoint string // empty for the embedded services
	Region   string // likewise
	// Settings are further facts: "server" is how an endpoint's server names
	// itself; those of the embedded DynamoDB are there when they differ from
	// their defaults.
	Settings map[string]string
}

// Describe returns what is known of the backend.
func (b *Backend) Describe() Description {
	d := Description{Kind: b.cfg.Kind.String(), Settings: map[string]string{}}
	if b.cfg.Kind == Endpoint {
		d.Endpoint, d.Region = b.where(), b.cfg.AWS.Region
		if b.server != "" {
			d.Settings["server"] = b.server
		}
		return d
	}
	d.Settings = changed(b.cfg.Dynamo, dynamo.DefaultConfig())
	return d
}

// changed returns the settings that are not what they are by default.
func changed(c, byDefault dynamo.Config) map[string]string {
	now, was := settings(c), settings(byDefault)
	maps.DeleteFunc(now, func(name, value string) bool { return was[name] == value })
	return now
}

func settings(c dynamo.Config) map[string]string {
	return map[string]string{
		"dynamodb.physical_partitions":         fmt.Sprint(c.PhysicalPartitions),
		"dynamodb.last_key_on_full_final_page": fmt.Sprint(c.LastKeyOnFullFinalPage),
		"dynamodb.checks_conflict":             fmt.Sprint(c.ChecksConflict),
		"dynamodb.commit_delay":                c.CommitDelay.String(),
		"dynamodb.visible_one_by_one":          fmt.Sprint(c.VisibleOneByOne),
		"dynamodb.absent_failure_by_size":      fmt.Sprint(c.AbsentFailureBySize),
	}
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

// Close removes the tables that were made, unless they are to be kept. ctx
// should be one that a user's interrupt has not ended.
func (b *Backend) Close(ctx context.Context) error {
	if b.cfg.Kind == Embedded {
		return nil
	}
	defer b.http.CloseIdleConnections()
	if b.cfg.Keep {
		return nil
	}
	return b.RemoveTables(ctx)
}
