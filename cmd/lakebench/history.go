package main

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/history/archive"
	"github.com/lakebench/lakebench/history/export"
	"github.com/lakebench/lakebench/history/stats"
	"github.com/lakebench/lakebench/internal/render"
)

func newHistory() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Generate, import and summarize a lake's keys and item sizes",
		Long: `A history file holds the keys and item sizes of a lake's metadata, without
values. It is generated, or imported from an export of a DynamoDB table.
"lakebench run --history FILE" measures it.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newHistoryGenerate(), newHistoryImport(), newHistoryStats())
	return cmd
}

func newHistoryGenerate() *cobra.Command {
	cfg := archive.GenerateConfig{Lake: history.DefaultConfig()}
	var at time.Duration
	cmd := &cobra.Command{
		Use:   "generate --out FILE",
		Short: "Generate the live records of a lake",
		Long: `Generate writes the records that a lake holds at one moment: either as soon as
it holds --history-records records in addition to its tables, or --at a given
time after its start.`,
		Example: `  lakebench history generate --history-records 100_000 --out lake.jsonl.gz
  lakebench history generate --commits-per-second 10 --at 7d --out week.jsonl`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cfg.Path == "" {
				return usagef("--out is required")
			}
			if cmd.Flags().Changed("at") {
				if cmd.Flags().Changed("history-records") {
					return usagef("--history-records and --at exclude each other: both choose the moment")
				}
				cfg.Records, cfg.At = -1, at
			} else if !cmd.Flags().Changed("commits-per-second") {
				cfg.Lake = cfg.Lake.ForRecords(cfg.Records)
			}
			p := newProgress(cmd.ErrOrStderr())
			defer p.end()
			cfg.Progress = func(done, total int64) { p.at("generating records", done, total) }
			header, err := archive.Generate(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d records, %d item bytes\n", cfg.Path, header.Records, header.ItemBytes)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&cfg.Path, "out", "", "write this history `file`, gzip if it ends in .gz (required)")
	f.Uint64Var(&cfg.Seed, "seed", 1, "seed of the generated lake")
	f.Int64Var(&cfg.Records, "history-records", 10_000, "records in addition to the tables")
	f.DurationVar(&at, "at", 0, "take the records at this time after the start")
	f.IntVar(&cfg.Lake.Tables, "tables", cfg.Lake.Tables, "number of tables")
	f.Float64Var(&cfg.Lake.CommitsPerSecond, "commits-per-second", cfg.Lake.CommitsPerSecond, "commits per second over all tables (default enough to reach --history-records, 1 with --at)")
	f.Lookup("commits-per-second").DefValue = "" // the text above says it
	f.DurationVar(&cfg.Lake.Retention, "retention", cfg.Lake.Retention, "lifetime of the records of appends, manifests and tombstones")
	f.Float64Var(&cfg.Lake.ZipfExponent, "zipf", cfg.Lake.ZipfExponent, "Zipf exponent of the load over tables; 0 is uniform")
	f.IntVar(&cfg.Lake.ItemBytes, "item-bytes", cfg.Lake.ItemBytes, "size of a v1 item in bytes, including attribute names")
	return cmd
}

func newHistoryImport() *cobra.Command {
	cfg := export.DefaultConfig()
	var (
		anonymize bool
		keyHex    string
		asJSON    bool
	)
	cmd := &cobra.Command{
		Use:   "import EXPORT --out FILE",
		Short: "Import an export of a DynamoDB table",
		Long: `Import reads DynamoDB's export to S3 (DynamoDB JSON): the folder with its
manifest and data files, or one data file, plain or gzip. It keeps keys and
item sizes, and drops all values.

