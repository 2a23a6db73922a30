package fault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// attributes are the strings of a key, an item, or an expression's values. Values
// of other types hold none.
type attributes map[string]struct {
	S *string
}

// dynamoAction is a part of a request that is about one item of one table.
type dynamoAction struct {
	TableName                 string
	Key                       attributes
	Item                      attributes
	ExpressionAttributeValues attributes
}

// dynamoBody is what rules look at in any request.
type dynamoBody struct {
	TableName                 string
	Key                       attributes
	Item                      attributes
	ExpressionAttributeValues attributes
	TransactItems             []map[string]dynamoAction // by the kind of action
	RequestItems              map[string]jsontext.Value // by table
}

// dynamoTargets finds out what a request is about. A body that it cannot read is
// about nothing: the service will say what is wrong with it.
func (x *httpExchange) dynamoTargets() []Target {
	if x.load() != nil {
		return nil
	}
	var b dynamoBody
	if json.Unmarshal(x.body, &b) != nil {
		return nil
	}
	var targets []Target
	for _, kinds := range b.TransactItems {
		for _, a := range kinds { // one, by the API
			targets = append(targets, target(a))
		}
	}
	for _, table := range slices.Sorted(maps.Keys(b.RequestItems)) {
		targets = append(targets, batchTargets(table, b.RequestItems[table])...)
	}
	if b.TableName != "" {
		a := dynamoAction{b.TableName, b.Key, b.Item, b.ExpressionAttributeValues}
		if b.Key != nil || b.Item != nil {
			a.ExpressionAttributeValues = nil // conditions on the item
		}
		targets = append(targets, target(a))
	}
	return targets
}

func target(a dynamoAction) Target {
	t := Target{In: a.TableName}
	for _, values := range []attributes{a.Key, a.Item, a.ExpressionAttributeValues} {
		for _, v := range values {
			if v.S != nil {
				t.Keys = append(t.Keys, *v.S)
			}
		}
	}
	return t
}

// batchTargets reads a table's part of BatchWriteItem, a list, or of
// BatchGetItem, an object with keys.
func batchTargets(table string, part jsontext.Value) []Target {
	var targets []Target
	if part.Kind() == '[' {
		var writes []struct{ PutRequest, DeleteRequest dynamoAction }
		if json.Unmarshal(part, &writes) != nil {
			return nil
		}
		for _, w := range writes {
			targets = append(targets, target(dynamoAction{TableName: table, Item: w.PutRequest.Item, Key: w.DeleteRequest.Key}))
		}
		return targets
	}
	var gets struct{ Keys []attributes }
	if json.Unmarshal(part, &gets) != nil {
		return nil
	}
	for _, k := range gets.Keys {
		targets = append(targets, target(dynamoAction{TableName: table, Key: k}))
	}
	return targets
}

// dynamoErrorBody is a refusal on the wire (docs/facts/dynamodb.md §3.7).
func dynamoErrorBody(r Refusal) []byte {
	type reason struct {
		Code    string
		Message string `json:",omitzero"`
	}
	var body struct {
		Type    string   `json:"__type"`
		Lower   string   `json:"message,omitzero"`
		Upper   string   `json:"Message,omitzero"`
		Reasons []reason `json:"CancellationReasons,omitzero"`
	}
	body.Type = "com.amazonaws.dynamodb.v20120810#" + r.Code
	if r.Reasons == nil {
		body.Lower = r.Message
	} else {
		body.Upper = r.canceledMessage()
	}
	for _, code := range r.Reasons {
		told := reason{Code: code}
		if code != noReason {
			told.Message = r.Message
		}
		body.Reasons = append(body.Reasons, told)
	}
	data, err := json.Marshal(body)
	if err != nil {
		panic(fmt.Sprintf("fault: a refusal that is no JSON: %v", err)) // a rule is UTF-8, the rest is constant
	}
	return data
}

