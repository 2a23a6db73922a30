package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/price"
	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/report"
	"github.com/lakebench/lakebench/results"
	runner "github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/workloads"
)

// runOptions are the flags of run.
type runOptions struct {
	workload string
	set      []string
	params   string
	variants []string
	seed     uint64
	repeats  int
	history  string
	prices   string
	out      string
	json     bool
	trace    string
	recorded string
	faults   string
	worker   string
	backend  backendOptions
}

func newRun() *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use:   "run NAME",
		Short: "Run a workload and count what it costs",
		Long: `Run measures a workload and prints what it cost. It writes the result
(result.json, and result.bench for benchstat), reports and plots to a new
folder below --out.

--out may be s3://BUCKET/PREFIX. The AWS configuration (AWS_ENDPOINT_URL_S3,
AWS_REGION, credentials) gives the S3 endpoint of that bucket, independently of
what is measured. result.json is written last and never overwritten.

"lakebench list" shows the workloads with their variants and parameters,
"lakebench list NAME" one of them.`,
		Example: `  lakebench run catalog-refresh
  lakebench run catalog-refresh --set tables=200 --set history_records=0,5000,50000
  lakebench run catalog-refresh --history lake.jsonl.gz --variant v1,v2
  lakebench run catalog-refresh --backend endpoint --dynamodb-endpoint http://127.0.0.1:8000`,
		Args: arguments(0, 1, "one workload"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.name(args); err != nil {
				return err
			}
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.workload, "workload", "", "the workload to run, instead of the argument `NAME`")
	f.StringArrayVar(&o.set, "set", nil, "set a parameter: `name=value`; swept parameters take lists a,b,c and ranges a..b")
	f.StringVar(&o.params, "params", "", "read parameters from a YAML `file`; --set wins over it")
	f.StringSliceVar(&o.variants, "variant", nil, "measure only these variants, as a list of `names` (default all)")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the generated operations")
	f.IntVar(&o.repeats, "repeats", 1, "repetitions per variant and point")
	f.StringVar(&o.history, "history", "", "measure the records of this history `file` (see lakebench history)")
	f.StringVar(&o.prices, "prices", "", "price with this YAML `file` instead of the built-in table")
	f.StringVar(&o.out, "out", "lakebench-results", outHelp)
	f.BoolVar(&o.json, "json", false, "print the result document on standard output instead of tables")
	f.StringVar(&o.trace, "trace-out", "", "write every request to this `file`, one JSON line each")
	f.StringVar(&o.recorded, "operations-out", "", "write the operations that the checker read to this `dir`, one JSON file per measurement")
	f.StringVar(&o.worker, "worker", "", "measure part `i/n` of the run (job/n in a pod of an Indexed Job); lakebench merge combines the parts")
	f.StringVar(&o.backend.start, "start", "", "`name` shared by all workers of one run on an endpoint; must be new for each run")
	f.StringVar(&o.faults, "faults", "", "inject faults by these `rules`, such as 'on dynamodb Scan nth 3 : throttle', or @FILE")
	o.backend.addFlags(f)
	return cmd
}

// name takes the workload from the argument or from --workload.
func (o *runOptions) name(args []string) error {
	switch {
	case len(args) == 0 && o.workload == "":
		return usagef("a workload is required, such as: lakebench run catalog-refresh; lakebench list shows all")
	case len(args) == 0:
		return nil
	case o.workload != "" && o.workload != args[0]:
		return usagef("the argument names workload %s and --workload names %s: give one of them", args[0], o.workload)
	}
	o.workload = args[0]
	return nil
}

func (o *runOptions) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	if err := o.backend.check(o.history); err != nil {
		return err
	}
	p := newProgress(stderr)
	defer p.end()
	cfg, set, err := o.config()
	if err != nil {
		return err
	}
	// Everything that is written in the end is tried before anything is opened.
	to, err := openDestination(ctx, o.out, cfg.RunID)
	if err != nil {
		return err
	}
	recorded, err := openRecordings(o.recorded)
	if err != nil {
		return err
	}
	if err := probeTrace(o.trace); err != nil {
		return err
	}
	if err := o.open(ctx, &cfg, set, p, stderr); err != nil {
		return err
	}
	cfg.Progress = func(e runner.Progress) {
		p.at(fmt.Sprintf("point %d of %d, %s", e.Point, e.Points, e.Stage), e.Done, e.Total)
	}
	trace, err := openTrace(o.trace)
	if err != nil {
		return err
	}
	if trace != nil {
		cfg.Trace = trace.write
	}
	cfg.Recorded = recorded.take
	began := time.Now()
	doc, runErr := o.measure(ctx, cfg, stderr)
	p.end()
	if doc != nil && cfg.Virtual {
		// Whoever reads the result wants to know when it was made, not what the
		// virtual clock showed.
		doc.Started, doc.Ended = began.UTC(), time.Now().UTC()
	}
	if err := trace.close(); err != nil && runErr == nil {
		runErr = err
	}
	if doc == nil || len(doc.Series) == 0 && ctx.Err() != nil {
		return runErr
	}
	return errors.Join(o.output(ctx, to, doc, recorded, stdout, stderr), runErr)
}

