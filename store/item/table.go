package item

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/store"
)

var (
	// ErrTableExists reports that the table to create is there already.
	ErrTableExists = errors.New("table exists already")
	// ErrWrongKeys reports that the table has another primary key than the layout.
	ErrWrongKeys = errors.New("table has another primary key")
)

// A Describer tells what a table is.
type Describer interface {
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
}

// A Creator makes tables.
type Creator interface {
	Describer
	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error)
}

// A Schema is the name and the primary key of a table; both key attributes are
// strings.
type Schema struct {
	Name  string
	Hash  string
	Range string // "": none
}

// Table names have 3 to 255 of these characters (ServiceQuotas page,
// "Naming rules").
var nameRule = regexp.MustCompile(`^[a-zA-Z0-9_.-]{3,255}$`)

// CheckTableName refuses what cannot be a table's name.
func CheckTableName(name string) error {
	if !nameRule.MatchString(name) {
		return fmt.Errorf("%w: table name %q; a name has 3 to 255 letters, digits, dots, dashes and underscores", store.ErrInvalid, name)
	}
	return nil
}

const (
	// activePoll is the time between two looks at a table that is being made;
	// on AWS that takes some seconds.
	activePoll = 500 * time.Millisecond
	// activeWait bounds the wait for it.
	activeWait = 5 * time.Minute
)

// CreateTable makes an on-demand table and waits until it can be used. It returns
// ErrTableExists, and changes nothing, if there is a table of that name.
func CreateTable(ctx context.Context, client Creator, s Schema) error {
	if err := CheckTableName(s.Name); err != nil {
		return err
	}
	ctx = cause.With(ctx, cause.Control)
	_, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: &s.Name, BillingMode: types.BillingModePayPerRequest,
		KeySchema: s.elements(), AttributeDefinitions: s.definitions(),
	})
	var inUse *types.ResourceInUseException
	switch {
	case errors.As(err, &inUse):
		return fmt.Errorf("%w: %s: %w", ErrTableExists, s.Name, inUse)
	case err != nil:
		return fmt.Errorf("create table %s: %w", s.Name, err)
	}
	return WaitActive(ctx, client, s)
}

// WaitActive looks at the table until it is active. Right after CreateTable it
// may not even be found, since DescribeTable is eventually consistent.
func WaitActive(ctx context.Context, client Describer, s Schema) error {
	for began := task.Now(ctx); ; {
		table, err := CheckTable(ctx, client, s)
		if err == nil && table.TableStatus == types.TableStatusActive {
			return nil
		}
		if err != nil && !errors.Is(err, store.ErrNoTable) {
			return err
		}
		if waited := task.Since(ctx, began); waited > activeWait {
			return fmt.Errorf("create table %s: it has status %q after %v, want ACTIVE", s.Name, table.TableStatus, waited)
		}
		if err := task.Sleep(ctx, activePoll); err != nil {
			return fmt.Errorf("create table %s: waiting for it: %w", s.Name, err)
		}
	}
}

// CheckTable returns what the service tells of the table. It returns store.ErrNoTable
// if it does not exist and ErrWrongKeys if its primary key is not the schema's.
func CheckTable(ctx context.Context, client Describer, s Schema) (types.TableDescription, error) {
	none := types.TableDescription{}
	if err := CheckTableName(s.Name); err != nil {
		return none, err
	}
	ctx = cause.With(ctx, cause.Control)
	out, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &s.Name})
	var missing *types.ResourceNotFoundException
	switch {
	case errors.As(err, &missing):
		return none, fmt.Errorf("%w: %s", store.ErrNoTable, s.Name)
	case err != nil:
		return none, fmt.Errorf("describe table %s: %w", s.Name, err)
	case out.Table == nil:
		return none, fmt.Errorf("describe table %s: %w: the answer describes no table", s.Name, store.ErrMalformed)
	}
	if found := describeKeys(out.Table); found != s.keys() {
		return *out.Table, fmt.Errorf("%w: %s has %s, the layout wants %s", ErrWrongKeys, s.Name, found, s.keys())
	}
	return *out.Table, nil
}

func (s Schema) elements() []types.KeySchemaElement {
	keys := []types.KeySchemaElement{{AttributeName: &s.Hash, KeyType: types.KeyTypeHash}}
	if s.Range != "" {
		keys = append(keys, types.KeySchemaElement{AttributeName: &s.Range, KeyType: types.KeyTypeRange})
	}
	return keys
}

func (s Schema) definitions() []types.AttributeDefinition {
	attributes := []types.AttributeDefinition{{AttributeName: &s.Hash, AttributeType: types.ScalarAttributeTypeS}}
	if s.Range != "" {
		attributes = append(attributes, types.AttributeDefinition{AttributeName: &s.Range, AttributeType: types.ScalarAttributeTypeS})
	}
	return attributes
}

// keys is the primary key in words, as describeKeys puts it.
func (s Schema) keys() string {
	return describeKeys(&types.TableDescription{KeySchema: s.elements(), AttributeDefinitions: s.definitions()})
}

func describeKeys(d *types.TableDescription) string {
	kinds := make(map[string]types.ScalarAttributeType, len(d.AttributeDefinitions))
	for _, a := range d.AttributeDefinitions {
		kinds[aws.ToString(a.AttributeName)] = a.AttributeType
	}
	parts := make(map[types.KeyType]string, len(d.KeySchema))
	for _, k := range d.KeySchema {
		name := aws.ToString(k.AttributeName)
		parts[k.KeyType] = fmt.Sprintf("%s key %s (%s)", k.KeyType, name, kinds[name])
	}
	if parts[types.KeyTypeRange] == "" {
		return parts[types.KeyTypeHash]
	}
	return parts[types.KeyTypeHash] + " and " + parts[types.KeyTypeRange]
}
