package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/lakebench/lakebench/internal/atomicfile"
	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/report"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/compare"
)

// reportOptions are the flags of report.
type reportOptions struct {
	format, out, serve string
	by                 []string
	open               bool
}

func newReport() *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report RESULT…",
		Short: "Write a report of results to hand on",
		Long: `Report writes one or more results as a single HTML file that needs no network,
or as Markdown: what was run, tables and charts, growth and crossover, checks,
ledgers, cost, assumptions, environment, and the command that repeats the run.
With --by page_limit, results that differ in that parameter are one page: what
changes, charts with all of them, and a table for each point.

RESULT is a result file, a folder of results, or s3://BUCKET/PREFIX.`,
		Example: `  lakebench report lakebench-results/RUN --out report.html --open
  lakebench report before.json after.json --format markdown
  lakebench report pages-of-1000 pages-of-250 --by page_limit --out report.html
  lakebench report lakebench-results/RUN --serve 127.0.0.1:8080`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("%s: expected one result or more; found none", cmd.CommandPath())
			}
			return nil
		},
		RunE: o.run,
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "html", "output format: html or markdown")
	f.StringSliceVar(&o.by, "by", nil, "put results that differ in these `parameters` side by side")
	f.StringVar(&o.out, "out", "", "write to this `file` instead of standard output")
	f.StringVar(&o.serve, "serve", "", "serve the HTML on this loopback `address` until interrupted; port 0 picks one")
	f.BoolVar(&o.open, "open", false, "open the report in a browser (with --out or --serve)")
	return cmd
}

func (o *reportOptions) run(cmd *cobra.Command, args []string) error {
	if o.open && o.out == "" && o.serve == "" {
		return usagef("--open requires --out or --serve")
	}
	if o.serve != "" && (o.out != "" || o.format != "html") {
		return usagef("--serve cannot be combined with --out or --format")
	}
	if o.format != "html" && o.format != "markdown" {
		return usagef("--format %q: expected html or markdown", o.format)
	}
	var all []results.Named
	for _, path := range args {
		found, err := loadResults(cmd.Context(), path)
		if err != nil {
			return err
		}
		all = append(all, found...)
	}
	content, err := o.content(all)
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if o.format == "html" {
		err = render.HTML(&page, content)
	} else {
		err = render.Markdown(&page, content)
	}
	if err != nil {
		return err
	}
	switch {
	case o.serve != "":
		return o.servePage(cmd.Context(), page.Bytes(), cmd.OutOrStdout())
	case o.out != "":
		if err := atomicfile.Write(o.out, page.Bytes()); err != nil {
			return err
		}
		fmt.Fprintln(cmd.ErrOrStderr(), o.out)
		return o.openPage(cmd.Context(), o.out)
	}
	_, err = cmd.OutOrStdout().Write(page.Bytes())
	return err
}

// pictures is where the pictures of a result file are, seen from the report; "" if
// there are none.
func (o *reportOptions) pictures(result string) string {
	folder, err1 := filepath.Abs(filepath.Join(filepath.Dir(result), "plots"))
	page, err2 := filepath.Abs(filepath.Dir(o.out))
	if _, err := os.Stat(folder); err != nil || err1 != nil || err2 != nil {
		return ""
	}
	seen, err := filepath.Rel(page, folder)
	if err != nil {
		return "" // on another volume
	}
	return filepath.ToSlash(seen)
}

// content is the page about all results.
func (o *reportOptions) content(all []results.Named) (render.Page, error) {
	if len(o.by) > 0 {
		return report.Across(o.by, all...)
	}
	if err := compare.Unaligned(all); err != nil {
		return render.Page{}, err
	}
	var drawn []report.Drawn
	for _, named := range all {
		d := report.Draw(named.Document)
		d.Folder = o.pictures(named.Name)
		drawn = append(drawn, d)
	}
	return report.Results(drawn...)
}

// servePage serves one page until ctx ends.
func (o reportOptions) servePage(ctx context.Context, page []byte, out io.Writer) error {
	if !isLoopback("http://" + o.serve) {
		return usagef("--serve %q: expected a loopback address with a port, such as 127.0.0.1:8080", o.serve)
	}
	l, err := listen(ctx, out, "Report", "--serve", o.serve)
	if err != nil {
		return err
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(page))
	})
	return serveAll(ctx,
		func(ctx context.Context) error { return defaultServeLimits().serve(ctx, l, handler) },
		func(ctx context.Context) error { return o.openPage(ctx, "http://"+l.Addr().String()) })
}

// openPage asks the system to show a file or an address, if that was asked for.
func (o reportOptions) openPage(ctx context.Context, what string) error {
	if !o.open {
		return nil
	}
	opener := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if opener == nil {
		opener = []string{"xdg-open"}
	}
	if o.serve == "" {
		absolute, err := filepath.Abs(what)
		if err != nil {
			return err
		}
		what = absolute
	}
	if err := exec.CommandContext(ctx, opener[0], append(opener[1:], what)...).Run(); err != nil { //nolint:gosec // the user's own file
		return usagef("--open: %s: %w; open %s yourself", opener[0], err, what)
	}
	return nil
}

// writeReports writes both reports of a run into its folder, in which the pictures
// are already.
func writeReports(folder string, doc report.Drawn) error {
	if len(doc.Pictures) > 0 {
		doc.Folder = "plots"
	}
	page, err := report.Results(doc)
	if err != nil {
		return err
	}
	for name, write := range map[string]func(io.Writer, render.Page) error{"report.html": render.HTML, "report.md": render.Markdown} {
		var b bytes.Buffer
		if err := write(&b, page); err != nil {
			return err
		}
		if err := atomicfile.Write(filepath.Join(folder, name), b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
