// Package backend opens the services that lakebench measures: its own embedded
// ones, or an endpoint, which is AWS or a server that speaks like it.
//
// Every client is built here, so that all of them are metered, retry by one policy
// and differ only in where they lead. On an endpoint, a backend changes and removes
// only what it made itself.
package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/backend/latency"
	"github.com/lakebench/lakebench/internal/backend/retry"
	"github.com/lakebench/lakebench/internal/backend/s3"
	"github.com/lakebench/lakebench/internal/meter"
)

// Kind is whose services a backend leads to.
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

// Config describes the services to open.
type Config struct {
	Kind Kind
	// Retry is the policy for failed requests to DynamoDB, RetryS3 for those to S3.
	Retry, RetryS3 retry.Config

	// Dynamo configures the embedded DynamoDB, S3 the embedded S3.
	Dynamo dynamo.Config
	S3     s3.Config
	// ServiceTimes, if not nil, are how long requests to the embedded services
	// take on the clock of their callers. Seed decides what is drawn from them.
	ServiceTimes *latency.Table
	Seed         uint64
	// Observe, if not nil, is called for each request that the embedded DynamoDB
	// served, with the request's context, even if the caller has given up. It must
	// not wait. ObserveS3 does the same for S3.
	Observe   func(ctx context.Context, s dynamo.Served)
	ObserveS3 func(ctx context.Context, s s3.Served)

	// The other fields are about an endpoint.

	// Uses are the services that the endpoint has. Open probes each of them.
	Uses Uses

	// AWS has its credentials and its region. Everything that lakebench decides
	// itself, such as retries and the transport, is not taken from it.
	AWS aws.Config
	// DynamoDBEndpoint is an address such as http://127.0.0.1:8000; empty is AWS.
	DynamoDBEndpoint string
	// S3Endpoint is such an address of an S3; empty is AWS.
	S3Endpoint string
	// S3Bucket is a bucket that exists, in which everything is kept below
	// KeyPrefix. Empty: the run makes one of its own.
	S3Bucket string
	// S3ChecksumsWhenRequired leaves checksums out of requests to S3 that need
	// none, for servers that do not know them.
	S3ChecksumsWhenRequired bool
	// ConnectTimeout is how long it may take to accept a connection, and to
	// answer the first request. More than 0.
	ConnectTimeout time.Duration
	// Proxy returns the proxy that a request goes through; nil is none.
	Proxy func(*http.Request) (*url.URL, error)
	// TablePrefix begins the names of the tables and buckets that are made, RunID
	// makes them unique.
	TablePrefix string
	RunID       string
	// MayChange names tables of others that may be changed, created and deleted:
	// those that a user wants migrated. Close never removes them.
	MayChange []string
	// Keep leaves the tables and objects that were made.
	Keep bool
}

// Uses is a set of services.
type Uses struct{ DynamoDB, S3 bool }

// DefaultConfig returns the configuration of the embedded services.
func DefaultConfig() Config {
	return Config{
		Kind:           Embedded,
		Retry:          retry.DynamoDBConfig(),
		RetryS3:        retry.S3Config(),
		Dynamo:         dynamo.DefaultConfig(),
		S3:             s3.DefaultConfig(),
		Uses:           Uses{DynamoDB: true},
		ConnectTimeout: 5 * time.Second,
		TablePrefix:    "lakebench",
		RunID:          "run",
	}
}

// Validate returns an error that names the first wrong field.
func (c Config) Validate() error {
	if err := errors.Join(c.Retry.Validate(), c.RetryS3.Validate()); err != nil {
		return err
	}
	if c.TablePrefix == "" || c.RunID == "" {
		return errors.New("backend: TablePrefix or RunID is empty; both are needed to keep the tables of a run apart from all others")
	}
	if c.Kind == Embedded {
		if c.ServiceTimes != nil {
			if err := c.ServiceTimes.Validate(); err != nil {
				return fmt.Errorf("backend: service times: %w", err)
			}
		}
		return errors.Join(c.Dynamo.Validate(), c.S3.Validate())
	}
	switch {
	case c.Uses == Uses{}:
		return errors.New("backend: no service of the endpoint is used; set Uses to at least one")
	case c.AWS.Credentials == nil:
		return errors.New("backend: an endpoint needs credentials")
	case c.AWS.Region == "":
		return errors.New("backend: an endpoint needs a region")
	case c.ConnectTimeout <= 0:
		return fmt.Errorf("backend: ConnectTimeout is %v, expected more than 0", c.ConnectTimeout)
	}
	return errors.Join(checkEndpoint(c.DynamoDBEndpoint), checkEndpoint(c.S3Endpoint))
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
	cfg      Config
	policy   *retry.Policy  // of DynamoDB's clients
	s3Policy *retry.Policy  // of S3's
	engine   *dynamo.Engine // the embedded DynamoDB
	objects  *s3.Service    // the embedded S3
	times    *latency.Model // of the embedded services; nil: none
	http     *http.Client   // to an endpoint
	server   string         // how an endpoint's DynamoDB names itself
	tables   tables
	bucket   ownBucket
	tokens   atomic.Uint64 // request tokens that direct clients made up
}

