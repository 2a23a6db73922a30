package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/results"
)

// record is a metadata record as somebody's own program would marshal it.
type record struct {
	Key     string `dynamodbav:"pk"`
	Value   []byte `dynamodbav:"value"`
	Version int    `dynamodbav:"version,omitempty"`
}

// exportRecords are five families, with keys beyond ASCII.
func exportRecords() []record {
	var all []record
	for i := range 40 {
		all = append(all,
			record{Key: fmt.Sprintf("tbl/größe_%03d", i), Value: bytes.Repeat([]byte{1}, 200), Version: i + 1},
			record{Key: fmt.Sprintf("append-operation/größe_%03d/%08x", i, i*7), Value: bytes.Repeat([]byte{2}, 250)},
			record{Key: fmt.Sprintf("lance-manifest/größe_%03d/%020d", i, i), Value: bytes.Repeat([]byte{3}, 220)},
			record{Key: fmt.Sprintf("lease/表_%03d", i), Value: []byte("holder")},
		)
	}
	return append(all, record{Key: "lake-setting", Value: []byte{}})
}

// writeExport writes the records as DynamoDB's export to S3 does: two gzip data
// files of DynamoDB JSON, and their manifests.
func writeExport(t *testing.T, dir string, records []record) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	var manifest bytes.Buffer
	half := len(records) / 2
	for i, part := range [][]record{records[:half], records[half:]} {
		var zipped bytes.Buffer
		z := gzip.NewWriter(&zipped)
		for _, r := range part {
			item, err := attributevalue.MarshalMap(r)
			if err != nil {
				t.Fatal(err)
			}
			line, err := json.Marshal(map[string]any{"Item": dynamoJSON(t, item)})
			if err != nil {
				t.Fatal(err)
			}
			_, _ = z.Write(append(line, '\n'))
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("data/part%d.json.gz", i)
		write(t, filepath.Join(dir, name), zipped.Bytes())
		sum := md5.Sum(zipped.Bytes())
		fmt.Fprintf(&manifest, `{"itemCount":%d,"md5Checksum":%q,"etag":"x","dataFileS3Key":"AWSDynamoDB/0123-abc/%s"}`+"\n",
			len(part), base64.StdEncoding.EncodeToString(sum[:]), name)
	}
	write(t, filepath.Join(dir, "manifest-files.json"), manifest.Bytes())
	write(t, filepath.Join(dir, "manifest-summary.json"), fmt.Appendf(nil,
		`{"version":"2020-06-30","exportArn":"arn:aws:dynamodb:us-east-1:123456789012:table/lake/export/0123-abc","tableArn":"arn:aws:dynamodb:us-east-1:123456789012:table/lake","manifestFilesS3Key":"AWSDynamoDB/0123-abc/manifest-files.json","itemCount":%d,"outputFormat":"DYNAMODB_JSON"}`, len(records)))
}

func dynamoJSON(t *testing.T, item map[string]types.AttributeValue) map[string]any {
	t.Helper()
	out := map[string]any{}
	for name, v := range item {
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			out[name] = map[string]string{"S": v.Value}
		case *types.AttributeValueMemberN:
			out[name] = map[string]string{"N": v.Value}
		case *types.AttributeValueMemberB:
			out[name] = map[string][]byte{"B": v.Value}
		case *types.AttributeValueMemberNULL:
			out[name] = map[string]bool{"NULL": v.Value}
		default:
			t.Fatalf("attribute %s of type %T", name, v)
		}
	}
	return out
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// lakebench runs the command and returns what it printed.
func lakebench(t *testing.T, wantCode int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	if code := run(context.Background(), args, strings.NewReader(""), &out, &errOut); code != wantCode {
		t.Fatalf("lakebench %s: exit code %d, expected %d\n%s%s", strings.Join(args, " "), code, wantCode, &out, &errOut)
	}
	return out.String(), errOut.String()
}