func (o *runOptions) measure(ctx context.Context, cfg runner.Config, stderr io.Writer) (*results.Document, error) {
	if o.backend.kind == backend.Embedded.String() || o.backend.existing { // its cost was agreed to when the table was opened
		return runner.Run(ctx, cfg)
	}
	return runner.OnEndpoint(ctx, cfg, o.backend.consent(stderr))
}

// config resolves what can be refused before anything is opened. set are the
// parameters as they were given.
func (o *runOptions) config() (cfg runner.Config, set map[string]string, err error) {
	w, err := workloads.Find(o.workload)
	if err != nil {
		return cfg, nil, err
	}
	if !w.Imports && (o.history != "" || o.backend.existing) {
		return cfg, nil, usagef("workload %s measures generated data only: it cannot be used with --history or --use-existing-table", w.Name)
	}
	if err := o.backend.use(w); err != nil {
		return cfg, nil, err
	}
	cfg = runner.Config{Workload: w, Seed: o.seed, Repeats: o.repeats, Virtual: o.backend.virtual(), Tokens: tokens{}}
	o.backend.seed = o.seed
	if cfg.Variants, err = w.PickVariants(o.variants); err != nil {
		return cfg, nil, err
	}
	if set, err = o.settings(); err != nil {
		return cfg, nil, err
	}
	if cfg.Params, err = w.Resolve(set); err != nil {
		return cfg, nil, err
	}
	if cfg.Prices, err = loadPrices(o.prices); err != nil {
		return cfg, nil, err
	}
	if cfg.Faults, err = loadFaults(o.faults); err != nil {
		return cfg, nil, err
	}
	if cfg.Worker, err = o.part(); err != nil {
		return cfg, nil, err
	}
	cfg.RunID = runID(time.Now(), o.backend.start, cfg)
	o.backend.runID = cfg.RunID
	cfg.Lakebench.Version, cfg.Lakebench.Commit = buildVersion()
	return cfg, set, nil
}

// open opens what is measured.
func (o *runOptions) open(ctx context.Context, cfg *runner.Config, set map[string]string, p *progress, stderr io.Writer) (err error) {
	if err := o.openers(ctx, cfg); err != nil {
		return err
	}
	if cfg.Source, err = o.source(ctx, *cfg, p, stderr); err != nil {
		return err
	}
	if cfg.Params, err = cfg.Workload.ResolveFor(ctx, set, cfg.Params, cfg.Source); err != nil || o.backend.existing {
		return err // the records of an existing table stay where they are
	}
	return cfg.FitsMemory(memory())
}

// stamp is a time as names of runs begin with it.
func stamp(now time.Time) string { return now.UTC().Format("20060102T150405.000") }

// runID names a run: by its workload and when it began, or after its start where
// the workers of a run have one, so that each worker's result has one name.
func runID(now time.Time, start string, cfg runner.Config) string {
	id := cmp.Or(start, stamp(now)) + "-" + cfg.Workload.Name
	if w := cfg.Worker; w.Of > 0 {
		id += fmt.Sprintf("-worker-%d-of-%d", w.Index, w.Of)
	}
	return id
}

// openers opens the services that are measured, and those on which workers meet:
// the same where they share what one of them has set up.
func (o *runOptions) openers(ctx context.Context, cfg *runner.Config) (err error) {
	name := o.backend.runID
	if cfg.Worker.Meet {
		if cfg.Meet, err = o.backend.open(ctx, o.backend.start); err != nil {
			return err
		}
		if cfg.Workload.Division() == runner.ByOperation {
			name = o.backend.start
		}
	}
	cfg.Open, err = o.backend.open(ctx, name)
	return err
}

// part reads which part of the run is to be measured. On an endpoint the workers
// start together, so they have to meet.
func (o *runOptions) part() (runner.Worker, error) {
	meets := o.backend.kind == backend.Endpoint.String() && !o.backend.existing
	switch {
	case o.backend.start != "" && (o.worker == "" || !meets):
		return runner.Worker{}, usagef("--start requires --worker and --backend endpoint")
	case o.backend.start != "" && !startName.MatchString(o.backend.start):
		return runner.Worker{}, usagef("--start %q: expected at most 40 letters, digits and hyphens, because tables, buckets and folders are named after it", o.backend.start)
	case o.worker == "":
		return runner.Worker{}, nil
	case meets && o.backend.start == "":
		return runner.Worker{}, usagef("--worker on an endpoint requires --start NAME, the same for all workers of this run and new for each run")
	}
	text, err := jobWorker(o.worker)
	if err != nil {
		return runner.Worker{}, err
	}
	w, err := runner.ParseWorker(text)
	if err != nil {
		return w, usagef("--worker: %w", err)
	}
	w.Meet = meets
	return w, nil
}

