package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/wal/inspect"
)

// inspectOptions are the flags of the verb.
type inspectOptions struct {
	endpoint string
	region   string
	versions int
	asJSON   bool
}

func newInspect() *cobra.Command {
	o := &inspectOptions{versions: inspect.DefaultConfig().Versions}
	cmd := &cobra.Command{
		Use:   "inspect s3://BUCKET/TABLE | DIRECTORY",
		Short: "Report the state and the opening cost of a table's WAL shards",
		Long: `Inspect reads the WAL shards of a table on S3, on an S3-compatible server, or
in a directory. For each shard it reports the latest manifest version, the
epoch, the generations, the unflushed WAL entries, the version hint, and
directories that no manifest lists. It also counts the requests to open the
shard and to read its generations under each policy; it does so on a copy in
memory and writes nothing.

Each problem is listed with its path; if there is one, the exit code is 1.`,
		Example: `  lakebench inspect s3://lake/orders
  lakebench inspect s3://lake/orders --s3-endpoint http://127.0.0.1:7070 --json
  lakebench inspect ./orders`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("expected one table, s3://BUCKET/TABLE or a directory; found %d arguments (see %s --help)", len(args), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			report, err := o.inspect(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if o.asJSON {
				err = printJSON(cmd.OutOrStdout(), report)
			} else {
				err = render.Text(cmd.OutOrStdout(), report.Page(), terminalOf(cmd.OutOrStdout()))
			}
			if n := report.Problems(); err == nil && n > 0 {
				err = &inspect.ProblemsError{Location: report.Location, Count: n}
			}
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.endpoint, "s3-endpoint", "", "S3 endpoint `address`, such as http://127.0.0.1:7070 (default AWS)")
	f.StringVar(&o.region, "region", "", "AWS region (default from the AWS configuration)")
	f.IntVar(&o.versions, "versions", o.versions, "read this many of the newest versions of each manifest; all are listed")
	f.BoolVar(&o.asJSON, "json", false, "print the report as JSON")
	return cmd
}

// inspect looks at the table that the argument names.
func (o *inspectOptions) inspect(ctx context.Context, table string) (inspect.Report, error) {
	cfg := inspect.DefaultConfig()
	cfg.Versions = o.versions
	address, remote := strings.CutPrefix(table, "s3://")
	if !remote {
		return o.inspectDirectory(ctx, cfg, table)
	}
	cfg.Bucket, cfg.Table, _ = strings.Cut(strings.TrimSuffix(address, "/"), "/")
	b, err := o.open(ctx, cfg.Bucket)
	if err != nil {
		return inspect.Report{}, err
	}
	defer func() { _ = b.Close(ctx) }() // nothing was made that would have to be removed
	m, err := b.NewMeter(nil)
	if err != nil {
		return inspect.Report{}, err
	}
	cfg.Client = b.S3(m)
	report, err := inspect.Table(ctx, cfg)
	return report, b.Classify(err)
}

// open opens the S3 endpoint of the flags.
func (o *inspectOptions) open(ctx context.Context, bucket string) (*backend.Backend, error) {
	if bucket == "" {
		return nil, usagef("expected s3://BUCKET/TABLE, with a bucket")
	}
	if o.endpoint != "" {
		if err := checkEndpoint("--s3-endpoint", o.endpoint); err != nil {
			return nil, err
		}
	}
	aws, err := awsConfig(ctx, o.endpoint, o.region)
	if err != nil {
		return nil, err
	}
	cfg := backend.DefaultConfig()
	cfg.Kind, cfg.Uses = backend.Endpoint, backend.Uses{S3: true}
	cfg.AWS, cfg.S3Endpoint, cfg.S3Bucket = aws, o.endpoint, bucket
	cfg.Proxy = http.ProxyFromEnvironment
	return backend.Open(ctx, cfg)
}

func (o *inspectOptions) inspectDirectory(ctx context.Context, cfg inspect.Config, dir string) (inspect.Report, error) {
	if o.endpoint != "" || o.region != "" {
		return inspect.Report{}, usagef("--s3-endpoint and --region require s3://BUCKET/TABLE; %s is a directory", dir)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return inspect.Report{}, usagef("%w", err)
	}
	if !info.IsDir() {
		return inspect.Report{}, usagef("%s: expected s3://BUCKET/TABLE, or the directory of a table", dir)
	}
	cfg.Client, cfg.Bucket = inspect.Folder{FS: os.DirFS(dir)}, "directory"
	cfg.Name = func(key string) string { return filepath.Join(dir, filepath.FromSlash(key)) }
	report, err := inspect.Table(ctx, cfg)
	if err != nil {
		return inspect.Report{}, fmt.Errorf("%s: %w", dir, err)
	}
	return report, nil
}