// LeaveOut splits a batch: the last n entries are left out, tables taken in the
// order of their names. kept is nil if nothing remains.
func LeaveOut[T any](batch map[string][]T, n int64) (kept, left map[string][]T) {
	left = map[string][]T{}
	for _, table := range slices.Backward(slices.Sorted(maps.Keys(batch))) {
		entries := batch[table]
		cut := max(int64(len(entries))-n, 0)
		if n -= int64(len(entries)) - cut; cut < int64(len(entries)) {
			left[table] = entries[cut:]
		}
		if cut > 0 {
			if kept == nil {
				kept = map[string][]T{}
			}
			kept[table] = entries[:cut]
		}
	}
	return kept, left
}

// SendPart takes entries out of the request and puts them into the answer.
func (x *httpExchange) SendPart(ctx context.Context, leave int64) (*http.Response, error) {
	if err := x.load(); err != nil {
		return nil, err
	}
	b, err := parseBatch(x.body)
	if err != nil {
		return x.Send(ctx) // the service will say what is wrong with it
	}
	kept, left := LeaveOut(b.entries, leave)
	if kept == nil {
		return nil, ErrWholeBatch
	}
	body, err := b.request(kept)
	if err != nil {
		return nil, err
	}
	resp, err := x.inner.Do(x.with(ctx, body))
	if err != nil || resp.StatusCode != http.StatusOK {
		return resp, err
	}
	return b.answer(resp, left)
}

// A batch is the body of BatchWriteItem or BatchGetItem.
type batch struct {
	members map[string]jsontext.Value // of the body
	entries map[string][]jsontext.Value
	options map[string]map[string]jsontext.Value // by table; of BatchGetItem: what stands beside Keys
}

const batchMember, keysMember = "RequestItems", "Keys"

var errBatch = errors.New("not a batch")

func parseBatch(body []byte) (batch, error) {
	b := batch{entries: map[string][]jsontext.Value{}, options: map[string]map[string]jsontext.Value{}}
	if err := json.Unmarshal(body, &b.members); err != nil {
		return b, err
	}
	var tables map[string]jsontext.Value
	if err := json.Unmarshal(b.members[batchMember], &tables); err != nil {
		return b, err
	}
	for table, part := range tables {
		if part.Kind() != '[' {
			var options map[string]jsontext.Value
			if err := json.Unmarshal(part, &options); err != nil {
				return b, err
			}
			part = options[keysMember]
			delete(options, keysMember)
			b.options[table] = options
		}
		var entries []jsontext.Value
		if part == nil || json.Unmarshal(part, &entries) != nil {
			return b, errBatch
		}
		b.entries[table] = entries
	}
	return b, nil
}

// part is some of the entries in the form in which they came.
func (b batch) part(entries map[string][]jsontext.Value) (jsontext.Value, error) {
	tables := map[string]any{}
	for table, list := range entries {
		options, ok := b.options[table]
		if !ok {
			tables[table] = list
			continue
		}
		keys, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		withKeys := maps.Clone(options)
		withKeys[keysMember] = keys
		tables[table] = withKeys
	}
	return json.Marshal(tables, json.Deterministic(true))
}

func (b batch) request(kept map[string][]jsontext.Value) ([]byte, error) {
	part, err := b.part(kept)
	if err != nil {
		return nil, err
	}
	members := maps.Clone(b.members)
	members[batchMember] = part
	return json.Marshal(members, json.Deterministic(true))
}

// answer adds what was left out to what the service itself did not process.
func (b batch) answer(resp *http.Response, left map[string][]jsontext.Value) (*http.Response, error) {
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // it was only read from
	if err != nil {
		return nil, err
	}
	name := "UnprocessedItems"
	if len(b.options) > 0 {
		name = "UnprocessedKeys"
	}
	var members map[string]jsontext.Value
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, fmt.Errorf("reading the answer to a batch: %w", err)
	}
	if own := members[name]; own != nil {
		also, err := parseBatch([]byte(`{"` + batchMember + `":` + string(own) + `}`))
		if err != nil {
			return nil, fmt.Errorf("reading %s of the answer to a batch: %w", name, err)
		}
		for table, entries := range also.entries {
			left[table] = slices.Concat(entries, left[table])
		}
	}
	if members[name], err = b.part(left); err != nil {
		return nil, err
	}
	if body, err = json.Marshal(members, json.Deterministic(true)); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	resp.Header.Set("Content-Length", strconv.Itoa(len(body)))
	resp.Header.Del("X-Amz-Crc32") // of the body as it was
	return resp, nil
}
