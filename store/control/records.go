package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
	"github.com/lakebench/lakebench/store/keyspace"
)

// A Client makes the requests for control records.
type Client interface {
	item.Writer
	item.Getter
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
}

// Config is where the records are and how to write them.
type Config struct {
	Client  Client
	Table   string       // the v2 table
	Random  rand.Source  // see item.SenderConfig
	Backoff item.Backoff // see item.SenderConfig
}

// Records reads and writes the control records of a v2 table. It may be used by
// several tasks at once.
//
// Every write is a transaction: it may be repeated under its token when an answer
// is lost. Where that settles nothing the record is read back, since its bytes name
// who wrote them; only a write that has not landed by then is store.ErrUnknown.
type Records struct {
	client Client
	table  string
	sender *item.Sender
}

// New returns the records of a table, which need not exist yet.
func New(cfg Config) (*Records, error) {
	if err := item.CheckTableName(cfg.Table); err != nil {
		return nil, err
	}
	sender, err := item.NewSender(item.SenderConfig{Client: cfg.Client, Random: cfg.Random, Backoff: cfg.Backoff})
	if err != nil {
		return nil, err
	}
	return &Records{client: cfg.Client, table: cfg.Table, sender: sender}, nil
}

// Stats counts what stood in the way of the writes, such as the mutations with
// which the installation of the barrier contends.
func (r *Records) Stats() item.Stats { return r.sender.Stats() }

// State is the migration as the records have it. A missing v2 table has no
// records.
type State struct {
	Barrier     *Barrier // nil: absent, and so below
	Marker      *Marker
	Retired     *Retired
	TableExists bool
}

// State reads the records strongly, one after the other: whoever sees the retired
// record sees the marker too, and with the marker the barrier.
func (r *Records) State(ctx context.Context) (State, error) {
	s := State{TableExists: true}
	var err error
	if s.Retired, err = load[Retired](ctx, r, retiredName); err == nil {
		if s.Marker, err = r.Marker(ctx); err == nil {
			s.Barrier, err = r.Barrier(ctx)
		}
	}
	if errors.Is(err, store.ErrNoTable) {
		return State{}, nil
	}
	return s, err
}

// read returns what a control record holds.
func (r *Records) read(ctx context.Context, name string) (store.Expectation, error) {
	// Strongly, as every control record (hazard 13).
	value, err := at(r.table, name).Get(cause.With(ctx, cause.Control), r.client, store.Strong)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return store.Absent(), nil
	case err != nil:
		return store.Expectation{}, err
	}
	return store.Exactly(value), nil
}

// load reads a control record, nil if it is absent.
func load[T any](ctx context.Context, r *Records, name string) (*T, error) {
	held, err := r.read(ctx, name)
	if err != nil {
		return nil, err
	}
	value, exists := held.Value()
	if !exists {
		return nil, nil
	}
	return parse[T](r, name, value)
}

func parse[T any](r *Records, name string, value []byte) (*T, error) {
	v := new(T)
	if err := decode(value, v); err != nil {
		return nil, fmt.Errorf("control record %s of table %s: %w", name, r.table, err)
	}
	return v, nil
}

// each calls do for every control record whose sort key begins with prefix, in
// the order of the sort keys, reading strongly.
func (r *Records) each(ctx context.Context, prefix string, do func(name string, value []byte) error) error {
	condition, strong := "#b = :bucket AND begins_with(#k, :prefix)", true
	in := &dynamodb.QueryInput{
		TableName: &r.table, ConsistentRead: &strong, KeyConditionExpression: &condition,
		ExpressionAttributeNames: map[string]string{"#b": keyspace.AttrBucket, "#k": keyspace.AttrKey},
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":bucket": &types.AttributeValueMemberS{Value: Bucket}, ":prefix": &types.AttributeValueMemberS{Value: prefix},
		},
	}
	for {
		out, err := r.client.Query(cause.With(ctx, cause.Control), in)
		if err != nil {
			return store.Failed("list", r.table, Bucket+" records "+prefix, err)
		}
		entries, err := item.Entries(out.Items)
		if err != nil {
			return store.Failed("list", r.table, Bucket+" records "+prefix, err)
		}
		for _, e := range entries {
			if err := do(e.Key, e.Value); err != nil {
				return err
			}
		}
		if len(out.LastEvaluatedKey) == 0 {
			return nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// put writes v into a control record that is as expected, after the checks, which
// are actions of the same transaction. If a condition fails the error is a
// *item.RefusedError; the record's own action comes last.
func (r *Records) put(ctx context.Context, name string, expected store.Expectation, v any, checks ...types.TransactWriteItem) error {
	value, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("control record %s of table %s: %w", name, r.table, err)
	}
	return r.transact(ctx, name, append(checks, at(r.table, name).Put(expected, value)), store.Exactly(value))
}

// transact sends actions that leave a control record as then expects it.
func (r *Records) transact(ctx context.Context, name string, actions []types.TransactWriteItem, then store.Expectation) error {
	err := r.sender.Transact(cause.With(ctx, cause.Control), actions)
	var refusal *item.RefusedError
	if err == nil || errors.As(err, &refusal) {
		return err
	}
	if errors.Is(err, store.ErrUnknown) {
		// What is there cannot be undone by the lost attempt landing now: its own
		// condition fails on it.
		if held, readErr := r.read(ctx, name); readErr == nil && same(held, then) {
			return nil
		}
	}
	return store.Failed("write", r.table, at(r.table, name).Name, err)
}

func same(a, b store.Expectation) bool { return a.Met(b.Value()) }

// decode reads exactly one JSON document without unknown fields.
func decode(value []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(value))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%w: %w", store.ErrMalformed, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: more than one document", store.ErrMalformed)
	}
	return nil
}
