package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/spf13/pflag"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/latency"
	"github.com/lakebench/lakebench/results"
	runner "github.com/lakebench/lakebench/run"
)

// tableVariable names the v1 table of a lake (docs/notes/metadata-layout.txt, "V2
// physical layout").
const tableVariable = "LAKE_DYNAMODB_TABLE"

// backendOptions are the flags that choose the services of a run.
type backendOptions struct {
	kind     string
	endpoint string // of DynamoDB
	s3       string // endpoint of S3
	bucket   string
	uses     backend.Uses // what the workload needs
	region   string
	table    string
	existing bool
	keep     bool
	yes      bool
	budget   float64
	clock    string
	times    string
	seed     uint64
	runID    string // tells the tables of this run from others
	start    string // does so for what all workers of a run share
}

func (o *backendOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.kind, "backend", backend.Embedded.String(), "embedded (built-in services) or endpoint (a server or AWS)")
	f.StringVar(&o.endpoint, "dynamodb-endpoint", "", "DynamoDB endpoint `address`, such as http://127.0.0.1:8000 (default AWS)")
	f.StringVar(&o.s3, "s3-endpoint", "", "S3 endpoint `address`, such as http://127.0.0.1:7070 (default AWS)")
	f.StringVar(&o.bucket, "bucket", "", "`name` of an existing bucket to use, below a new prefix, instead of creating one")
	f.StringVar(&o.region, "region", "", "AWS region (default from the AWS configuration)")
	f.StringVar(&o.table, "table", "", "`name` of the table, or prefix of the names of new tables (default $"+tableVariable+")")
	f.BoolVar(&o.existing, "use-existing-table", false, "read the table named by --table instead of creating tables; nothing is written")
	f.BoolVar(&o.keep, "keep", false, "keep the tables and buckets that were created")
	f.BoolVar(&o.yes, "yes", false, "agree to the estimated cost on an endpoint that is not this machine")
	f.StringVar(&o.clock, "clock", "", "virtual (modelled request times, identical in every run) or real (this machine's clock) (default virtual, on an endpoint real)")
	f.StringVar(&o.times, "service-times", "", "service times of the virtual clock, from this YAML `file` (default built in)")
	f.Float64Var(&o.budget, "budget", 1, "maximum estimated cost in `USD`")
}

// check refuses combinations that mean nothing, before anything is opened.
func (o *backendOptions) check(historyFile string) error {
	switch {
	case o.clock != "" && o.clock != string(results.RealClock) && o.clock != string(results.VirtualClock):
		return usagef("--clock %q: expected virtual or real", o.clock)
	case o.clock == string(results.VirtualClock) && o.kind == backend.Endpoint.String():
		return usagef("--clock virtual requires --backend embedded: an endpoint runs on real time")
	case o.times != "" && !o.virtual():
		return usagef("--service-times requires --clock virtual, which requires --backend embedded")
	}
	switch o.kind {
	case backend.Embedded.String():
		if o.endpoint != "" || o.s3 != "" || o.bucket != "" || o.region != "" || o.existing || o.keep {
			return usagef("--dynamodb-endpoint, --s3-endpoint, --bucket, --region, --use-existing-table and --keep require --backend endpoint")
		}
		return nil
	case backend.Endpoint.String():
	default:
		return usagef("--backend %q: expected embedded or endpoint", o.kind)
	}
	if o.table == "" {
		o.table = os.Getenv(tableVariable)
	}
	if o.existing && o.table == "" {
		return usagef("--use-existing-table requires --table NAME or $%s", tableVariable)
	}
	if o.existing && historyFile != "" {
		return usagef("--use-existing-table and --history exclude each other: both choose the data")
	}
	if o.budget < 0 || o.budget != o.budget {
		return usagef("--budget %v: expected an amount of US dollars, 0 or more", o.budget)
	}
	if o.endpoint != "" {
		if err := checkEndpoint("--dynamodb-endpoint", o.endpoint); err != nil {
			return err
		}
	}
	if o.s3 != "" {
		return checkEndpoint("--s3-endpoint", o.s3)
	}
	return nil
}

// use records which services the workload needs, and refuses flags of the other one.
func (o *backendOptions) use(w *runner.Workload) error {
	o.uses = w.Uses()
	switch {
	case o.uses.S3 && o.endpoint != "":
		return usagef("workload %s runs on S3: use --s3-endpoint instead of --dynamodb-endpoint", w.Name)
	case o.uses.DynamoDB && (o.s3 != "" || o.bucket != ""):
		return usagef("workload %s runs on DynamoDB: it cannot be used with --s3-endpoint or --bucket", w.Name)
	}
	return nil
}

// address is the endpoint of the service that is used, empty for AWS.
func (o *backendOptions) address() string {
	if o.uses.S3 {
		return o.s3
	}
	return o.endpoint
}

// virtual reports whether the run is on the virtual clock: that is the default where
// the services are embedded, since only these can be told what time a request takes.
func (o *backendOptions) virtual() bool {
	return o.kind == backend.Embedded.String() && o.clock != string(results.RealClock)
}

// serviceTimes loads what requests take on the virtual clock.
func (o *backendOptions) serviceTimes() (*latency.Table, error) {
	if o.times == "" {
		t, err := latency.Default()
		return &t, err
	}
	f, err := os.Open(o.times)
	if err != nil {
		return nil, usagef("--service-times: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	t, err := latency.Load(f, o.times)
	return &t, err
}

// opener opens services.
type opener func(context.Context) (*backend.Backend, error)

// open returns what opens the services of each point. What is made there bears
// the name.
func (o *backendOptions) open(ctx context.Context, name string) (opener, error) {
	cfg := backend.DefaultConfig()
	if o.virtual() {
		var err error
		if cfg.ServiceTimes, err = o.serviceTimes(); err != nil {
			return nil, err
		}
		cfg.Seed = o.seed
	}
	if o.kind == backend.Endpoint.String() {
		aws, err := awsConfig(ctx, o.address(), o.region)
		if err != nil {
			return nil, err
		}
		cfg.Kind = backend.Endpoint
		cfg.AWS = aws
		cfg.Uses = o.uses
		cfg.DynamoDBEndpoint, cfg.S3Endpoint, cfg.S3Bucket = o.endpoint, o.s3, o.bucket
		cfg.Proxy = http.ProxyFromEnvironment
		cfg.RunID = name
		if o.table != "" {
			cfg.TablePrefix = o.table
		}
		cfg.Keep = o.keep
	}
	return func(ctx context.Context) (*backend.Backend, error) { return backend.Open(ctx, cfg) }, nil
}

// consent is what the flags allow the run to cost. This machine sends no bill.
func (o *backendOptions) consent(stderr io.Writer) runner.Consent {
	c := runner.Consent{Payee: cmp.Or(o.address(), "AWS"), Agreed: o.yes, BudgetUSD: o.budget, Estimated: func(usd float64) {
		fmt.Fprintf(stderr, "lakebench: estimated cost of this run, including its set-up: %.4f USD (without storage and transfer)\n", usd)
	}}
	if isLoopback(o.address()) {
		c.Payee = ""
	}
	return c
}
