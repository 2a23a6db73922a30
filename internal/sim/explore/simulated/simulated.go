// Package simulated provides the services of one run of a scenario: an embedded
// DynamoDB of its own, whose requests take time on the run's clock and fail by the
// run's rules.
//
// A service is in memory only, because a run is set up thousands of times. Each node
// has a random stream of its own for its delays (requests on their way, waits between
// attempts), so these stay the same when other nodes are scheduled differently.
package simulated

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/backend/retry"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// Transport is the way of requests to the service.
type Transport string

// The transports.
const (
	// Direct calls the engine without HTTP, JSON and signatures.
	Direct Transport = "direct"
	// SDK goes through the SDK's client and the wire format, in memory. It takes
	// about five times as long, and its errors are those of a real client.
	SDK Transport = "sdk"
)

// ErrTransport is a transport that does not exist.
var ErrTransport = errors.New("no such transport")

// ParseTransport reads a transport's name.
func ParseTransport(text string) (Transport, error) {
	if t := Transport(text); t == Direct || t == SDK {
		return t, nil
	}
	return "", fmt.Errorf("%w: %q, expected %s or %s", ErrTransport, text, Direct, SDK)
}

// Config configures the services.
type Config struct {
	Transport Transport
	// Engine configures the embedded DynamoDB.
	Engine dynamo.Config
	// Retry is every node's retry policy; its seed is replaced.
	Retry retry.Config
	// Latency is the most that a request, or its answer, is on its way: it takes
	// one to four quarters of it, so that arrivals often coincide and the
	// scheduler has something to choose. With 0 it takes no time, and others may
	// still come first.
	Latency time.Duration
}

// DefaultConfig has direct calls, requests and answers on their way for up to
// 2 ms, and transactions that take as long to commit.
func DefaultConfig() Config {
	engine := dynamo.DefaultConfig()
	engine.CommitDelay = 2 * time.Millisecond
	return Config{Transport: Direct, Engine: engine, Retry: retry.DynamoDBConfig(), Latency: 2 * time.Millisecond}
}

// Validate names the first setting that is out of range.
func (c Config) Validate() error {
	if _, err := ParseTransport(string(c.Transport)); err != nil {
		return err
	}
	if c.Latency < 0 {
		return fmt.Errorf("simulated: Latency is %v, expected 0 or more", c.Latency)
	}
	if err := c.Retry.Validate(); err != nil {
		return err
	}
	return c.Engine.Validate()
}

// DynamoDB is the service of one run.
type DynamoDB struct {
	cfg     Config
	seed    uint64
	start   time.Time
	backend *backend.Backend
	meter   *meter.Meter
	faults  *fault.Injector
	observe Observer
}

// An Observer is told of requests and of calls, which are one or more requests.
// Its methods must not wait.
type Observer interface {
	// Served is told of each request that reached the service, with the context
	// of its call.
	Served(ctx context.Context, s dynamo.Served)
	// Called is told how each call of a node ended. input is the SDK's.
	Called(ctx context.Context, api string, input any, err error)
}

// New returns a service without tables.
func New(ctx context.Context, cfg Config, seed uint64, faults *fault.Injector, observe Observer) (*DynamoDB, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	opened := backend.DefaultConfig()
	opened.Dynamo, opened.Retry, opened.Observe = cfg.Engine, cfg.Retry, observe.Served
	b, err := backend.Open(ctx, opened)
	if err != nil {
		return nil, err
	}
	m, err := b.NewMeter(nil)
	if err != nil {
		return nil, err
	}
	return &DynamoDB{cfg, seed, task.Now(ctx), b, m, faults, observe}, nil
}

// Node returns the client of a node: its requests take time and fail.
func (d *DynamoDB) Node(name string) (*Client, error) {
	seed := d.Stream(name)
	cfg := d.cfg.Retry
	cfg.Seed = seed
	policy, err := retry.New(cfg)
	if err != nil {
		return nil, err
	}
	service, err := d.service(d.faults)
	if err != nil {
		return nil, err
	}
	return &Client{
		service: service,
		own:     func(o *dynamodb.Options) { o.Retryer = policy },
		observe: d.observe.Called,
		start:   d.start,
		quarter: d.cfg.Latency / quarters,
		times:   rand.New(rand.NewPCG(seed, streamTimes)),
	}, nil
}

// Setup returns a client whose requests take no time and do not fail.
func (d *DynamoDB) Setup() (Service, error) { return d.service(nil) }

func (d *DynamoDB) service(faults *fault.Injector) (Service, error) {
	if d.cfg.Transport == SDK {
		return d.backend.DynamoDBUnder(d.meter, faults), nil
	}
	return d.backend.Direct(d.meter, faults)
}

// Stream returns the seed of what is drawn for one of the run's nodes.
func (d *DynamoDB) Stream(node string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(node)) // a hash never fails
	return d.seed ^ h.Sum64()
}

// streamTimes tells times from other random numbers of one seed.
const streamTimes = 0x74696d6573

// quarters is how many lengths of time there are.
const quarters = 4

// travel is the time that a request or an answer is on its way. Arrivals are at
// whole quarters of the run's time, whatever else took how long.
func (c *Client) travel(ctx context.Context) error {
	if c.quarter == 0 {
		task.Yield(ctx)
		return context.Cause(ctx)
	}
	d := c.quarter * time.Duration(1+c.times.IntN(quarters))
	return task.Sleep(ctx, d-(task.Since(ctx, c.start)+d)%c.quarter)
}