--anonymize replaces every path segment of a key except the first with a keyed
hash of the same length. Lengths, families, and which keys share segments stay
visible. The hash key is random unless --anonymize-key is given; imports with
the same key are comparable.`,
		Example: `  lakebench history import ./AWSDynamoDB/01700000000000-abcdef01 --out lake.jsonl.gz
  lakebench history import data.json.gz --key-attribute id --anonymize --out lake.jsonl.gz`,
		Args: oneArgument("export, a folder or a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cfg.Output == "" {
				return usagef("--out is required")
			}
			var err error
			if cfg.FS, cfg.Path, err = place(args[0]); err != nil {
				return err
			}
			if cfg.Anonymize, err = anonymizer(anonymize, keyHex); err != nil {
				return err
			}
			p := newProgress(cmd.ErrOrStderr())
			defer p.end()
			cfg.Progress = func(done, total int64) { p.at("importing (bytes)", done, total) }
			report, err := export.Import(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			p.end()
			return printImport(cmd.OutOrStdout(), cfg.Output, report, asJSON)
		},
	}
	f := cmd.Flags()
	f.StringVar(&cfg.Output, "out", "", "write this history `file`, gzip if it ends in .gz (required)")
	f.StringVar(&cfg.KeyAttribute, "key-attribute", cfg.KeyAttribute, "the `attribute` that holds the logical key")
	f.BoolVar(&cfg.SkipBadLines, "skip-bad-lines", false, "skip and count unreadable lines instead of stopping at the first one")
	f.BoolVar(&anonymize, "anonymize", false, "replace path segments of keys with a keyed hash")
	f.StringVar(&keyHex, "anonymize-key", "", "the hash's key, as at least 32 `hex` digits (default random)")
	f.BoolVar(&asJSON, "json", false, "print the report as JSON")
	return cmd
}

// oneArgument refuses anything but one positional argument.
func oneArgument(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("%s takes one %s; found %d arguments", cmd.CommandPath(), what, len(args))
		}
		return nil
	}
}

// place splits a path into the file system of its folder and its name there. A
// folder is its own root.
func place(path string) (fs.FS, string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", usagef("%w", err)
	}
	if info.IsDir() {
		return os.DirFS(path), ".", nil
	}
	return os.DirFS(filepath.Dir(path)), filepath.Base(path), nil
}

func anonymizer(on bool, keyHex string) (*export.Anonymizer, error) {
	if !on {
		if keyHex != "" {
			return nil, usagef("--anonymize-key requires --anonymize")
		}
		return nil, nil
	}
	key := make([]byte, 32)
	if keyHex == "" {
		_, _ = rand.Read(key) // never fails, by its documentation
		return export.NewAnonymizer(key)
	}
	key, err := hex.DecodeString(keyHex)
	if err != nil {
		return nil, usagef("--anonymize-key: expected hexadecimal digits: %w", err)
	}
	return export.NewAnonymizer(key)
}

func printImport(w io.Writer, path string, r export.Report, asJSON bool) error {
	if asJSON {
		return printJSON(w, r)
	}
	fmt.Fprintf(w, "%s: %d records, %d item bytes from %d lines in %d files\n", path, r.Header.Records, r.Header.ItemBytes, r.Lines, r.Files)
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "warning: %s\n", warning)
	}
	if r.Skipped > 0 {
		fmt.Fprintf(w, "warning: %d lines were skipped; the first:\n", r.Skipped)
		for _, line := range r.FirstSkipped {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	return nil
}

func newHistoryStats() *cobra.Command {
	var (
		asJSON bool
		limit  int
	)
	cmd := &cobra.Command{
		Use:   "stats FILE",
		Short: "Print the key families of a history and their share of a v1 scan",
		Args:  oneArgument("history file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			fsys, name, err := place(args[0])
			if err != nil {
				return err
			}
			p := newProgress(cmd.ErrOrStderr())
			defer p.end()
			s, err := stats.Read(cmd.Context(), stats.Config{
				FS: fsys, Name: name, PageLimit: limit,
				Progress: func(done, total int64) { p.at("reading the history", done, total) },
			})
			if err != nil {
				return err
			}
			p.end()
			if asJSON {
				return printJSON(cmd.OutOrStdout(), s)
			}
			return render.Text(cmd.OutOrStdout(), s.Page(), terminalOf(cmd.OutOrStdout()))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the statistics as JSON")
	cmd.Flags().IntVar(&limit, "page-limit", 1000, "Limit per scan request; 0 means the 1 MB page limit only")
	return cmd
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
