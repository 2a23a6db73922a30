package main

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	runner "github.com/lakebench/lakebench/run"
	"github.com/lakebench/lakebench/workloads"
)

const kubernetes = "../../deploy/kubernetes/base"

// What the pods of deploy/kubernetes are told is what the command understands, and
// their parameters are the workload's. That Kubernetes understands the manifests is
// for deploy/kubernetes/check.
func TestDeployedCommands(t *testing.T) {
	settings := deployedSettings(t)
	setting := regexp.MustCompile(`\$\((\w+)\)`)
	for file, want := range map[string][]string{"workers.yaml": {"run"}, "merge.yaml": {"merge", "gate"}} {
		var verbs []string
		for _, args := range deployedArgs(t, file) {
			for i := range args {
				args[i] = setting.ReplaceAllStringFunc(args[i], func(v string) string { return settings[v[2:len(v)-1]] })
			}
			cmd, rest, err := newRoot().Find(args)
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.ParseFlags(rest); err != nil {
				t.Errorf("%s: %v: %v", file, args, err)
			}
			if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
				t.Errorf("%s: %v: %v", file, args, err)
			}
			verbs = append(verbs, cmd.Name())
		}
		if strings.Join(verbs, " ") != strings.Join(want, " ") {
			t.Errorf("%s runs %v, want %v", file, verbs, want)
		}
	}
	w, err := workloads.Find(settings["WORKLOAD"])
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(kubernetes, "params.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	set, err := runner.ReadParams(bytes.NewReader(text), "params.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Resolve(set); err != nil {
		t.Error(err)
	}
	if !startName.MatchString(settings["RUN"]) {
		t.Errorf("RUN=%s is no name for --start", settings["RUN"])
	}
}

// deployedArgs are the arguments of all containers of a Job, in the order in which
// they run.
func deployedArgs(t *testing.T, file string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(kubernetes, file))
	if err != nil {
		t.Fatal(err)
	}
	type container struct {
		Args []string `yaml:"args"`
	}
	var job struct {
		Spec struct {
			Template struct {
				Spec struct {
					InitContainers []container `yaml:"initContainers"`
					Containers     []container `yaml:"containers"`
				} `yaml:"spec"`
			} `yaml:"template"`
		} `yaml:"spec"`
	}
	if err := yaml.Unmarshal(text, &job); err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for _, c := range append(job.Spec.Template.Spec.InitContainers, job.Spec.Template.Spec.Containers...) {
		all = append(all, c.Args)
	}
	return all
}

func deployedSettings(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(kubernetes, "lakebench.env"))
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), "="); ok {
			settings[name] = value
		}
	}
	return settings
}
