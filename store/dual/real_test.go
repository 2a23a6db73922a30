//go:build real

package dual_test

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
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/v2"
)

// TestRealConformance runs the suite in every mode on the server that
// LAKEBENCH_TEST_DYNAMODB names, each test on tables of its own, which it removes.
func TestRealConformance(t *testing.T) {
	endpoint := os.Getenv("LAKEBENCH_TEST_DYNAMODB")
	if endpoint == "" {
		t.Fatal("LAKEBENCH_TEST_DYNAMODB names no server, such as http://127.0.0.1:8000")
	}
	started := time.Now().UnixNano()
	var lakes atomic.Int64
	for _, mode := range control.Modes() {
		t.Run(mode.String(), func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) storetest.Fixture {
				n := lakes.Add(1)
				name := fmt.Sprintf("lakebench-dual-%d-%d", started, n)
				direct := storetest.ClientAt(endpoint, http.DefaultClient)
				t.Cleanup(func() {
					for _, table := range []string{name, v2.TableName(name)} {
						if _, err := direct.DeleteTable(context.Background(), &dynamodb.DeleteTableInput{TableName: &table}); err != nil {
							t.Errorf("remove table: %v", err)
						}
					}
				})
				faults := storetest.NewFaults(http.DefaultClient)
				// The server remembers request tokens across tables.
				return fixture(t, mode, name, uint64(started+2*n), storetest.ClientAt(endpoint, faults), direct, faults)
			})
		})
	}
}
