package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/s3"
)

// TestRunOnAnS3Endpoint: a workload on shards on an endpoint costs what the rules
// say, and leaves nothing behind.
func TestRunOnAnS3Endpoint(t *testing.T) {
	service, err := s3.New(s3.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(service.HTTPHandler())
	t.Cleanup(server.Close)
	code, text, errs := command(t, "run", "--workload", "fresh-read", "--set", "generations=3", "--set", "reads=2",
		"--backend", "endpoint", "--s3-endpoint", server.URL, "--out", t.TempDir())
	if code != exitOK || !strings.Contains(text, "the endpoint reports what the rules compute") {
		t.Errorf("exit %d: %s\n%s", code, errs, text)
	}
}

// Flags for the service that a workload does not use are refused.
func TestEndpointsOfTheOtherService(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--workload", "flush", "--backend", "endpoint", "--dynamodb-endpoint", "http://127.0.0.1:1"}, "--s3-endpoint"},
		{[]string{"--workload", "catalog-refresh", "--backend", "endpoint", "--s3-endpoint", "http://127.0.0.1:1"}, "runs on DynamoDB"},
		{[]string{"--workload", "catalog-refresh", "--backend", "endpoint", "--bucket", "lake"}, "runs on DynamoDB"},
		{[]string{"--workload", "flush", "--s3-endpoint", "http://127.0.0.1:1"}, "--backend endpoint"},
		{[]string{"--workload", "flush", "--backend", "endpoint", "--s3-endpoint", "lake"}, "--s3-endpoint"},
	} {
		code, _, errs := command(t, append([]string{"run"}, c.args...)...)
		if code != exitUsage || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d: %s", c.args, code, errs)
		}
	}
}
