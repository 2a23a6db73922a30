//go:build real

package v2_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/lakebench/lakebench/internal/storetest"
)

// TestRealConformance runs the suite on the server that LAKEBENCH_TEST_DYNAMODB
// names, each test on a table of its own, which it removes.
func TestRealConformance(t *testing.T) {
	endpoint := os.Getenv("LAKEBENCH_TEST_DYNAMODB")
	if endpoint == "" {
		t.Fatal("LAKEBENCH_TEST_DYNAMODB names no server, such as http://127.0.0.1:8000")
	}
	started := time.Now().UnixNano()
	var tables atomic.Int64
	storetest.Run(t, func(t *testing.T) storetest.Fixture {
		n := tables.Add(1)
		name := fmt.Sprintf("lakebench-v2-%d-%d", started, n)
		direct := storetest.ClientAt(endpoint, http.DefaultClient)
		t.Cleanup(func() {
			if _, err := direct.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &name}); err != nil {
				t.Errorf("remove table: %v", err)
			}
		})
		faults := storetest.NewFaults(http.DefaultClient)
		// The server remembers request tokens across tables.
		return fixture(t, name, uint64(started+2*n), storetest.ClientAt(endpoint, faults), direct, faults, 3)
	})
}
