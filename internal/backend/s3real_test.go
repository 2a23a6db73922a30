//go:build real

package backend

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/backend/s3/s3test"
)

// versityGateway is what versitygw 1.8.0 on a file system is known to do
// differently (docs/facts/s3.md §2).
var versityGateway = map[string]string{
	"delete-objects-quiet": "the answer lists what was deleted all the same",
	"key-and-folder":       "keys are files: a and a/b cannot both exist",
	"key-long":             "keys are files, whose names have at most 255 bytes",
	"key-slashes":          "keys are paths: // is folded",
	"key-too-long":         "only names over 255 bytes and paths over 4,096 are refused",
	"read-dates":           "it compares with fractions of a second, which no header has",
}

// versityRaces are the answers that it loses now and then.
var versityRaces = map[string]string{
	"create-large": "it refuses before it has read the body, so the client may see a reset connection instead (docs/facts/s3.md §3.5)",
}

// TestRealS3 runs the suite on the server that LAKEBENCH_TEST_S3 names, as its
// user testkey with the secret testsecret, in a bucket that it makes and removes,
// after the preflight.
func TestRealS3(t *testing.T) {
	endpoint := os.Getenv("LAKEBENCH_TEST_S3")
	if endpoint == "" {
		t.Fatal("LAKEBENCH_TEST_S3 names no server, such as http://127.0.0.1:7070")
	}
	cfg := s3Endpoint(endpoint)
	cfg.RunID = fmt.Sprint(time.Now().UnixNano())
	b := open(t, cfg)
	bucket, err := b.Bucket(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := newMeter(t, b)
	s3test.Run(t, s3test.Target{Client: b.S3(m), Bucket: bucket, Prefix: "suite/", Known: versityGateway, Races: versityRaces})
	if err := m.Reconcile(); err != nil {
		t.Error(err)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
