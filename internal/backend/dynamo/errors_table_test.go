package dynamo_test

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

//go:embed testdata/errors.txt
var errorsTable string

// errorCase is a paragraph of errors.txt.
type errorCase struct{ operation, body, wantType, wantText, source string }

func readErrorsTable(t *testing.T) []errorCase {
	t.Helper()
	var cases []errorCase
	for paragraph := range strings.SplitSeq(errorsTable, "\n\n") {
		var c errorCase
		for line := range strings.Lines(paragraph) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			switch name {
			case "request":
				c.operation, c.body, _ = strings.Cut(value, " ")
			case "type":
				c.wantType = value
			case "text":
				c.wantText = value
			case "source":
				c.source = value
			}
		}
		if c == (errorCase{}) {
			continue
		}
		if c.operation == "" || c.body == "" || c.wantType == "" || c.wantText == "" || c.source == "" {
			t.Fatalf("errors.txt: a paragraph lacks something:\n%s", paragraph)
		}
		cases = append(cases, c)
	}
	return cases
}

// Bad requests are answered as errors.txt has it, and change nothing.
func TestErrorsTable(t *testing.T) {
	for _, c := range readErrorsTable(t) {
		e := newEngine(t)
		mustServe(t, e, "CreateTable", sortedOf("sorted", "N"))
		resp := e.Serve(t.Context(), c.operation, []byte(c.body))
		var got struct {
			Type    string `json:"__type"`
			Message string
		}
		if err := json.Unmarshal(resp.Body, &got); err != nil {
			t.Fatalf("%s %s: %v in %s", c.operation, c.body, err, resp.Body)
		}
		_, got.Type, _ = strings.Cut(got.Type, "#")
		if resp.Status != http.StatusBadRequest || got.Type != c.wantType || got.Message != c.wantText {
			t.Errorf("%s %s\n got %s: %s\nwant %s: %s\n(source: %s)", c.operation, c.body, got.Type, got.Message, c.wantType, c.wantText, c.source)
		}
		if got := mustServe(t, e, "Scan", `{"TableName":"tbl","Select":"COUNT"}`); !strings.Contains(got, `"Count":0`) {
			t.Errorf("%s %s left %s", c.operation, c.body, got)
		}
	}
}
