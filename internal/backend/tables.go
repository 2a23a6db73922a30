package backend

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// tables remembers which tables this run made: no other is changed or removed.
type tables struct {
	mu     sync.Mutex // never held over a yield
	made   []string
	shared []string // those that another process of the run makes and removes
}

// remember reports whether the name is new.
func (t *tables) remember(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if slices.Contains(t.made, name) {
		return false
	}
	t.made = append(t.made, name)
	return true
}

func (t *tables) forget(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.made = slices.DeleteFunc(t.made, func(n string) bool { return n == name })
}

func (t *tables) ours(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Contains(t.made, name) || slices.Contains(t.shared, name)
}

func (t *tables) share(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shared = append(t.shared, name)
}

func (t *tables) all() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.made)
}

// unfit are the characters that a table's name cannot have (ServiceQuotas page,
// "Naming rules").
var unfit = regexp.MustCompile(`[^a-zA-Z0-9_.-]`)

// TableName returns the name of this run's table of a layout.
func (b *Backend) TableName(layout string) string {
	return unfit.ReplaceAllString(fmt.Sprintf("%s-%s-%s", b.cfg.TablePrefix, b.cfg.RunID, layout), "-")
}

// SharedTable returns the name of this run's table of a layout which another
// process of the run makes and removes. This one may write to it.
func (b *Backend) SharedTable(layout string) string {
	name := b.TableName(layout)
	b.tables.share(name)
	return name
}

// Table makes the table of a layout with create and returns its name. The name
// is remembered before create is called, so that a table whose creation got no
// answer is removed with the others. One that is there already is not.
func (b *Backend) Table(ctx context.Context, layout string, create func(ctx context.Context, name string) error) (string, error) {
	name := b.TableName(layout)
	isNew := b.tables.remember(name)
	err := create(ctx, name)
	var inUse *types.ResourceInUseException
	if isNew && errors.As(err, &inUse) {
		b.tables.forget(name) // another run's: not ours to change or remove
	}
	return name, b.Classify(err)
}

// removeTries and removeWait bound how long a table that is still being created
// is waited for: DynamoDB refuses to delete it meanwhile (ResourceInUseException).
const (
	removeTries = 30
	removeWait  = time.Second
)

// A LeftBehindError names tables, or objects, that this run made and could not
// remove: they go on costing money.
type LeftBehindError struct {
	Tables  []string
	Objects string // bucket/prefix
	Err     error  // what stood in the way of the first
}

func (e *LeftBehindError) Error() string {
	what, names := "tables", strings.Join(e.Tables, ", ")
	if e.Objects != "" {
		what, names = "objects", e.Objects
	}
	return fmt.Sprintf("%s left behind, to be removed by hand: %s: %s", what, names, inShort(e.Err))
}

// Unwrap returns what stood in the way.
func (e *LeftBehindError) Unwrap() error { return e.Err }

// RemoveTables removes every table that Table made. It tries all of them; those
// that are left are in a *LeftBehindError, and can be tried again.
func (b *Backend) RemoveTables(ctx context.Context) error {
	var left *LeftBehindError
	for _, name := range b.tables.all() {
		switch err := b.remove(ctx, name); {
		case err == nil:
			b.tables.forget(name)
		case left == nil:
			left = &LeftBehindError{Tables: []string{name}, Err: err}
		default:
			left.Tables = append(left.Tables, name)
		}
	}
	if left == nil {
		return nil
	}
	return left
}

func (b *Backend) remove(ctx context.Context, name string) error {
	m, err := b.NewMeter(nil)
	if err != nil {
		return err
	}
	client := b.DynamoDB(m)
	ctx = cause.With(ctx, cause.Setup)
	for try := 1; ; try++ {
		_, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name})
		var (
			gone *types.ResourceNotFoundException
			busy *types.ResourceInUseException
		)
		switch {
		case err == nil || errors.As(err, &gone):
			return nil
		case !errors.As(err, &busy) || try == removeTries:
			return err
		}
		if err := task.Sleep(ctx, removeWait); err != nil {
			return err
		}
	}
}
