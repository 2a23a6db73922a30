package direct_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/direct"
	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/meter"
	"github.com/lakebench/lakebench/internal/requestlog"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/v1"
	"github.com/lakebench/lakebench/store/v2"
)

// A bridge lets the suite's faults, which are of HTTP, befall a direct client's
// attempts: the fault gets a request that stands for the attempt, and if it sends
// that on, the engine acts and its answer gets a response that stands for it.
type bridge struct {
	act    direct.Act
	faults *storetest.Faults
}

// bridged returns a client under faults.
func bridged(c *direct.Client) *storetest.Faults {
	b := &bridge{}
	b.faults = storetest.NewFaults(b)
	c.Intercept(func(engine direct.Act) direct.Act {
		b.act = engine
		return b.attempt
	})
	return b.faults
}

// exchange is an attempt and what the engine answered, once it has.
type exchange struct {
	input, output any
	err           error
	response      *http.Response
}

type exchangeKey struct{}

func (b *bridge) attempt(ctx context.Context, input any) (any, error) {
	body, err := json.Marshal(input)
	if err != nil {
		return nil, err
	}
	x := &exchange{input: input}
	req, err := http.NewRequestWithContext(context.WithValue(ctx, exchangeKey{}, x), http.MethodPost, "http://embedded.invalid", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("X-Amz-Target", "DynamoDB_20120810."+strings.TrimSuffix(show(input), "Input"))
	resp, err := b.faults.Do(req)
	if err != nil {
		return nil, direct.Unsent(ctx, err)
	}
	body, err = io.ReadAll(resp.Body)
	switch err = errors.Join(err, resp.Body.Close()); {
	case err != nil: // cut
		return nil, direct.Unsent(ctx, err)
	case resp == x.response:
		return x.output, x.err
	}
	return nil, refused(resp.StatusCode, body)
}

// Do is where a request that a fault sends on arrives.
func (b *bridge) Do(req *http.Request) (*http.Response, error) {
	x := req.Context().Value(exchangeKey{}).(*exchange)
	x.output, x.err = b.act(req.Context(), x.input)
	var canceled *smithy.CanceledError
	if errors.As(x.err, &canceled) {
		return nil, x.err
	}
	x.response = &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody}
	return x.response, nil
}

// refused is the error of an answer that a fault made up.
func refused(status int, body []byte) error {
	var told struct {
		Type                string `json:"__type"`
		CancellationReasons []types.CancellationReason
	}
	if json.Unmarshal(body, &told) != nil {
		told.Type = "#UnknownError"
	}
	_, code, _ := strings.Cut(told.Type, "#")
	switch code {
	case "TransactionCanceledException":
		return &types.TransactionCanceledException{CancellationReasons: told.CancellationReasons}
	case "TransactionInProgressException":
		return &types.TransactionInProgressException{}
	case "ConditionalCheckFailedException":
		return &types.ConditionalCheckFailedException{}
	}
	return fault.Refusal{Service: fault.DynamoDB, Status: status, Code: code}.Err()
}

// twoClients are direct clients of one new backend that hardly waits to retry,
// the first of them under faults.
func twoClients(t *testing.T) (own, peer *direct.Client, faults *storetest.Faults) {
	t.Helper()
	cfg := backend.DefaultConfig()
	cfg.Retry.BaseDelay, cfg.Retry.ThrottleDelay = time.Microsecond, time.Microsecond
	b := open(t, cfg)
	own, peer = directClient(t, b, newMeter(t, b)), directClient(t, b, newMeter(t, b))
	return own, peer, bridged(own)
}

// An opener makes a store's table and opens it as two nodes.
type opener func(t *testing.T, own, peer storetest.Service, faults *storetest.Faults) storetest.Fixture

// The settings of a store are those under which its own tests wrote its log.
func fixtureV1(t *testing.T, own, peer storetest.Service, faults *storetest.Faults) storetest.Fixture {
	t.Helper()
	if err := v1.Create(t.Context(), own, *lakeTable); err != nil {
		t.Fatal(err)
	}
	return storetest.Fixture{
		Store: openV1(t, own, 1), Peer: openV1(t, peer, 2), Faults: faults,
		MaxKeyBytes: 2048, ItemBytes: v1.ItemBytes, AnyPrefix: true,
	}
}

func openV1(t *testing.T, client v1.Client, seed uint64) store.MetaStore {
	t.Helper()
	cfg := v1.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Random, cfg.PageLimit = client, *lakeTable, rand.NewPCG(seed, 0), 20
	cfg.Backoff.Base, cfg.Backoff.Max = time.Microsecond, time.Millisecond
	s, err := v1.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fixtureV2(t *testing.T, own, peer storetest.Service, faults *storetest.Faults) storetest.Fixture {
	t.Helper()
	ours := configV2(own, 1)
	if err := v2.Create(t.Context(), own, ours); err != nil {
		t.Fatal(err)
	}
	return storetest.Fixture{Store: openV2(t, ours), Peer: openV2(t, configV2(peer, 2)), Faults: faults, MaxKeyBytes: 1024, ItemBytes: v2ItemBytes}
}

func v2ItemBytes(key string, value []byte) int {
	family, _, _ := strings.Cut(key, "/")
	return len("bucket") + len(family) + len("#00") + len("pk") + len(key) + len("value") + len(value)
}

func configV2(client v2.Client, seed uint64) v2.Config {
	cfg := v2.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Random, cfg.PageLimit = client, "lake_prefix_v2", rand.NewPCG(seed, 0), 3
	cfg.Backoff.Base, cfg.Backoff.Max = time.Microsecond, time.Millisecond
	return cfg
}

func openV2(t *testing.T, cfg v2.Config) store.MetaStore {
	t.Helper()
	s, err := v2.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestStoresOverDirect runs the stores' conformance suite over the direct transport.
// Nodes of store/dual send the same calls through these stores; their requests over it
// are in TestNodeLogsOverDirect, and their behaviour in internal/sim/explore/migration,
// which runs on it.
func TestStoresOverDirect(t *testing.T) {
	for name, fixture := range map[string]opener{
		"v1": fixtureV1, "v2": fixtureV2,
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) storetest.Fixture {
				own, peer, faults := twoClients(t)
				return fixture(t, own, peer, faults)
			})
		})
	}
}

// TestRequestLogsOverDirect: the logs that the stores' tests wrote over the SDK
// are what the direct transport gives, attempts and all.
func TestRequestLogsOverDirect(t *testing.T) {
	for name, fixture := range map[string]opener{
		"v1": fixtureV1, "v2": fixtureV2,
	} {
		t.Run(name, func(t *testing.T) {
			own, peer, faults := twoClients(t)
			rec := storetest.NewRecorder(own)
			log := storetest.Scenario(t, fixture(t, rec, peer, faults), rec)
			file := "../../../store/" + name + "/testdata/requests.golden"
			requestlog.Golden(t, file, log, false)
			// Refusals that faults make up are attempts that nobody served.
			for _, r := range own.Meter().Ledger(meter.PhaseSetup).Rows {
				if r.Calls+r.Retries-r.Unsent != r.Attempts || r.Attempts != r.Outcomes.Total() {
					t.Errorf("%s: %d calls + %d retries − %d unsent, %d attempts, %d outcomes", r.API, r.Calls, r.Retries, r.Unsent, r.Attempts, r.Outcomes.Total())
				}
			}
		})
	}
}

var _ aws.HTTPClient = (*bridge)(nil)
