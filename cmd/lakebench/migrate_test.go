package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/v1"
)

// A hand types commands against a server that keeps its tables in a directory.
type hand struct {
	t        *testing.T
	dir      string
	endpoint string
	stop     func()
}

func newHand(t *testing.T) *hand {
	t.Helper()
	h := &hand{t: t, dir: t.TempDir()}
	h.serve()
	t.Cleanup(func() { h.stop() })
	return h
}

// output is what a server prints, while it does.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// serve starts the server, on the tables that are in the directory.
func (h *hand) serve() {
	h.t.Helper()
	ctx, interrupt := context.WithCancel(h.t.Context())
	out, ended := &output{}, make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--dynamodb", "127.0.0.1:0", "--data-dir", h.dir}, strings.NewReader(""), out, out)
	}()
	for h.endpoint = ""; h.endpoint == ""; h.endpoint = address.FindString(out.String()) {
		select {
		case code := <-ended:
			h.t.Fatalf("serve ended with %d: %s", code, out)
		case <-time.After(5 * time.Millisecond):
		}
	}
	h.stop = func() { interrupt(); <-ended }
}

// restart stops the server and starts it again.
func (h *hand) restart() {
	h.t.Helper()
	h.stop()
	h.serve()
}

// migrate types one verb and checks its exit code; it returns what the verb printed.
func (h *hand) migrate(want int, args ...string) string {
	h.t.Helper()
	return h.during(h.t.Context(), want, args...)
}

func (h *hand) during(ctx context.Context, want int, args ...string) string {
	h.t.Helper()
	var out, errOut bytes.Buffer
	args = append(append([]string{"migrate"}, args...), "--dynamodb-endpoint", h.endpoint)
	if got := run(ctx, args, strings.NewReader(""), &out, &errOut); got != want {
		h.t.Fatalf("%v: exit code %d, expected %d\n%s%s", args, got, want, &out, &errOut)
	}
	return out.String() + errOut.String()
}

func (h *hand) client() *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(h.endpoint),
		Credentials: credentials.NewStaticCredentialsProvider("x", "x", ""),
	})
}

// load makes a v1 table with n items.
func (h *hand) load(table string, n int) {
	h.t.Helper()
	if err := v1.Create(h.t.Context(), h.client(), table); err != nil {
		h.t.Fatal(err)
	}
	cfg := item.DefaultLoadConfig()
	cfg.Random = rand.NewPCG(1, 0)
	_, err := item.Load(h.t.Context(), h.client(), table, func(yield func(map[string]types.AttributeValue) bool) {
		for i := range n {
			if !yield(v1.Item(fmt.Sprintf("tbl/%05d", i), fmt.Append(nil, i))) {
				return
			}
		}
	}, cfg)
	if err != nil {
		h.t.Fatal(err)
	}
}

// node opens a node, which lives until the test ends.
func (h *hand) node(name string, mode control.Mode) *dual.Store {
	h.t.Helper()
	cfg := dual.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Node, cfg.Mode, cfg.Random = h.client(), "lake", name, mode, rand.NewPCG(uint64(len(name)), uint64(time.Now().UnixNano()))
	s, err := dual.Open(h.t.Context(), cfg)
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

// beats keeps a node alive until stop is called.
func (h *hand) beats(s *dual.Store) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-time.After(100 * time.Millisecond):
				_ = s.Heartbeat(h.t.Context()) // the server may be stopped
			}
		}
	}()
	return func() { close(done); <-ended }
}

// says fails unless a text has all of the words, however they are aligned or wrapped.
func says(t *testing.T, text string, words ...string) {
	t.Helper()
	text = strings.Join(strings.Fields(text), " ")
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q is not in:\n%s", word, text)
		}
	}
}

// onceScanned calls then once a backfill has recorded a page, unless ctx ends before.
func (h *hand) onceScanned(ctx context.Context, then func()) {
	for ctx.Err() == nil {
		var out bytes.Buffer
		var status struct{ Backfill struct{ Scanned int } }
		run(ctx, []string{"migrate", "status", "--json", "--dynamodb-endpoint", h.endpoint}, strings.NewReader(""), &out, io.Discard)
		if json.Unmarshal(out.Bytes(), &status) == nil && status.Backfill.Scanned > 0 {
			then()
			return
		}
	}
}