// indexVariable is the number, from 0, that Kubernetes gives a pod of an Indexed Job.
const indexVariable = "JOB_COMPLETION_INDEX"

// jobWorker turns job/n into i/n, so that a container needs no shell for it. Any
// other text it returns as it is.
func jobWorker(text string) (string, error) {
	of, ok := strings.CutPrefix(text, "job/")
	if !ok {
		return text, nil
	}
	index, err := strconv.Atoi(os.Getenv(indexVariable))
	if err != nil {
		return "", usagef("--worker %s: expected a number in $%s, which Kubernetes sets in an Indexed Job; found %q", text, indexVariable, os.Getenv(indexVariable))
	}
	return fmt.Sprintf("%d/%s", index+1, of), nil
}

// startName is what a table, a bucket and a folder can all be named after.
var startName = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9-]{0,39}$`)

// source opens what is measured where it is not generated.
func (o *runOptions) source(ctx context.Context, cfg runner.Config, p *progress, stderr io.Writer) (runner.Source, error) {
	switch {
	case o.history != "":
		fsys, name, err := place(o.history)
		if err != nil {
			return runner.Source{}, err
		}
		return runner.OpenHistory(ctx, fsys, name, func(done, total int64) { p.at("reading the history", done, total) })
	case o.backend.existing:
		b, err := cfg.Open(ctx)
		if err != nil {
			return runner.Source{}, err
		}
		return workloads.OpenTable(ctx, b, o.backend.table, cfg, o.backend.consent(stderr))
	default:
		return runner.Source{}, nil
	}
}

// settings merges --params and --set.
func (o *runOptions) settings() (map[string]string, error) {
	set := map[string]string{}
	if o.params != "" {
		f, err := os.Open(o.params)
		if err != nil {
			return nil, usagef("--params: %w", err)
		}
		defer func() { _ = f.Close() }() // it was only read
		if set, err = runner.ReadParams(f, o.params); err != nil {
			return nil, err
		}
	}
	err := assignments(o.set, "parameter", func(name, value string) error {
		set[name] = value
		return nil
	})
	return set, err
}

// assignments hands the name and the value of each --set to assign, in order. noun
// is what a name is the name of.
func assignments(list []string, noun string, assign func(name, value string) error) error {
	given := map[string]bool{}
	for _, s := range list {
		name, value, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return usagef("--set %q: expected name=value", s)
		}
		if given[name] {
			return usagef("--set %s: %s given twice", name, noun)
		}
		given[name] = true
		if err := assign(name, value); err != nil {
			return usagef("--set: %w", err)
		}
	}
	return nil
}

// tokens is a source of unique request tokens. It may be used by
// several tasks at once.
type tokens struct{}

func (tokens) Uint64() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails (crypto/rand)
	return binary.LittleEndian.Uint64(b[:])
}

func loadPrices(file string) (price.Table, error) {
	if file == "" {
		return price.Default(), nil
	}
	f, err := os.Open(file)
	if err != nil {
		return price.Table{}, usagef("--prices: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	t, err := price.Load(f, file)
	if err != nil {
		return price.Table{}, usagef("%w", err)
	}
	return t, nil
}

// loadFaults parses rules from the command line, with semicolons between, or from
// a file named after @.
func loadFaults(text string) (fault.Rules, error) {
	file, isFile := strings.CutPrefix(text, "@")
	if !isFile {
		return fault.ParseInline("--faults", text)
	}
	rules, err := os.ReadFile(file)
	if err != nil {
		return nil, usagef("--faults: %w", err)
	}
	return fault.Parse(file, string(rules))
}

// output writes the result's files and prints it, even if a file cannot be written:
// what was measured must not be lost. An invalid or partial result
// is written too, and marked as such, so that it can be examined.
func (o *runOptions) output(ctx context.Context, to *destination, doc *results.Document, recorded *recordings, stdout, stderr io.Writer) error {
	files, written := to.write(ctx, *doc, recorded)
	if o.json {
		text, err := results.Encode(*doc)
		if err == nil {
			_, err = stdout.Write(text)
		}
		return errors.Join(written, err)
	}
	if err := errors.Join(render.Text(stdout, report.Result(*doc), terminalOf(stdout)), written); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "\nresult  %s\nreport  %s\nplots   %s (%d files)\n", files.result, files.report, files.plots, files.pictures)
	for _, file := range files.failing {
		fmt.Fprintf(stderr, "failing %s\n", file)
	}
	return nil
}