// TestImportedTableIsMeasured takes a user's own table the whole way: export,
// import, run. The cost of v1 follows from the sizes of the exported items.
func TestImportedTableIsMeasured(t *testing.T) {
	dir := t.TempDir()
	records := exportRecords()
	writeExport(t, filepath.Join(dir, "export"), records)
	for _, lake := range []struct {
		name  string
		flags []string
	}{
		{"plain.jsonl", nil},
		{"anonymous.jsonl.gz", []string{"--anonymize"}},
	} {
		file := filepath.Join(dir, lake.name)
		stdout, _ := lakebench(t, 0, append([]string{"history", "import", filepath.Join(dir, "export"), "--out", file}, lake.flags...)...)
		if !strings.Contains(stdout, "161 records") {
			t.Errorf("import says %q", stdout)
		}
		stdout, _ = lakebench(t, 0, "history", "stats", file)
		for _, family := range []string{"tbl", "append-operation", "lance-manifest", "lease", "root"} {
			if !strings.Contains(stdout, family) {
				t.Errorf("stats do not name family %s:\n%s", family, stdout)
			}
		}
		stdout, _ = lakebench(t, 0, "run", "--workload", "catalog-refresh", "--history", file, "--set", "refreshes=2",
			"--json", "--out", filepath.Join(dir, "results"))
		doc, err := results.Decode([]byte(stdout))
		if err != nil {
			t.Fatal(err)
		}
		checkImported(t, doc, records)
	}
}

func checkImported(t *testing.T, doc results.Document, records []record) {
	t.Helper()
	// Sizes by the rules (docs/facts/dynamodb.md §3.1): names and values in bytes, a
	// number of one or two digits 2. All of it is far below 1 MB: one page.
	bytes, tables := 0, 0
	for _, r := range records {
		bytes += len("pk") + len(r.Key) + len("value") + len(r.Value)
		if r.Version > 0 {
			bytes += len("version") + 2
		}
		if strings.HasPrefix(r.Key, "tbl/") {
			tables++
		}
	}
	units := float64((bytes + 4095) / 4096)
	for _, s := range doc.Series {
		m := s.Metrics
		if s.Phase != results.Steady {
			continue
		}
		if m["returned/op"] != float64(tables) {
			t.Errorf("%s returned %v tables, expected %d", s.Variant, m["returned/op"], tables)
		}
		if s.Variant == "v1" && (m["requests/op"] != 1 || m["rru/op"] != units || m["evaluated/op"] != float64(len(records))) {
			t.Errorf("v1 took %v requests, %v units, %v items; expected 1, %v, %d", m["requests/op"], m["rru/op"], m["evaluated/op"], units, len(records))
		}
		if s.Variant != "v1" && (m["requests/op"] != 8 || m["evaluated/op"] != float64(tables)) {
			t.Errorf("%s took %v requests for %v items", s.Variant, m["requests/op"], m["evaluated/op"])
		}
	}
	for _, c := range doc.Checks {
		if c.Status != results.Passed {
			t.Errorf("check %q: %s: %s", c.Name, c.Status, c.Detail)
		}
	}
}

func TestDamagedExportIsNamed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "data.json")
	good := `{"Item":{"pk":{"S":"tbl/a"},"value":{"B":"AAAA"}}}`
	write(t, file, []byte(good+"\n"+`{"Item":{"pk":{"S":"tbl/b"},"value":{"B":`+"\n"))
	out := filepath.Join(dir, "lake.jsonl")
	_, stderr := lakebench(t, 2, "history", "import", file, "--out", out)
	if !strings.Contains(stderr, "data.json") || !strings.Contains(stderr, "2") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("error is %q, expected one line with the file and line 2", stderr)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a history file was left behind")
	}
	stdout, _ := lakebench(t, 0, "history", "import", file, "--out", out, "--skip-bad-lines")
	if !strings.Contains(stdout, "1 lines were skipped") {
		t.Errorf("import says %q", stdout)
	}
}
