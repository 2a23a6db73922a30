package wal_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/backend/latency"
	"github.com/lakebench/lakebench/internal/sim/checker"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/wal"
)

var (
	campaignSeed = flag.Uint64("campaign.seed", 0, "run this schedule of the campaign alone")
	campaignRuns = flag.Uint64("campaign.runs", 64, "schedules of the campaign, from seed 1 on; each 16 are each kind twice under each policy")
)

// TestCampaign: several nodes take a shard from each other, append, flush, compact
// and collect, while requests fail, arrive late and nodes crash, on many schedules
// of the virtual runtime. Every history is linearizable (an append to a key of its
// own is a CAS from absent, what an opener finds is a read), and every acknowledged
// append is in the shard's objects exactly once (hazards 8, 14 and 15).
func TestCampaign(t *testing.T) {
	first, last := uint64(1), *campaignRuns
	if *campaignSeed > 0 {
		first, last = *campaignSeed, *campaignSeed
	}
	acknowledged := 0
	for seed := first; seed <= last; seed++ {
		acknowledged += runCampaign(t, seed)
		if t.Failed() {
			t.Fatalf("schedule %d failed; replay it with: go test ./wal -run '^TestCampaign$' -campaign.seed=%d", seed, seed)
		}
	}
	if *campaignSeed == 0 && acknowledged < 5*int(*campaignRuns) {
		t.Errorf("%d appends were acknowledged in %d schedules: too few to prove anything", acknowledged, *campaignRuns)
	}
}

// A campaign is one schedule.
type campaign struct {
	t        *testing.T
	service  *service
	kind     manifest.Kind
	faults   *fault.Injector
	recorder *checker.Recorder

	mu           sync.Mutex      // never held over a yield
	tried        []string        // keys, each appended once
	acknowledged map[string]bool // keys
}

// campaignFaults is what happens to the nodes' requests: seldom enough that most
// rounds come to an end.
const campaignFaults = `
on s3 PutObject key "*/wal/*" p 0.02 : error-after
on s3 PutObject key "*/wal/*" p 0.02 : timeout 200ms lands 900ms
on s3 PutObject key "*/wal/*" p 0.02 : error-before 409
on s3 PutObject key "*/manifest/*" p 0.02 : error-after reset
on s3 PutObject key "*/manifest/*" p 0.02 : timeout 100ms lands 500ms
on s3 p 0.01 : error-before 503
on s3 p 0.004 : crash-after
on s3 p 0.002 : crash-before
on s3 p 0.02 : delay 300ms
`

// runCampaign runs a schedule and returns how many appends were acknowledged.
func runCampaign(t *testing.T, seed uint64) (acknowledged int) {
	times, err := latency.Default()
	if err != nil {
		t.Fatal(err)
	}
	cfg := backend.DefaultConfig()
	cfg.ServiceTimes, cfg.Seed = &times, seed
	policies := []task.Policy{task.FIFO{}, task.Random{}}
	virtual := task.VirtualConfig{Seed: seed, Policy: policies[seed%2], MaxSteps: 3_000_000}
	if _, err := task.Run(t.Context(), virtual, func(ctx context.Context) error {
		c := &campaign{t: t, service: openBackend(ctx, t, cfg), kind: manifest.Kinds()[seed/2%4], acknowledged: map[string]bool{}}
		err := c.run(ctx, seed)
		acknowledged = len(c.acknowledged)
		return err
	}); err != nil {
		t.Error(err)
	}
	return acknowledged
}

