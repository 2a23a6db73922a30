package backend

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/meter"
)

// pages is small enough for every run of the tests; `make soak` asks for 20,000.
var pages = flag.Int("pages", 1500, "Query pages of 100 KB that are read over a socket")

// queryPage is an answer of about 100 KB, as DynamoDB sends it.
func queryPage() string {
	const items = 300
	var b strings.Builder
	b.WriteString(`{"Items":[`)
	for i := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"pk":{"S":"%d"},"value":{"S":"%s"}}`, i, strings.Repeat("x", items))
	}
	fmt.Fprintf(&b, `],"Count":%d,"ScannedCount":%d,"ConsumedCapacity":{"TableName":"t","CapacityUnits":12.5}}`, items, items)
	return b.String()
}

// No reply that a healthy server sends over a socket is lost, no request is sent
// twice, and no connection breaks (docs/facts/dynamodb.md §1, "SDK trap"). Before
// replies were read whole and net/http saw no more of a request's body than Read,
// 293 of 20,000 replies were lost here, and 2,202 connections broke.
func TestNoReplyIsLostOnASocket(t *testing.T) {
	page := queryPage()
	var connections, requests atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		answer := "{}"
		if strings.HasSuffix(r.Header.Get("X-Amz-Target"), "Query") {
			requests.Add(1)
			answer = page
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		_, _ = io.WriteString(w, answer)
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	b := open(t, endpointConfig(server.URL))
	m := newMeter(t, b)
	client := b.DynamoDB(m)
	for range *pages {
		out, err := client.Query(t.Context(), &dynamodb.QueryInput{
			TableName: aws.String("t"), KeyConditionExpression: aws.String("pk = :p"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":p": &types.AttributeValueMemberS{Value: "x"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if out.Count != int32(len(out.Items)) {
			t.Fatalf("got %d items, want %d", len(out.Items), out.Count)
		}
	}
	n := int64(*pages)
	total := m.Ledger(meter.PhaseSetup).Total()
	if total.Attempts != n || total.Retries != 0 || total.Outcomes[meter.OK] != n || total.Unreported != 0 || requests.Load() != n {
		t.Errorf("%d pages took %d requests and %d retries: outcomes %v, %d unreported, %d arrived",
			n, total.Attempts, total.Retries, total.Outcomes, total.Unreported, requests.Load())
	}
	// One would do, but net/http drops a connection when it hears too late that the
	// request was written, as on a busy machine.
	if got, most := connections.Load(), 2+n/100; got > most {
		t.Errorf("%d connections, want at most %d", got, most)
	}
}
