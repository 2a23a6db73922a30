package migrate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/internal/units"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/item"
)

// A page is what one Scan of v1 evaluated.
type page struct {
	items []original
	last  string // key of the last one; "" at the end of the table
}

// scanPage reads the items of v1 after a key, strongly.
func (m *Migrator) scanPage(ctx context.Context, after string, limit int) (page, error) {
	strong, n := true, int32(limit)
	in := &dynamodb.ScanInput{TableName: &m.cfg.Table, ConsistentRead: &strong, Limit: &n}
	if after != "" {
		in.ExclusiveStartKey = m.v1Record(after).Key
	}
	out, err := m.cfg.Client.Scan(ctx, in)
	if err != nil {
		return page{}, store.Failed("scan", m.cfg.Table, "", err)
	}
	p := page{items: make([]original, len(out.Items))}
	for i, raw := range out.Items {
		if p.items[i], err = m.original(raw); err != nil {
			return page{}, err
		}
	}
	// The number of items does not tell whether this is the end (hazard 7).
	p.last, err = item.Last(out.LastEvaluatedKey)
	return p, err
}

// A both is what the two layouts hold of a key at one moment.
type both struct {
	key string
	v1  *original // nil: nothing
	v2  store.Found
	raw map[string]types.AttributeValue // the item in v2
	// strange is what is wrong with the record in v2, "" if it is one that this
	// program writes.
	strange string
}

// equal reports whether both hold the same, or nothing.
func (b both) equal() bool {
	switch {
	case b.strange != "":
		return false
	case b.v1 == nil:
		return !b.v2.Exists
	}
	return b.v1.kind == "" && b.v2.Exists && string(b.v1.value) == string(b.v2.Value)
}

// maxReadPairs is how many keys a TransactGetItems reads of both tables.
const maxReadPairs = units.MaxTransactItems / 2

// readBoth reads both records of each key in transactions: each pair is of one
// moment. Keys must be short enough for v2.
func (m *Migrator) readBoth(ctx context.Context, keys []string) ([]both, error) {
	if len(keys) > maxReadPairs {
		return m.readHalves(ctx, keys)
	}
	in := &dynamodb.TransactGetItemsInput{}
	for _, key := range keys {
		in.TransactItems = append(in.TransactItems, get(m.v1Record(key)), get(m.v2Record(key)))
	}
	out, err := m.transactGet(ctx, in)
	var named smithy.APIError
	if errors.As(err, &named) && named.ErrorCode() == "ValidationException" && len(keys) > 1 {
		// More than 4 MB in one answer (TransactGetItems, API reference).
		return m.readHalves(ctx, keys)
	}
	if err != nil {
		return nil, fmt.Errorf("read both records of %d keys from %.80q on: %w", len(keys), keys[0], err)
	}
	if len(out.Responses) != len(in.TransactItems) {
		return nil, fmt.Errorf("%w: %d answers to %d reads", store.ErrMalformed, len(out.Responses), len(in.TransactItems))
	}
	pairs := make([]both, len(keys))
	for i, key := range keys {
		if pairs[i], err = m.pair(key, out.Responses[2*i].Item, out.Responses[2*i+1].Item); err != nil {
			return nil, err
		}
	}
	return pairs, nil
}

func (m *Migrator) readHalves(ctx context.Context, keys []string) ([]both, error) {
	half := len(keys) / 2
	first, err := m.readBoth(ctx, keys[:half])
	if err != nil {
		return nil, err
	}
	second, err := m.readBoth(ctx, keys[half:])
	return append(first, second...), err
}

func get(r item.Record) types.TransactGetItem {
	return types.TransactGetItem{Get: &types.Get{TableName: &r.Table, Key: r.Key}}
}

func (m *Migrator) pair(key string, rawV1, rawV2 map[string]types.AttributeValue) (both, error) {
	b := both{key: key}
	if len(rawV1) > 0 {
		it, err := m.original(rawV1)
		if err != nil {
			return b, err
		}
		b.v1 = &it
	}
	if len(rawV2) == 0 {
		return b, nil
	}
	b.raw, b.v2.Exists = rawV2, true
	b.v2.Value, b.strange = v2Value(rawV2)
	return b, nil
}

// transactGet reads in a transaction, again as long as others on the same items
// are in flight.
func (m *Migrator) transactGet(ctx context.Context, in *dynamodb.TransactGetItemsInput) (*dynamodb.TransactGetItemsOutput, error) {
	for try := 1; ; try++ {
		out, err := m.cfg.Client.TransactGetItems(ctx, in)
		if err == nil || !conflicted(err) {
			return out, err
		}
		if try >= m.cfg.Backoff.Tries {
			return nil, fmt.Errorf("%w %d times in a row: %w", store.ErrContention, try, err)
		}
		if err := task.Sleep(ctx, m.cfg.Backoff.Wait(try, m.jitter())); err != nil {
			return nil, err
		}
	}
}

// conflicted reports whether a transaction was cancelled for nothing but others in
// flight, or for load: by reason codes (hazard 6).
func conflicted(err error) bool {
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		return false
	}
	for _, reason := range cancelled.CancellationReasons {
		if reason.Code == nil {
			continue
		}
		switch *reason.Code {
		case "None", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded":
		default:
			return false
		}
	}
	return true
}

// present returns what v2 holds of the items' keys, read strongly. What the service
// leaves unread is asked for again (hazard 9).
func (m *Migrator) present(ctx context.Context, items []original) (map[string][]byte, error) {
	found := make(map[string][]byte, len(items))
	for batch := range slices.Chunk(items, units.MaxBatchGetItems) {
		if err := m.batchGet(ctx, batch, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (m *Migrator) batchGet(ctx context.Context, items []original, found map[string][]byte) error {
	strong := true
	want := types.KeysAndAttributes{ConsistentRead: &strong}
	for _, it := range items {
		want.Keys = append(want.Keys, m.v2Record(it.key).Key)
	}
	for idle := 0; len(want.Keys) > 0; {
		out, err := m.cfg.Client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{m.v2Table(): want},
		})
		if err != nil {
			return store.Failed("read", m.v2Table(), items[0].key, err)
		}
		for _, raw := range out.Responses[m.v2Table()] {
			key, err := item.Name(raw)
			if err != nil {
				return store.Failed("read", m.v2Table(), items[0].key, err)
			}
			if value, strange := v2Value(raw); strange == "" {
				found[key] = value // what is strange is looked at more closely later
			}
		}
		left := out.UnprocessedKeys[m.v2Table()].Keys
		if len(left) < len(want.Keys) {
			idle = 0
		}
		if want.Keys = left; len(left) == 0 {
			break
		}
		if idle++; idle >= m.cfg.Backoff.Tries {
			return store.Failed("read", m.v2Table(), items[0].key, fmt.Errorf("%w: %d keys left unread %d times in a row", store.ErrContention, len(left), idle))
		}
		if err := task.Sleep(ctx, m.cfg.Backoff.Wait(idle, m.jitter())); err != nil {
			return err
		}
	}
	return nil
}