func (c *campaign) run(ctx context.Context, seed uint64) error {
	rules, err := fault.Parse("campaign", campaignFaults)
	if err != nil {
		return err
	}
	c.faults = fault.New(ctx, rules, fault.Config{Seed: seed})
	c.recorder = checker.NewRecorder(ctx)
	g := task.NewGroup(ctx, 0)
	for i := range 3 {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		g.Go(fmt.Sprintf("node-%d", i), func(ctx context.Context) error {
			for life := range 4 {
				// Nodes that open the shard all the time keep each other from using it.
				if err := task.Sleep(ctx, time.Duration(random.IntN(8000))*time.Millisecond); err != nil {
					return err
				}
				if err := c.life(ctx, fmt.Sprintf("node-%d-%d", i, life), random); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := errors.Join(g.Wait(), c.faults.Wait()); err != nil {
		return err
	}
	return c.verify(ctx)
}

// life is what a node does until it loses the shard, crashes, or has done enough.
// Its error is a bug.
func (c *campaign) life(ctx context.Context, name string, random *rand.Rand) error {
	client := c.service.Backend.S3Under(c.service.Meter, c.faults)
	ctx, leave := fault.Node(ctx, name)
	defer leave()
	w, err := c.open(ctx, name, c.service.config(c.kind, client))
	for step := 0; err == nil && step < 8; step++ {
		switch random.IntN(6) {
		case 0:
			_, err = w.Flush(ctx)
		case 1:
			_, err = w.Compact(ctx)
		case 2:
			_, err = w.Collect(ctx, time.Hour)
		default:
			err = c.appendTogether(ctx, w, fmt.Sprintf("%s/%d", name, step), 1+random.IntN(3))
		}
	}
	if err == nil {
		err = w.Close(ctx)
	}
	return c.allowed(ctx, err)
}

// allowed lets pass what the faults and the other nodes cause.
func (c *campaign) allowed(ctx context.Context, err error) error {
	for _, caused := range []error{wal.ErrFenced, wal.ErrUnknown, wal.ErrPoisoned, manifest.ErrExhausted} {
		if errors.Is(err, caused) {
			return nil
		}
	}
	var answer interface{ HTTPStatusCode() int }
	if errors.Is(context.Cause(ctx), fault.ErrCrashed) || errors.As(err, &answer) && answer.HTTPStatusCode() >= 500 {
		return nil
	}
	return err
}

// open opens the shard, and reads all keys of which anybody has tried an append.
func (c *campaign) open(ctx context.Context, name string, cfg wal.Config) (*wal.Writer, error) {
	c.mu.Lock()
	keys := slices.Clone(c.tried)
	c.mu.Unlock()
	reads := map[string]*checker.Pending{}
	for _, key := range keys {
		reads[key] = c.recorder.Begin(ctx, name, checker.Call{Kind: checker.Get, Key: key})
	}
	w, err := wal.Open(ctx, cfg)
	for _, key := range keys {
		answer := checker.Answer{Outcome: checker.Refused}
		if err == nil {
			answer, err = c.read(ctx, w, key)
		}
		if !errors.Is(context.Cause(ctx), fault.ErrCrashed) {
			reads[key].End(ctx, answer)
		}
	}
	return w, err
}

func (c *campaign) read(ctx context.Context, w *wal.Writer, key string) (checker.Answer, error) {
	got, found, err := w.Reader().Get(ctx, key)
	switch {
	case err != nil:
		return checker.Answer{Outcome: checker.Refused}, err
	case found:
		return checker.Answer{Outcome: checker.OK, Found: checker.Bytes(got.Value)}, nil
	}
	return checker.Answer{Outcome: checker.NotFound}, nil
}

// appendTogether appends keys of its own from several tasks at once.
func (c *campaign) appendTogether(ctx context.Context, w *wal.Writer, name string, n int) error {
	g := task.NewGroup(ctx, 0)
	errs := make([]error, n)
	for i := range n {
		g.Go(fmt.Sprintf("append-%d", i), func(ctx context.Context) error {
			errs[i] = c.append(ctx, w, fmt.Sprintf("%s/%d", name, i))
			return nil
		})
	}
	return errors.Join(append(errs, g.Wait())...)
}

func (c *campaign) append(ctx context.Context, w *wal.Writer, key string) error {
	c.mu.Lock()
	c.tried = append(c.tried, key)
	c.mu.Unlock()
	p := c.recorder.Begin(ctx, key, checker.Call{Kind: checker.CAS, Key: key, Expect: checker.Absent(), Next: checker.Text("v")})
	_, err := w.Append(ctx, row(key, "v"))
	crashed := errors.Is(context.Cause(ctx), fault.ErrCrashed)
	switch {
	case crashed:
		return err
	case err == nil:
		c.mu.Lock()
		c.acknowledged[key] = true
		c.mu.Unlock()
		p.End(ctx, checker.Answer{Outcome: checker.OK})
	case errors.Is(err, wal.ErrUnknown):
		p.End(ctx, checker.Answer{Outcome: checker.Unknown})
	default: // a definite refusal: the row must never be found
		p.End(ctx, checker.Answer{Outcome: checker.Refused})
	}
	return err
}

// verify opens the shard when all is quiet, and compares what is there.
func (c *campaign) verify(ctx context.Context) error {
	w, err := c.open(ctx, "last", c.service.config(c.kind, c.service.client()))
	if err != nil {
		return err
	}
	there := counts(c.service.holdings(ctx, c.t))
	for _, key := range slices.Sorted(maps.Keys(there)) {
		if there[key] > 1 {
			c.t.Errorf("%s is there %d times", key, there[key])
		}
	}
	for key := range c.acknowledged {
		if there[key] != 1 {
			c.t.Errorf("%s was acknowledged, and is there %d times", key, there[key])
		}
	}
	if err := w.Close(ctx); err != nil {
		return err
	}
	result, err := checker.Check(ctx, c.recorder.History(), checker.DefaultLimits())
	if err != nil {
		return err
	}
	if result.Verdict != checker.Passed && len(c.acknowledged) > 0 {
		c.t.Errorf("the history: %+v", result)
	}
	return nil
}
