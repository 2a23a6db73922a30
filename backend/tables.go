package backend

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/cause"
	"github.com/lakebench/lakebench/task"
)

// tables remembers which tables this run made: no other table is ever removed.
type tables struct {
	mu   sync.Mutex // never held over a yield
	made []string
}

// unfit are the characters that a table's name cannot have (ServiceQuotas page,
// "Naming rules").
var unfit = regexp.MustCompile(`[^a-zA-Z0-9_.-]`)

// TableName returns the name of this run's table of a layout.
func (b *Backend) TableName(layout string) string {
	return unfit.ReplaceAllString(fmt.Sprintf("%s-%s-%s", b.cfg.TablePrefix, b.cfg.RunID, layout), "-")
}

// Table makes the table of a layout with create and returns its name. The name
// is remembered before create is called: a table of which nobody knows whether it
// came to be is removed with the others.
func (b *Backend) Table(ctx context.Context, layout string, create func(ctx context.Context, name string) error) (string, error) {
	name := b.TableName(layout)
	b.tables.mu.Lock()
	b.tables.made = append(b.tables.made, name)
	b.tables.mu.Unlock()
	err := create(ctx, name)
	var inUse *types.ResourceInUseException
	if errors.As(err, &inUse) {
		b.forget(name) // somebody else's: not ours to remove
	}
	return name, b.Classify(err)
}

func (b *Backend) forget(name string) {
	b.tables.mu.Lock()
	defer b.tables.mu.Unlock()
	b.tables.made = slices.DeleteFunc(b.tables.made, func(n string) bool { return n == name })
}

// removeTries and removeWait bound how long a table that is still being created
// is waited for: DynamoDB refuses to delete it meanwhile (ResourceInUseException).
const (
	removeTries = 30
	removeWait  = time.Second
)

// RemoveTables removes every table that Table made. It tries all of them and
// returns what went wrong.
func (b *Backend) RemoveTables(ctx context.Context) error {
	b.tables.mu.Lock()
	names := slices.Clone(b.tables.made)
	b.tables.mu.Unlock()
	var failed []error
	for _, name := range names {
		if err := b.remove(ctx, name); err != nil {
			failed = append(failed, fmt.Errorf("table %s: %w", name, err))
			continue
		}
		b.forget(name)
	}
	return errors.Join(failed...)
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
