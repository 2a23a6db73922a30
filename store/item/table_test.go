package item_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
)

func newClient(t *testing.T) *dynamodb.Client {
	t.Helper()
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	return storetest.Client(engine.Client(nil))
}

func TestCreateAndCheck(t *testing.T) {
	ctx, client := context.Background(), newClient(t)
	v1 := item.Schema{Name: "lake", Hash: "pk"}
	v2 := item.Schema{Name: "lake2", Hash: "bucket", Range: "pk"}
	if _, err := item.CheckTable(ctx, client, v1); !errors.Is(err, store.ErrNoTable) {
		t.Errorf("check before it exists: %v, want ErrNoTable", err)
	}
	for _, s := range []item.Schema{v1, v2} {
		if err := item.CreateTable(ctx, client, s); err != nil {
			t.Fatal(err)
		}
		if table, err := item.CheckTable(ctx, client, s); table.TableStatus != types.TableStatusActive || err != nil {
			t.Errorf("%s: status %q, %v; want ACTIVE", s.Name, table.TableStatus, err)
		}
		if err := item.CreateTable(ctx, client, s); !errors.Is(err, item.ErrTableExists) {
			t.Errorf("create %s again: %v, want ErrExists", s.Name, err)
		}
	}
	for _, s := range []item.Schema{
		{Name: "lake", Hash: "bucket", Range: "pk"}, {Name: "lake2", Hash: "pk"}, {Name: "lake", Hash: "key"}, {Name: "lake2", Hash: "pk", Range: "bucket"},
	} {
		_, err := item.CheckTable(ctx, client, s)
		if !errors.Is(err, item.ErrWrongKeys) {
			t.Errorf("check %+v: %v, want ErrWrongKeys", s, err)
		}
	}
	_, err := item.CheckTable(ctx, client, item.Schema{Name: "lake", Hash: "bucket", Range: "pk"})
	for _, want := range []string{"lake", "HASH key pk (S)", "HASH key bucket (S) and RANGE key pk (S)"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("message %q lacks %q", err, want)
		}
	}
}

func TestNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"abc": true, "LAKE_prefix.v2-x": true, strings.Repeat("a", 255): true,
		"": false, "ab": false, strings.Repeat("a", 256): false, "a b c": false, "tüb": false, "abc\n": false,
	} {
		if err := item.CheckTableName(name); (err == nil) != ok || (err != nil && !errors.Is(err, store.ErrInvalid)) {
			t.Errorf("CheckName(%q) = %v, want it to be right: %v", name, err, ok)
		}
	}
	client := newClient(t)
	if err := item.CreateTable(context.Background(), client, item.Schema{Name: "x", Hash: "pk"}); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("create with a bad name: %v, want ErrInvalid", err)
	}
}

// slow is a service whose new table can be used after a number of looks at it.
type slow struct {
	looks  int // until it is active; the first finds no table
	looked int
}

func (s *slow) CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error) {
	return &dynamodb.CreateTableOutput{}, nil
}

func (s *slow) DescribeTable(_ context.Context, in *dynamodb.DescribeTableInput, _ ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	s.looked++
	if s.looked == 1 {
		return nil, &types.ResourceNotFoundException{}
	}
	key := "pk"
	d := &types.TableDescription{
		TableName: in.TableName, TableStatus: types.TableStatusCreating,
		KeySchema:            []types.KeySchemaElement{{AttributeName: &key, KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: &key, AttributeType: types.ScalarAttributeTypeS}},
	}
	if s.looked > s.looks {
		d.TableStatus = types.TableStatusActive
	}
	return &dynamodb.DescribeTableOutput{Table: d}, nil
}

// TestWait: a table is waited for on the task clock, and not for ever.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{looks: 20}
		began := time.Now()
		if err := item.CreateTable(context.Background(), s, item.Schema{Name: "lake", Hash: "pk"}); err != nil {
			t.Error(err)
		}
		if waited := time.Since(began); s.looked != 21 || waited != 10*time.Second {
			t.Errorf("looked %d times in %v, want 21 times, half a second apart", s.looked, waited)
		}
		began = time.Now()
		err := item.CreateTable(context.Background(), &slow{looks: 1_000_000}, item.Schema{Name: "lake", Hash: "pk"})
		if err == nil || !strings.Contains(err.Error(), "CREATING") || time.Since(began) > 6*time.Minute {
			t.Errorf("a table that is never active: %v after %v", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := item.CreateTable(ctx, &slow{looks: 1_000_000}, item.Schema{Name: "lake", Hash: "pk"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("wait under a deadline: %v, want DeadlineExceeded", err)
		}
	})
}
