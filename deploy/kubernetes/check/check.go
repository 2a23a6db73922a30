// Package check holds the manifests of deploy/kubernetes to what Kubernetes takes
// and to what they need of each other, without a cluster and without the network.
//
// A manifest that is merely well-formed YAML proves nothing. So
// kustomize builds it as it would be applied, and it is decoded strictly into the
// types of the Kubernetes API: an unknown field, a duplicate one and a value of
// another type are errors. What types cannot say is checked here by itself.
package check

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// manifests are what a kustomization builds.
type manifests struct {
	jobs     []*batchv1.Job
	settings map[string]*corev1.ConfigMap
	accounts map[string]bool
}

// Kustomization builds the kustomization in a folder and returns everything that is
// wrong with it.
func Kustomization(fsys filesys.FileSystem, dir string) error {
	m, err := build(fsys, dir)
	if err != nil {
		return err
	}
	var problems []error
	if len(m.jobs) != 2 {
		problems = append(problems, fmt.Errorf("%d Jobs, expected the workers' and the one that merges", len(m.jobs)))
	}
	for _, j := range m.jobs {
		for _, err := range append(m.job(j), m.pod(&j.Spec.Template.Spec)...) {
			problems = append(problems, fmt.Errorf("Job %s: %w", j.Name, err))
		}
	}
	return errors.Join(problems...)
}

func build(fsys filesys.FileSystem, dir string) (*manifests, error) {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(fsys, dir)
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(batchv1.AddToScheme(scheme), corev1.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	m := &manifests{settings: map[string]*corev1.ConfigMap{}, accounts: map[string]bool{}}
	for _, r := range built.Resources() {
		text, err := r.AsYAML()
		if err != nil {
			return nil, err
		}
		object, _, err := strict.Decode(text, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", r.GetKind(), r.GetName(), err)
		}
		switch o := object.(type) {
		case *batchv1.Job:
			m.jobs = append(m.jobs, o)
		case *corev1.ConfigMap:
			m.settings[o.Name] = o
		case *corev1.ServiceAccount:
			m.accounts[o.Name] = true
		default:
			return nil, fmt.Errorf("%s %s: no check knows this kind", r.GetKind(), r.GetName())
		}
	}
	return m, nil
}

// job says what is wrong with how a Job runs its pods.
func (m *manifests) job(j *batchv1.Job) (problems []error) {
	expect := func(holds bool, format string, args ...any) {
		if !holds {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	s := j.Spec
	expect(s.BackoffLimit != nil && *s.BackoffLimit == 0, "backoffLimit is not 0: a worker that is run again measures nothing")
	expect(s.ActiveDeadlineSeconds != nil, "there is no activeDeadlineSeconds")
	expect(s.Template.Spec.RestartPolicy == corev1.RestartPolicyNever, "restartPolicy is %q, expected Never", s.Template.Spec.RestartPolicy)
	expect(m.accounts[s.Template.Spec.ServiceAccountName], "there is no service account %q", s.Template.Spec.ServiceAccountName)
	if s.Completions == nil {
		return problems
	}
	expect(s.CompletionMode != nil && *s.CompletionMode == batchv1.IndexedCompletion, "completionMode is not Indexed: no pod knows which worker it is")
	expect(s.Parallelism != nil && *s.Parallelism == *s.Completions, "parallelism is not %d: workers wait for all others to start", *s.Completions)
	for _, c := range s.Template.Spec.Containers {
		workers := m.environment(&c)["WORKERS"]
		expect(workers == strconv.Itoa(int(*s.Completions)), "completions is %d, and WORKERS is %q", *s.Completions, workers)
	}
	return problems
}

// pod says what is wrong with a pod and its containers.
func (m *manifests) pod(p *corev1.PodSpec) (problems []error) {
	if c := p.SecurityContext; c == nil || c.RunAsNonRoot == nil || !*c.RunAsNonRoot || c.SeccompProfile == nil {
		problems = append(problems, errors.New("the pod may run as root, or without a seccomp profile"))
	}
	volumes := map[string]bool{}
	for _, v := range p.Volumes {
		volumes[v.Name] = true
		if v.ConfigMap != nil && m.settings[v.ConfigMap.Name] == nil {
			problems = append(problems, fmt.Errorf("volume %s: there is no ConfigMap %s", v.Name, v.ConfigMap.Name))
		}
	}
	for _, c := range append(p.InitContainers, p.Containers...) {
		for _, err := range m.container(&c, volumes) {
			problems = append(problems, fmt.Errorf("container %s: %w", c.Name, err))
		}
	}
	return problems
}

// variable is what Kubernetes replaces in an argument.
var variable = regexp.MustCompile(`\$\(([A-Za-z_][A-Za-z0-9_]*)\)`)

func (m *manifests) container(c *corev1.Container, volumes map[string]bool) (problems []error) {
	s := c.SecurityContext
	if s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation ||
		s.Capabilities == nil || len(s.Capabilities.Drop) != 1 || s.Capabilities.Drop[0] != "ALL" {
		problems = append(problems, errors.New("it may write to its file system, or gain rights"))
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		request, limit := c.Resources.Requests[name], c.Resources.Limits[name]
		if request.Cmp(resource.Quantity{}) <= 0 || limit.Cmp(request) < 0 {
			problems = append(problems, fmt.Errorf("%s: request %v and limit %v, expected both, and no less of the latter", name, &request, &limit))
		}
	}
	for _, from := range c.EnvFrom {
		if from.ConfigMapRef != nil && m.settings[from.ConfigMapRef.Name] == nil {
			problems = append(problems, fmt.Errorf("there is no ConfigMap %s", from.ConfigMapRef.Name))
		}
	}
	for _, mount := range c.VolumeMounts {
		if !volumes[mount.Name] {
			problems = append(problems, fmt.Errorf("there is no volume %s", mount.Name))
		}
	}
	environment := m.environment(c)
	for _, arg := range c.Args {
		for _, used := range variable.FindAllStringSubmatch(arg, -1) {
			if environment[used[1]] == "" {
				problems = append(problems, fmt.Errorf("argument %s: nothing sets %s", arg, used[1]))
			}
		}
	}
	return problems
}

// environment is what a container gets from the ConfigMaps that are built.
func (m *manifests) environment(c *corev1.Container) map[string]string {
	all := map[string]string{}
	for _, from := range c.EnvFrom {
		if from.ConfigMapRef == nil || m.settings[from.ConfigMapRef.Name] == nil {
			continue
		}
		for name, value := range m.settings[from.ConfigMapRef.Name].Data {
			all[name] = value
		}
	}
	return all
}
