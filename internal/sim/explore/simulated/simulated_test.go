package simulated_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"go.uber.org/goleak"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/sim/explore/simulated"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store/v1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// journal is an Observer that writes down what it hears, and when.
type journal struct {
	start time.Time
	lines []string
	at    []time.Duration // of what was served
}

func (j *journal) Served(ctx context.Context, s dynamo.Served) {
	j.at = append(j.at, task.Since(ctx, j.start))
	j.lines = append(j.lines, "served "+s.API+" "+s.Outcome)
}

func (j *journal) Called(_ context.Context, api string, _ any, err error) {
	j.lines = append(j.lines, fmt.Sprintf("called %s %v", api, err == nil))
}

// forEach runs a test on both transports, on a service with a table.
func forEach(t *testing.T, faults string, change func(c *simulated.Config), test func(ctx context.Context, t *testing.T, d *simulated.DynamoDB, j *journal)) {
	for _, transport := range []simulated.Transport{simulated.Direct, simulated.SDK} {
		t.Run(string(transport), func(t *testing.T) {
			_, err := task.Run(t.Context(), task.VirtualConfig{}, func(ctx context.Context) error {
				rules, err := fault.Parse("test", faults)
				if err != nil {
					return err
				}
				cfg := simulated.DefaultConfig()
				cfg.Transport = transport
				if change != nil {
					change(&cfg)
				}
				j := &journal{start: task.Now(ctx)}
				injector := fault.New(ctx, rules, fault.DefaultConfig())
				d, err := simulated.New(ctx, cfg, 7, injector, j)
				if err != nil {
					return err
				}
				setup, err := d.Setup()
				if err != nil {
					return err
				}
				if err := v1.Create(ctx, setup, "lake"); err != nil {
					return err
				}
				if passed := task.Since(ctx, j.start); passed != 0 {
					t.Errorf("setting up took %v", passed)
				}
				j.lines, j.at = nil, nil
				test(ctx, t, d, j)
				return injector.Wait()
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func node(t *testing.T, d *simulated.DynamoDB, name string) *simulated.Client {
	t.Helper()
	c, err := d.Node(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func get(ctx context.Context, c simulated.Service) error {
	_, err := c.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String("lake"), Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "k"}},
	})
	return err
}

// A request is on its way for one to four quarters of the latency, and so is its
// answer; whatever else takes how long, arrivals are at whole quarters.
func TestRequestsTakeTime(t *testing.T) {
	const quarter = 500 * time.Microsecond
	forEach(t, "", nil, func(ctx context.Context, t *testing.T, d *simulated.DynamoDB, j *journal) {
		c := node(t, d, "a")
		seen := map[time.Duration]bool{}
		for i := range 50 {
			if err := task.Sleep(ctx, time.Duration(i)*time.Microsecond); err != nil {
				t.Fatal(err)
			}
			began := task.Since(ctx, j.start)
			if err := get(ctx, c); err != nil {
				t.Fatal(err)
			}
			arrived, ended := j.at[i], task.Since(ctx, j.start)
			if arrived%quarter != 0 || ended%quarter != 0 {
				t.Errorf("arrived at %v, answered at %v, not at whole quarters", arrived, ended)
			}
			if there, back := arrived-began, ended-arrived; there <= 0 || there > 4*quarter || back < quarter || back > 4*quarter {
				t.Errorf("on its way for %v and %v", there, back)
			}
			seen[ended-arrived] = true
		}
		if len(seen) != 4 {
			t.Errorf("answers were on their way for %v, want four lengths of time", seen)
		}
	})
}

// Without latency requests take no time, and others may still come first.
func TestNoLatency(t *testing.T) {
	none := func(c *simulated.Config) { c.Latency = 0 }
	forEach(t, "", none, func(ctx context.Context, t *testing.T, d *simulated.DynamoDB, j *journal) {
		g := task.NewGroup(ctx, 0)
		var order []string
		for _, name := range []string{"a", "b"} {
			c := node(t, d, name)
			g.Go(name, func(ctx context.Context) error {
				for range 3 {
					order = append(order, name)
					if err := get(ctx, c); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(order); got != "[a b a b a b]" || task.Since(ctx, j.start) != 0 {
			t.Errorf("requests in the order %s within %v", got, task.Since(ctx, j.start))
		}
	})
}

// Two nodes have different streams, and one node has one stream.
func TestNodesHaveStreams(t *testing.T) {
	forEach(t, "", nil, func(ctx context.Context, t *testing.T, d *simulated.DynamoDB, j *journal) {
		times := func(name string) (out []time.Duration) {
			c := node(t, d, name)
			for range 20 {
				began := task.Now(ctx)
				if err := get(ctx, c); err != nil {
					t.Fatal(err)
				}
				out = append(out, task.Since(ctx, began))
			}
			return out
		}
		if a, again, b := fmt.Sprint(times("a")), fmt.Sprint(times("a")), fmt.Sprint(times("b")); a != again || a == b {
			t.Errorf("a: %s, again %s; b: %s", a, again, b)
		}
		if d.Stream("a") == d.Stream("b") {
			t.Error("two nodes have one stream")
		}
		_ = j
	})
}

// Faults are of nodes, and what comes of them is observed: each request that is
// served, and how each call ends, with its retries behind it.
func TestFaultsAreObserved(t *testing.T) {
	const rules = "on dynamodb GetItem nth 1..2 : error-before\non dynamodb GetItem nth 4 : timeout 10ms lands 20ms\non dynamodb GetItem nth 5..8 : throttle"
	forEach(t, rules, nil, func(ctx context.Context, t *testing.T, d *simulated.DynamoDB, j *journal) {
		c := node(t, d, "a")
		if err := get(ctx, c); err != nil {
			t.Errorf("the third attempt: %v", err)
		}
		if err := get(ctx, c); err == nil {
			t.Error("lost, and throttled until it was given up: no error")
		}
		if err := task.Sleep(ctx, time.Second); err != nil {
			t.Fatal(err)
		}
		want := "[served GetItem absent called GetItem true served GetItem absent called GetItem false]"
		if got := fmt.Sprint(j.lines); got != want {
			t.Errorf("observed %s, want %s", got, want)
		}
	})
}

// When a node crashes its answers are lost, also those on their way.
func TestAnswersOfCrashedNodesAreLost(t *testing.T) {
	forEach(t, "on dynamodb GetItem nth 2 : crash-before", nil, func(ctx context.Context, t *testing.T, d *simulated.DynamoDB, _ *journal) {
		ctx, end := fault.Node(ctx, "a")
		defer end()
		c := node(t, d, "a")
		if err := get(ctx, c); err != nil {
			t.Error(err)
		}
		for range 2 {
			if err := get(ctx, c); err == nil || !errors.Is(context.Cause(ctx), fault.ErrCrashed) {
				t.Errorf("%v, and the node's context ended with %v", err, context.Cause(ctx))
			}
		}
	})
}

func TestConfigIsValidated(t *testing.T) {
	for name, change := range map[string]func(c *simulated.Config){
		"latency":   func(c *simulated.Config) { c.Latency = -1 },
		"transport": func(c *simulated.Config) { c.Transport = "pigeon" },
		"retry":     func(c *simulated.Config) { c.Retry.MaxAttempts = 0 },
		"engine":    func(c *simulated.Config) { c.Engine.CommitDelay = -1 },
	} {
		cfg := simulated.DefaultConfig()
		change(&cfg)
		if err := cfg.Validate(); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := simulated.New(t.Context(), cfg, 1, fault.New(t.Context(), nil, fault.DefaultConfig()), &journal{}); err == nil {
			t.Errorf("%s: opened all the same", name)
		}
	}
	if err := simulated.DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	if _, err := simulated.ParseTransport("pigeon"); !errors.Is(err, simulated.ErrTransport) {
		t.Errorf("%v", err)
	}
}
