package dynamo_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

// kills is how often TestKill kills; `make kill-soak` sets it to 200.
var kills = flag.Int("kills", 8, "how many times TestKill kills the service")

// helperDir names the directory that the helper process of TestKill serves.
const helperDir = "LAKEBENCH_TEST_KILL_DIR"

// TestKillHelper is the process that TestKill kills: an engine on a directory.
func TestKillHelper(t *testing.T) {
	dir := os.Getenv(helperDir)
	if dir == "" {
		t.Skip("started by TestKill")
	}
	e, _, err := dynamo.Open(dynamo.DefaultConfig(), dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("serving http://%s\n", l.Addr())
	t.Fatal(http.Serve(l, e.HTTPHandler())) //nolint:gosec // its one client is the test
}

// victim is a service process.
type victim struct {
	*dynamodb.Client
	process *exec.Cmd
}

func startVictim(t *testing.T, dir string) *victim {
	t.Helper()
	v := &victim{process: exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKillHelper$")}
	v.process.Env = append(os.Environ(), helperDir+"="+dir)
	out, err := v.process.StdoutPipe()
	if err == nil {
		err = v.process.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "serving ")
	if !ok {
		t.Fatalf("the service did not start: %q", line)
	}
	v.Client = dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: &address, Retryer: aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
		HTTPClient: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{}},
	})
	return v
}

func (v *victim) kill(t *testing.T) {
	t.Helper()
	if err := v.process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = v.process.Wait() // it was killed
}

// killWorker writes one number after the other: into one item, or by a transaction
// into one item of each of two tables.
type killWorker struct {
	name        string
	transaction bool
	acked       int // the last number whose write was acknowledged
	tried       int // the last number whose write was begun
}

// work goes on until the service is gone.
func (w *killWorker) work(ctx context.Context, c *dynamodb.Client) {
	for {
		w.tried = w.acked + 1
		if err := w.write(ctx, c, w.tried); err != nil {
			return
		}
		w.acked = w.tried
	}
}

func (w *killWorker) item(i int) item { return item{"k": s(w.name), "n": n(strconv.Itoa(i))} }

// write writes number i, under a token of its own. A transaction insists on the
// number before it, so that carrying it out twice would show.
func (w *killWorker) write(ctx context.Context, c *dynamodb.Client, i int) error {
	if !w.transaction {
		_, err := c.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("one"), Item: w.item(i)})
		return err
	}
	put := func(table string) types.TransactWriteItem {
		return types.TransactWriteItem{Put: &types.Put{
			TableName: &table, Item: w.item(i),
			ConditionExpression:       aws.String("attribute_not_exists(k) OR n = :before"),
			ExpressionAttributeValues: item{":before": n(strconv.Itoa(i - 1))},
		}}
	}
	_, err := c.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String(fmt.Sprintf("%s-%d", w.name, i)),
		TransactItems:      []types.TransactWriteItem{put("one"), put("two")},
	})
	return err
}

// found is the number in a table, 0 without one.
func (w *killWorker) found(t *testing.T, c *dynamodb.Client, table string) int {
	t.Helper()
	out, err := c.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &table, Key: item{"k": s(w.name)}, ConsistentRead: aws.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	number, ok := out.Item["n"].(*types.AttributeValueMemberN)
	if !ok {
		return 0
	}
	i, err := strconv.Atoi(number.Value)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// check looks at what a kill has left: everything acknowledged, of what was under
// way all or nothing, and a token that makes its repetition harmless.
func (w *killWorker) check(t *testing.T, c *dynamodb.Client) {
	t.Helper()
	got := w.found(t, c, "one")
	if got != w.acked && got != w.tried {
		t.Fatalf("%s: found %d, want %d, which was acknowledged, or %d, which was under way", w.name, got, w.acked, w.tried)
	}
	if !w.transaction {
		w.acked = got
		return
	}
	if two := w.found(t, c, "two"); two != got {
		t.Fatalf("%s: a transaction wrote %d into one table and %d into the other", w.name, got, two)
	}
	if w.tried == 0 {
		return
	}
	if err := w.write(t.Context(), c, w.tried); err != nil {
		t.Fatalf("%s: the transaction under way, repeated with its token: %v", w.name, err)
	}
	w.acked = w.tried
}

// TestKill kills the service under load again and again. No acknowledged write is
// lost, no half of a transaction is visible.
func TestKill(t *testing.T) {
	const workers = 8
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	v := startVictim(t, dir)
	for _, table := range []string{"one", "two"} {
		_, err := v.CreateTable(t.Context(), &dynamodb.CreateTableInput{
			TableName: &table, BillingMode: types.BillingModePayPerRequest,
			AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("k"), AttributeType: types.ScalarAttributeTypeS}},
			KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("k"), KeyType: types.KeyTypeHash}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var all []*killWorker
	for i := range workers {
		all = append(all, &killWorker{name: fmt.Sprintf("worker-%d", i), transaction: i%2 == 0})
	}
	for range *kills {
		var wg sync.WaitGroup
		for _, w := range all {
			wg.Go(func() { w.work(t.Context(), v.Client) })
		}
		time.Sleep(time.Duration(rng.Int64N(int64(100 * time.Millisecond))))
		v.kill(t)
		wg.Wait()
		v = startVictim(t, dir)
		for _, w := range all {
			w.check(t, v.Client)
		}
	}
	v.kill(t)
	total := 0
	for _, w := range all {
		total += w.acked
	}
	t.Logf("%d kills, %d writes acknowledged", *kills, total)
}
