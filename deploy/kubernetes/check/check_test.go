package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// kustomizations are all that a user may apply.
var kustomizations = []string{"base", "overlays/aws", "overlays/local-endpoint"}

// tree is deploy/kubernetes in memory, where a test may change it.
func tree(t *testing.T) filesys.FileSystem {
	t.Helper()
	fsys := filesys.MakeFsInMemory()
	for _, dir := range kustomizations {
		entries, err := os.ReadDir(filepath.Join("..", dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			text, err := os.ReadFile(filepath.Join("..", dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			if err := fsys.WriteFile(filepath.Join("/", dir, e.Name()), text); err != nil {
				t.Fatal(err)
			}
		}
	}
	return fsys
}

func TestManifests(t *testing.T) {
	all, err := filepath.Glob("../overlays/*")
	if err != nil || len(all)+1 != len(kustomizations) {
		t.Errorf("overlays %v, %v: not all of them are checked", all, err)
	}
	for _, dir := range kustomizations {
		if err := Kustomization(tree(t), "/"+dir); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// Each of these mistakes would be found by a cluster, or by nobody, and is found
// here.
func TestPlantedMistakes(t *testing.T) {
	const workers, merge, env, local = "base/workers.yaml", "base/merge.yaml", "base/lakebench.env", "overlays/local-endpoint/kustomization.yaml"
	for _, m := range []struct{ file, old, new, want string }{
		{workers, "completionMode:", "completionMod:", `unknown field "spec.completionMod"`},
		{workers, "          volumeMounts:", "          volumeMount:", `unknown field "spec.template.spec.containers[0].volumeMount"`},
		{workers, "completions: 4", "completions: four", "cannot unmarshal"},
		{workers, "runAsUser: 65532", `runAsUser: "65532"`, "cannot unmarshal"},
		{workers, "memory: 1Gi", "memory: 1Gib", "quantities must match"},
		{merge, "kind: Job", "kind: Jobb", "no kind \"Jobb\" is registered"},
		{workers, "completionMode: Indexed", "completionMode: Index", "completionMode is not Indexed"},
		{workers, "completions: 4", "completions: 5", "parallelism is not 5"},
		{env, "WORKERS=4", "WORKERS=5", `completions is 4, and WORKERS is "5"`},
		{workers, "backoffLimit: 0", "backoffLimit: 3", "backoffLimit is not 0"},
		{merge, "restartPolicy: Never", "restartPolicy: Always", "expected Never"},
		{merge, "serviceAccountName: lakebench", "serviceAccountName: default", `no service account "default"`},
		{workers, "runAsNonRoot: true", "runAsNonRoot: false", "may run as root"},
		{merge, "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "may write to its file system"},
		{workers, "memory: 512Mi", "memory: 512Gi", "and no less of the latter"},
		{workers, "name: lakebench-params-run-name", "name: params", "there is no ConfigMap params"},
		{workers, "name: lakebench-run-name", "name: settings", "there is no ConfigMap settings"},
		{workers, "- name: tmp\n              mountPath", "- name: scratch\n              mountPath", "there is no volume scratch"},
		{merge, "$(BASELINE)", "$(BASE)", "nothing sets BASE"},
		{local, "DYNAMODB_ENDPOINT=", "DYNAMO=", "nothing sets DYNAMODB_ENDPOINT"},
		{local, "containers/0/args/-", "containers/1/args/-", "doc is missing path"},
	} {
		fsys := tree(t)
		text, err := fsys.ReadFile("/" + m.file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), m.old) {
			t.Errorf("%s has no %q to change", m.file, m.old)
			continue
		}
		if err := fsys.WriteFile("/"+m.file, []byte(strings.Replace(string(text), m.old, m.new, 1))); err != nil {
			t.Fatal(err)
		}
		if err := Kustomization(fsys, "/overlays/local-endpoint"); err == nil || !strings.Contains(err.Error(), m.want) {
			t.Errorf("%s with %q: %v\nwant %q in it", m.file, m.new, err, m.want)
		}
	}
}
