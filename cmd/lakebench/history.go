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
)

func newHistory() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Make, import and look at histories: what a lake's metadata holds",
		Long: `A history file holds the keys and the item sizes of a lake's metadata, never a
value. It is generated, or imported from an export of a real DynamoDB table, and
measured with lakebench run --history FILE.`,
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
		Long: `Generate the records of a lake at one instant: the first at which it holds exactly
--records records beside its tables, or --at a time since it began.`,
		Example: `  lakebench history generate --records 100000 --out lake.jsonl.gz
  lakebench history generate --commits-per-second 10 --at 168h --out week.jsonl`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cfg.Path == "" {
				return usagef("--out is required")
			}
			if cmd.Flags().Changed("at") {
				if cmd.Flags().Changed("records") {
					return usagef("--records and --at exclude each other: each says which instant is meant")
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
	f.Uint64Var(&cfg.Seed, "seed", 1, "make the lake from this seed")
	f.Int64Var(&cfg.Records, "records", 10_000, "records beside the tables")
	f.DurationVar(&at, "at", 0, "take the instant at this time since the lake began")
	f.IntVar(&cfg.Lake.Tables, "tables", cfg.Lake.Tables, "tables")
	f.Float64Var(&cfg.Lake.CommitsPerSecond, "commits-per-second", cfg.Lake.CommitsPerSecond, "commits a second over all tables (default: what reaches --records)")
	f.DurationVar(&cfg.Lake.Retention, "retention", cfg.Lake.Retention, "how long records of appends, manifests and tombstones live")
	f.Float64Var(&cfg.Lake.ZipfExponent, "zipf", cfg.Lake.ZipfExponent, "how much busier the busiest tables are; 0 is even")
	f.IntVar(&cfg.Lake.ItemBytes, "item-bytes", cfg.Lake.ItemBytes, "size of a v1 item, attribute names included")
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
		Long: `Import what DynamoDB's export to S3 wrote (DynamoDB JSON): the folder with its
manifest files and data, or one data file, plain or gzip. Keys and item sizes are
kept, values never.

--anonymize replaces every path segment of a key but the first by a keyed hash of
the same length. Lengths, the families and which keys share segments remain
visible. The key is random unless --anonymize-key gives one; with the same key
two imports stay comparable.`,
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
	f.BoolVar(&cfg.SkipBadLines, "skip-bad-lines", false, "count lines that cannot be read and leave them out, instead of stopping at the first")
	f.BoolVar(&anonymize, "anonymize", false, "replace path segments of keys by a keyed hash")
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
			return nil, usagef("--anonymize-key needs --anonymize")
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
		Short: "Print a history's families, their sizes and their share of a v1 scan",
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
			return s.WriteTable(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the statistics as JSON")
	cmd.Flags().IntVar(&limit, "page-limit", 1000, "most items that a request of the scan evaluates; 0: none but 1 MB")
	return cmd
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
