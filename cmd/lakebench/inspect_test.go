package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
)

const realShardID = "aa48498d-ac91-59e2-8452-69f46010ace2"

// realTable makes a copy of the table that the real system wrote.
func realTable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../wal/testdata/real")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// command runs one command line.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// serveTable serves the embedded S3 over HTTP, with a table in bucket "lake".
func serveTable(t *testing.T, dir string) (endpoint string) {
	t.Helper()
	endpoint, bucket := anS3(t), "lake"
	client := s3Client(t, endpoint)
	err := filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		key, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		key = "orders/" + filepath.ToSlash(key)
		_, err = client.PutObject(t.Context(), &awss3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(body)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return endpoint
}

// TestInspect: the same shard in a directory and on an endpoint; as text within 80
// columns, and with the JSON fields of docs/spec/results.md §2.
func TestInspect(t *testing.T) {
	dir := realTable(t)
	endpoint := serveTable(t, dir)
	code, text, errs := command(t, "inspect", dir)
	if code != exitOK || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	_, remote, errs := command(t, "inspect", "s3://lake/orders/", "--s3-endpoint", endpoint)
	if want := strings.Replace(text, dir, "s3://lake/orders", 1); remote != want {
		t.Errorf("on an endpoint: %s\n%s\nwant\n%s", errs, remote, want)
	}
	for _, line := range strings.Split(remote, "\n") {
		if len(line) > 80 {
			t.Errorf("a line of %d columns: %s", len(line), line)
		}
	}
	code, text, errs = command(t, "inspect", "s3://lake/orders", "--s3-endpoint", endpoint, "--json")
	var report struct {
		Shards []struct {
			ID                string `json:"id"`
			Version           uint64 `json:"version"`
			WriterEpoch       uint64 `json:"writer_epoch"`
			ReplayAfter       uint64 `json:"replay_after"`
			CurrentGeneration uint64 `json:"current_generation"`
			Generations       []struct {
				Generation uint64 `json:"generation"`
				Path       string `json:"path"`
			} `json:"generations"`
			WALTip uint64 `json:"wal_tip"`
			Hint   uint64 `json:"hint"`
			Status string `json:"status"`
			Cost   map[string]struct{ Open, Read int }
		}
	}
	if err := json.Unmarshal([]byte(text), &report); err != nil || code != exitOK || len(report.Shards) != 1 {
		t.Fatalf("exit %d, %v: %s\n%s", code, err, errs, text)
	}
	s := report.Shards[0]
	if s.ID != realShardID || s.Version != 7 || s.WriterEpoch != 3 || s.ReplayAfter != 5 || s.CurrentGeneration != 3 || s.WALTip != 9 || s.Hint != 7 ||
		s.Status != "active" || len(s.Generations) != 2 || s.Generations[1].Path != "33c30589_gen_2" || s.Cost["scan"].Read != 7 || s.Cost["probe"].Read != 2 {
		t.Errorf("%+v", s)
	}
}

// TestInspectRefuses: each refusal has its exit code, and names what is wrong.
func TestInspectRefuses(t *testing.T) {
	dir := realTable(t)
	endpoint := serveTable(t, dir)
	damaged := realTable(t)
	hint := filepath.Join(damaged, "_mem_wal", realShardID, "manifest", "version_hint.json")
	if err := os.WriteFile(hint, []byte("seven"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"inspect"}, exitUsage, "expected one table"},
		{[]string{"inspect", dir, dir}, exitUsage, "expected one table"},
		{[]string{"inspect", dir + "/missing"}, exitUsage, "missing"},
		{[]string{"inspect", hint}, exitUsage, "directory of a table"},
		{[]string{"inspect", dir, "--region", "eu-west-1"}, exitUsage, "is a directory"},
		{[]string{"inspect", dir, "--versions", "0"}, exitUsage, "want at least 1"},
		{[]string{"inspect", filepath.Join(dir, "_mem_wal")}, exitUsage, "no shard below"},
		{[]string{"inspect", "s3://", "--s3-endpoint", endpoint}, exitUsage, "with a bucket"},
		{[]string{"inspect", "s3://lake/orders", "--s3-endpoint", "lake"}, exitUsage, "--s3-endpoint"},
		{[]string{"inspect", "s3://lake/other", "--s3-endpoint", endpoint}, exitUsage, "no shard below s3://lake/other/_mem_wal/"},
		{[]string{"inspect", "s3://pond/orders", "--s3-endpoint", endpoint}, exitUnreachable, "lacks the table or bucket"},
		{[]string{"inspect", "s3://lake/orders", "--s3-endpoint", "http://127.0.0.1:1"}, exitUnreachable, "is unreachable"},
		{[]string{"inspect", damaged}, exitNo, "1 problem"},
	} {
		code, out, errs := command(t, c.args...)
		if code != c.code || !strings.Contains(errs, c.says) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: exit %d and %q; want exit %d and one line that says %q", c.args, code, errs, c.code, c.says)
		}
		if c.code == exitNo && !strings.Contains(strings.Join(strings.Fields(out), " "), hint+" is damaged") {
			t.Errorf("%v does not name %s:\n%s", c.args, hint, out)
		}
	}
}
