package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lakebench/lakebench/internal/sim/explore/metadata"
	"github.com/lakebench/lakebench/internal/sim/explore/migration"
	"github.com/lakebench/lakebench/plan"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/export"
	"github.com/lakebench/lakebench/results/location"
	runner "github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/workloads"
)

// addCompletions gives a shell the values of every argument and flag: those that can
// be listed, and files only where a file is meant.
func addCompletions(root *cobra.Command) {
	flags := map[string]cobra.CompletionFunc{
		"run --workload": oneOf(workloadNames()), "run --variant": ofWorkload(variants), "run --set": ofWorkload(settings),
		"run --backend": oneOf([]string{"embedded", "endpoint"}), "run --clock": oneOf([]string{"real", "virtual"}),
		"explore --scenario": orFile(metadata.Name, migration.Name), "explore --layout": oneOf([]string{"v1", "v2"}),
		"explore --transport": oneOf([]string{"direct", "sdk"}), "explore --policy": oneOf([]string{"fifo", "random", "pct", replayPolicy}),
		"gate --format": oneOf(gateFormats), "export --format": oneOf(exportFormats()),
		"plan --format": oneOf([]string{"text", "markdown", "html"}), "plan --set": oneOf(planNames()),
		"report --format": oneOf([]string{"html", "markdown"}),
		"plot --metric":   ofResults(metricNames), "plot --variant": ofResults((*results.Document).Variants),
	}
	arguments := map[string]cobra.CompletionFunc{"run": first(oneOf(workloadNames())), "list": first(oneOf(workloadNames())), "migrate peers remove": cobra.NoFileCompletions}
	visit(root, func(cmd *cobra.Command) {
		verb := strings.TrimPrefix(cmd.CommandPath(), root.Name()+" ")
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			complete := flags[verb+" --"+f.Name]
			if complete == nil && !takesFile(f) {
				complete = cobra.NoFileCompletions
			}
			if complete != nil {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // the flag exists: it was visited
			}
		})
		if complete := arguments[verb]; complete != nil {
			cmd.ValidArgsFunction = complete
		} else if cmd.Args != nil && cmd.Args(cmd, []string{""}) != nil && cmd.Args(cmd, []string{"", ""}) != nil {
			// It takes no arguments.
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
	})
}

// visit calls f for a command and all commands below it.
func visit(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, sub := range cmd.Commands() {
		visit(sub, f)
	}
}

// takesFile reports whether a flag's value is, or can be, the name of a file.
func takesFile(f *pflag.Flag) bool {
	name, _ := pflag.UnquoteUsage(f)
	return f.Name == "out" || slices.Contains([]string{"file", "dir", "directory", "PLACE", "rules"}, name)
}

// oneOf offers names. Of a list that is separated by commas it completes the last.
func oneOf(names []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		var all []string
		for _, name := range names {
			if name = before + name; strings.HasPrefix(name, typed) {
				all = append(all, name)
			}
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		if len(names) > 0 && strings.HasSuffix(names[0], "=") {
			directive |= cobra.ShellCompDirectiveNoSpace // the value is still to come
		}
		return all, directive
	}
}

// orFile offers names, and files where none of them begins with what is typed.
func orFile(names ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(names, cobra.ShellCompDirectiveDefault)
}

// first completes the first argument alone.
func first(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(cmd, args, typed)
	}
}

// ofWorkload offers names of the workload that the command line names.
func ofWorkload(names func(w *runner.Workload, typed string) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		name := cmd.Flag("workload").Value.String()
		if len(args) > 0 {
			name = args[0]
		}
		w, err := workloads.Find(name)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return oneOf(names(w, typed))(cmd, args, typed)
	}
}

// ofResults offers names of the results on this machine that the arguments name.
func ofResults(names func(*results.Document) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		var all []string
		for _, place := range args {
			if !location.IsLocal(place) {
				continue
			}
			found, _ := loadResults(cmd.Context(), place) // a shell shows no errors of completions
			for _, named := range found {
				all = append(all, names(&named.Document)...)
			}
		}
		slices.Sort(all)
		return oneOf(slices.Compact(all))(cmd, args, typed)
	}
}

func workloadNames() []string {
	var names []string
	for _, w := range workloads.All() {
		names = append(names, cobra.CompletionWithDesc(w.Name, w.Summary))
	}
	return names
}

func variants(w *runner.Workload, _ string) []string {
	var names []string
	for _, v := range w.Variants {
		names = append(names, cobra.CompletionWithDesc(v.Name, v.Doc))
	}
	return names
}

// settings are the parameters of a workload, or the values of the one that is typed.
func settings(w *runner.Workload, typed string) []string {
	name, _, valued := strings.Cut(typed, "=")
	var all []string
	for _, p := range w.Params {
		switch {
		case !valued:
			all = append(all, p.Written()+"=")
		case p.Name == name && strings.Contains(p.Allowed(), " | "):
			for _, value := range strings.Split(p.Allowed(), " | ") {
				all = append(all, name+"="+value)
			}
		}
	}
	return all
}

func exportFormats() []string {
	var names []string
	for _, f := range export.Formats() {
		names = append(names, cobra.CompletionWithDesc(f.Name, f.Doc))
	}
	return names
}

func planNames() []string {
	names := plan.Names()
	for i := range names {
		names[i] += "="
	}
	return names
}

func metricNames(doc *results.Document) []string {
	var names []string
	for _, m := range doc.Metrics {
		names = append(names, m.Name)
	}
	return names
}