// TestMigrateByHand is a whole migration, interrupted, the server restarted, and
// resumed, as docs/migration.md has it.
func TestMigrateByHand(t *testing.T) {
	t.Setenv(tableVariable, "lake")
	h := newHand(t)
	h.load("lake", 600)
	says(t, h.migrate(exitOK, "status"), "mode v1", "rollback v1-only")
	says(t, h.migrate(exitOK, "init", "--dry-run"), "create table lake_prefix_v2", "Nothing was changed")
	says(t, h.migrate(exitUnreachable, "verify"), "no such table: lake_prefix_v2", "init")
	says(t, h.migrate(exitOK, "init"), "lake_prefix_v2 was made")
	says(t, h.migrate(exitOK, "init"), "lake_prefix_v2 exists")
	says(t, h.migrate(exitOK, "backfill", "--dry-run"), "about 600 items", "USD")

	// Interrupted after some pages, and the server stopped and started in between.
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	go h.onceScanned(ctx, interrupt)
	h.during(ctx, exitInterrupted, "backfill", "--page-size", "50", "--rate", "50")
	h.restart()
	var status struct {
		Backfill struct{ State string }
		Rollback string
	}
	if err := json.Unmarshal([]byte(h.json("status", "--json")), &status); err != nil || status.Backfill.State != "running" {
		t.Errorf("%+v, %v", status, err)
	}
	says(t, h.migrate(exitNo, "verify"), "missing", "tbl/")
	says(t, h.migrate(exitNo, "finalize", "--no-nodes"), "the backfill is running", "run backfill")
	says(t, h.migrate(exitOK, "backfill"), "is complete: 600 items evaluated, 600 equal", "finalize. If v1-only nodes wrote until the run began, wait until 2")
	says(t, h.migrate(exitOK, "verify"), "v1 has 600 records, v2 has 600", "They are equal")

	says(t, h.migrate(exitNo, "finalize", "--nodes", "a"), `node "a" has no record`)
	a := h.node("a", control.ModeDual)
	says(t, h.migrate(exitNo, "finalize", "--nodes", "a", "--heartbeat-wait", "10ms"), "no heartbeat")
	stop := h.beats(a)
	metrics := filepath.Join(t.TempDir(), "lakebench.prom")
	says(t, h.migrate(exitOK, "finalize", "--nodes", "a", "--metrics-file", metrics), "v2 is the authority since", "600 records were compared")
	stop()
	nowhere := filepath.Join(t.TempDir(), "missing", "lakebench.prom")
	says(t, h.migrate(exitUsage, "verify", "--metrics-file", nowhere), "--metrics-file", "missing")
	text, err := os.ReadFile(metrics)
	if err != nil {
		t.Fatal(err)
	}
	says(t, string(text), `lakebench_migration_phase{phase="v2-authoritative"} 1`, `lakebench_migration_peers{mode="v1-only"} 0`,
		`lakebench_migration_items_converged 600`, `lakebench_migration_differences{kind="missing"} 0`)
	h.restart()
	says(t, h.migrate(exitOK, "finalize", "--nodes", "a"), "was finalized on")
	says(t, h.migrate(exitNo, "abort"), "for good")
	says(t, h.migrate(exitNo, "backfill"), "nothing is left to do")
	says(t, h.migrate(exitNo, "retire", "--retention", "1h", "--confirm", "lake"), "wait until")
	says(t, h.migrate(exitNo, "retire", "--retention", "1ms", "--confirm", "lake"), `node "a"`, "v2-only")
	says(t, h.migrate(exitOK, "peers"), "a ", "heartbeat")
	incarnation := regexp.MustCompile(`(?m)^ *a .* (\S+)$`).FindStringSubmatch(h.migrate(exitOK, "peers"))[1]
	says(t, h.migrate(exitUsage, "peers", "remove", "a"), "--incarnation")
	says(t, h.migrate(exitNo, "peers", "remove", "a", "--incarnation", "other"), incarnation)
	says(t, h.migrate(exitNo, "peers", "remove", "a", "--incarnation", incarnation), "so it may be alive; stop it")
	says(t, h.migrate(exitOK, "peers", "remove", "a", "--incarnation", incarnation, "--heartbeat-wait", "1ms"), "Removed", `"a"`)
	says(t, h.migrate(exitUsage, "retire", "--retention", "1ms", "--confirm", "sea"), "has to be confirmed by its name")
	says(t, h.migrate(exitOK, "retire", "--retention", "1ms", "--confirm", "lake"), "Table lake was deleted")
	says(t, h.migrate(exitOK, "status"), "mode v2-only", "rollback v2-only")
}

// json is migrate without what the verb says on standard error.
func (h *hand) json(args ...string) string {
	h.t.Helper()
	out := h.migrate(exitOK, args...)
	return out[:strings.LastIndex(out, "}")+1]
}

// TestMigrateBadInput: each error names its cause and has its exit code
// (docs/spec/results.md §5).
func TestMigrateBadInput(t *testing.T) {
	t.Setenv(tableVariable, "")
	h := newHand(t)
	h.load("lake", 3)
	h.migrate(exitOK, "init", "--table", "lake")
	name := "odd"
	_, err := h.client().CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code  int
		args  string
		words []string
	}{
		{exitUsage, "status", []string{"--table NAME", tableVariable}},
		{exitUsage, "status --table x", []string{"3 to 255"}},
		{exitUnreachable, "status --table sea", []string{"no such table: sea"}},
		{exitUnreachable, "init --table sea", []string{"no such table: sea"}},
		{exitUsage, "init --table odd", []string{"another primary key", "HASH key id"}},
		{exitUsage, "backfill --table lake --page-size 0", []string{"page size 0", "1 to 10000"}},
		{exitUsage, "backfill --table lake --page-size 10001", []string{"page size 10001"}},
		{exitUsage, "backfill --table lake --batch 50", []string{"batch of 50", "1 to 49"}},
		{exitUsage, "finalize --table lake", []string{"--nodes is required", "--no-nodes"}},
		{exitUsage, "finalize --table lake --nodes a --no-nodes", []string{"one or the other"}},
		{exitUsage, "finalize --table lake --no-nodes --max-pause 0s", []string{"pause of at most 0s"}},
		{exitUsage, "retire --table lake --confirm lake", []string{"--retention 0s"}},
		{exitUsage, "retire --table lake --retention 1h", []string{"--confirm is required"}},
		{exitUsage, "retire --table lake --retention 1h --confirm sea", []string{`confirmed is "sea"`, "table lake"}},
		{exitUsage, "peers remove --table lake", []string{"one node id"}},
		{exitUsage, "verify --table lake --examples -1", []string{"-1 examples"}},
		{exitUsage, "frobnicate", []string{"unknown command"}},
		{exitNo, "finalize --table lake --no-nodes", []string{"no backfill has been run"}},
	} {
		says(t, h.migrate(c.code, strings.Fields(c.args)...), c.words...)
	}
}
