package workloads

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/v1"
	"github.com/lakebench/lakebench/task"
)

// MaxWorkers bounds the workers of a run.
const MaxWorkers = 1000

// A Worker is one of several processes that divide the operations of a run: at
// every point, in every repeat and phase, each measures its part. Their results
// are put together by results.Merge.
type Worker struct {
	// Index is its number, from 1, and Of how many there are; 0 is a run that is
	// whole.
	Index, Of int
	// Meet says that all of them measure one set of tables, on one endpoint: the
	// first one sets it up and removes it, and all of them start together. Without
	// it each has services of its own.
	Meet bool
}

// String returns "2/4".
func (w Worker) String() string { return fmt.Sprintf("%d/%d", w.Index, w.Of) }

// ParseWorker reads what String returns.
func ParseWorker(text string) (Worker, error) {
	var w Worker
	if n, err := fmt.Sscanf(text, "%d/%d", &w.Index, &w.Of); n != 2 || err != nil || w.String() != text || w.validate() != nil {
		return Worker{}, fmt.Errorf("worker %q: expected its number and how many there are, such as 2/4", text)
	}
	return w, nil
}

func (w Worker) validate() error {
	if w == (Worker{}) {
		return nil
	}
	if w.Index < 1 || w.Index > w.Of || w.Of > MaxWorkers {
		return fmt.Errorf("worker is %v, expected 1 to %d of as many", w, MaxWorkers)
	}
	return nil
}

// follows says that another worker sets up what this one measures.
func (w Worker) follows() bool { return w.Meet && w.Index > 1 }

// Workers look for each other this often and this long: whoever is not there by
// then has probably failed.
const (
	meetEvery = 200 * time.Millisecond
	meetLimit = 10 * time.Minute
)

// The stages at which workers meet at a point.
const (
	stageLoaded = "loaded" // the first one has set up the tables
	stageReady  = "ready"  // to measure
	stageDone   = "done"   // the tables may go
)

// meeting is where the workers of a point meet: a table beside those under test,
// so that nothing of it is evaluated by what is measured.
type meeting struct {
	*site
	table string
}

// meet makes the place to meet; nil if there is nobody to meet.
func (s *site) meet(ctx context.Context) (*meeting, error) {
	w := s.run.cfg.Worker
	if !w.Meet {
		return nil, nil
	}
	layout := fmt.Sprintf("%d-workers", s.number)
	if w.follows() {
		m := &meeting{s, s.backend.SharedTable(layout)}
		return m, m.wait(ctx, stageLoaded, 1)
	}
	m := &meeting{s, s.backend.TableName(layout)}
	_, err := s.backend.Table(ctx, layout, func(ctx context.Context, name string) error {
		return v1.Create(ctx, s.setupClient(), name)
	})
	var inUse *types.ResourceInUseException
	if errors.As(err, &inUse) {
		return nil, fmt.Errorf("%w (table %s)", errStarted, m.table)
	}
	return m, err
}

// errStarted says that workers have met under the same name before.
var errStarted = errors.New("workers have started under this name before; choose another")

// start says that this worker has set up what it needs, and waits for the others.
func (m *meeting) start(ctx context.Context) error {
	if m == nil {
		return nil
	}
	if !m.run.cfg.Worker.follows() {
		if err := m.arrive(ctx, stageLoaded); err != nil {
			return err
		}
	}
	return m.together(ctx, stageReady)
}

// finish says that this worker has measured; the first one, which is going to
// remove the tables, waits for all.
func (m *meeting) finish(ctx context.Context) error {
	if m == nil {
		return nil
	}
	if m.run.cfg.Worker.follows() {
		return m.arrive(ctx, stageDone)
	}
	return m.together(ctx, stageDone)
}

// arrive says that this worker is at a stage.
func (m *meeting) arrive(ctx context.Context, stage string) error {
	_, err := m.setupClient().PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &m.table, Item: v1.Item(m.key(stage, m.run.cfg.Worker.Index), nil),
	})
	if err != nil {
		return fmt.Errorf("worker %v, %s: %w", m.run.cfg.Worker, stage, err)
	}
	return nil
}

func (m *meeting) key(stage string, worker int) string {
	return fmt.Sprintf("worker/%s/%d", stage, worker)
}

// together arrives at a stage and waits for all workers.
func (m *meeting) together(ctx context.Context, stage string) error {
	if err := m.arrive(ctx, stage); err != nil {
		return err
	}
	return m.wait(ctx, stage, m.run.cfg.Worker.Of)
}

// wait waits until so many workers, from the first, are at a stage.
func (m *meeting) wait(ctx context.Context, stage string, workers int) error {
	began := task.Now(ctx)
	for {
		missing, err := m.missing(ctx, stage, workers)
		if err != nil || len(missing) == 0 {
			return err
		}
		m.progress(fmt.Sprintf("waiting for %d workers to be %s", len(missing), stage), int64(workers-len(missing)), int64(workers))
		if task.Now(ctx).Sub(began) > meetLimit {
			return fmt.Errorf("worker %v waited %v for these to be %s: %s", m.run.cfg.Worker, meetLimit, stage, strings.Join(missing, ", "))
		}
		if err := task.Sleep(ctx, meetEvery); err != nil {
			return err
		}
	}
}

// missing names the workers that are not at a stage yet. Before the first one has
// made the place to meet, that is everybody.
func (m *meeting) missing(ctx context.Context, stage string, workers int) ([]string, error) {
	var missing []string
	for i := 1; i <= workers; i++ {
		out, err := m.setupClient().GetItem(ctx, &dynamodb.GetItemInput{
			TableName: &m.table, Key: map[string]types.AttributeValue{store.AttrKey: &types.AttributeValueMemberS{Value: m.key(stage, i)}},
			ConsistentRead: aws.Bool(true),
		})
		var none *types.ResourceNotFoundException
		if err != nil && !errors.As(err, &none) {
			return nil, fmt.Errorf("worker %v looks for others: %w", m.run.cfg.Worker, err)
		}
		if err != nil || out.Item == nil {
			missing = append(missing, fmt.Sprint(i))
		}
	}
	return missing, nil
}