// Open opens a backend. An endpoint gets a request first: if it cannot be reached,
// or refuses the credentials, the error is an *UnreachableError.
func Open(ctx context.Context, cfg Config) (*Backend, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	b := &Backend{cfg: cfg}
	var err error
	if b.policy, err = retry.New(cfg.Retry); err != nil {
		return nil, err
	}
	if b.s3Policy, err = retry.New(cfg.RetryS3); err != nil {
		return nil, err
	}
	if cfg.Kind == Endpoint {
		b.http = newHTTPClient(cfg)
		if err := b.probeAll(ctx); err != nil {
			b.http.CloseIdleConnections()
			return nil, err
		}
		return b, nil
	}
	if cfg.ServiceTimes != nil {
		b.times = latency.NewModel(*cfg.ServiceTimes, cfg.Seed)
	}
	if b.engine, err = dynamo.New(cfg.Dynamo); err != nil {
		return nil, err
	}
	b.objects, err = s3.New(cfg.S3)
	return b, err
}

// Kind returns whose services these are.
func (b *Backend) Kind() Kind { return b.cfg.Kind }

// Description is what a result document records of a backend.
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
		d.Endpoint, d.Region = b.endpoints(), b.cfg.AWS.Region
		if b.server != "" {
			d.Settings["server"] = b.server
		}
		return d
	}
	d.Settings = changed(b.cfg, DefaultConfig())
	return d
}

// changed returns the settings that are not what they are by default.
func changed(c, byDefault Config) map[string]string {
	now, was := settings(c.Dynamo, c.S3), settings(byDefault.Dynamo, byDefault.S3)
	maps.DeleteFunc(now, func(name, value string) bool { return was[name] == value })
	return now
}

func settings(c dynamo.Config, objects s3.Config) map[string]string {
	return map[string]string{
		"s3.region":                            objects.Region,
		"s3.list_permission":                   fmt.Sprint(objects.ListPermission),
		"s3.commit_delay":                      objects.CommitDelay.String(),
		"s3.races_conflict":                    fmt.Sprint(objects.RacesConflict),
		"dynamodb.physical_partitions":         fmt.Sprint(c.PhysicalPartitions),
		"dynamodb.last_key_on_full_final_page": fmt.Sprint(c.LastKeyOnFullFinalPage),
		"dynamodb.checks_conflict":             fmt.Sprint(c.ChecksConflict),
		"dynamodb.commit_delay":                c.CommitDelay.String(),
		"dynamodb.visible_one_by_one":          fmt.Sprint(c.VisibleOneByOne),
		"dynamodb.absent_failure_by_size":      fmt.Sprint(c.AbsentFailureBySize),
	}
}

// where names the endpoint of a service in messages; service is the SDK's id.
func (b *Backend) where(service string) string {
	address := b.cfg.DynamoDBEndpoint
	if service == awss3.ServiceID {
		address = b.cfg.S3Endpoint
	}
	return cmp.Or(address, service+" in "+b.cfg.AWS.Region)
}

// endpoints names those of all services that are used.
func (b *Backend) endpoints() string {
	var all []string
	if b.cfg.Uses.DynamoDB {
		all = append(all, b.where(dynamodb.ServiceID))
	}
	if b.cfg.Uses.S3 {
		all = append(all, b.where(awss3.ServiceID))
	}
	return strings.Join(all, ", ")
}

// MeterConfig returns the configuration of a meter for this backend's clients: an
// endpoint is asked for the units that the embedded services tell by themselves.
// trace may be nil.
func (b *Backend) MeterConfig(trace func(meter.TraceRecord)) meter.Config {
	cfg := meter.DefaultConfig()
	cfg.ReportCapacity = b.cfg.Kind == Endpoint
	cfg.Trace = trace
	return cfg
}

// NewMeter returns a meter of MeterConfig.
func (b *Backend) NewMeter(trace func(meter.TraceRecord)) (*meter.Meter, error) {
	return meter.New(b.MeterConfig(trace))
}

// Close removes the tables and objects that were made, unless they are to be kept. ctx
// should be one that a user's interrupt has not ended.
func (b *Backend) Close(ctx context.Context) error {
	if b.cfg.Kind == Embedded {
		return nil
	}
	defer b.http.CloseIdleConnections()
	if b.cfg.Keep {
		return nil
	}
	return errors.Join(b.RemoveTables(ctx), b.RemoveObjects(ctx))
}
