package difftest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/lakebench/lakebench/internal/attr"
)

// A Step is one request of a sequence. A Query or Scan is followed to its end,
// page by page, each service with its own keys.
type Step struct {
	Operation string
	Body      string // JSON
}

// Sequence makes n steps from a seed: the tables, which are made at first, are no
// part of it.
func Sequence(seed uint64, n int) []Step {
	g := newGenerator(seed)
	steps := make([]Step, n)
	for i := range steps {
		steps[i] = g.step()
	}
	return steps
}

// Setup are the steps that make empty tables.
func Setup() []Step {
	var steps []Step
	for _, t := range tables {
		definitions := []body{{"AttributeName": hashName, "AttributeType": t.hash.String()}}
		schema := []body{{"AttributeName": hashName, "KeyType": "HASH"}}
		if t.sort != attr.Invalid {
			definitions = append(definitions, body{"AttributeName": sortName, "AttributeType": t.sort.String()})
			schema = append(schema, body{"AttributeName": sortName, "KeyType": "RANGE"})
		}
		steps = append(steps, step("DeleteTable", body{"TableName": t.name}), step("CreateTable", body{
			"TableName": t.name, "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": definitions, "KeySchema": schema,
		}))
	}
	return steps
}

func step(operation string, b body) Step {
	text, err := json.Marshal(b)
	if err != nil {
		panic(fmt.Errorf("difftest: a generated request has no JSON: %w", err)) // texts and numbers always have
	}
	return Step{operation, string(text)}
}

func (g *generator) step() Step {
	t := pick(g, g.tables)
	switch n := g.IntN(100); {
	case n < 18:
		return step("PutItem", g.put(t, true))
	case n < 48:
		return step("UpdateItem", g.updateItem(t, true))
	case n < 55:
		return step("DeleteItem", g.remove(t, true))
	case n < 61:
		return step("GetItem", g.get(t))
	case n < 75:
		return step("Query", g.query(t))
	case n < 82:
		return step("Scan", g.scan(t))
	case n < 86:
		return step("BatchGetItem", g.batchGet())
	case n < 90:
		return step("BatchWriteItem", g.batchWrite())
	case n < 97:
		return step("TransactWriteItems", g.transactWrite())
	default:
		return step("TransactGetItems", g.transactGet())
	}
}

// conditional adds, to a write, what all writes have. alone reports that it is no
// action of a transaction.
func (p *placeholders) conditional(b body, alone bool, returns ...string) body {
	if p.oneIn(3) {
		b["ConditionExpression"] = p.condition(2, true)
		if p.oneIn(2) {
			b["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
		}
	}
	if alone && p.oneIn(2) {
		b["ReturnValues"] = pick(p.generator, returns)
	}
	p.into(b)
	return b
}

func (g *generator) put(t table, alone bool) body {
	return g.placeholders(t).conditional(body{"TableName": t.name, "Item": raw(g.item(t))}, alone, "NONE", "ALL_OLD")
}

func (g *generator) remove(t table, alone bool) body {
	return g.placeholders(t).conditional(body{"TableName": t.name, "Key": raw(g.key(t))}, alone, "NONE", "ALL_OLD")
}

func (g *generator) updateItem(t table, alone bool) body {
	p := g.placeholders(t)
	b := body{"TableName": t.name, "Key": raw(g.key(t))}
	if !g.oneIn(30) || !alone {
		b["UpdateExpression"] = p.update()
	}
	return p.conditional(b, alone, "NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW")
}

func (g *generator) get(t table) body {
	b := body{"TableName": t.name, "Key": raw(g.key(t)), "ConsistentRead": g.oneIn(2)}
	g.projected(t, b)
	return b
}

// projected adds a projection now and then.
func (g *generator) projected(t table, b body) {
	p := g.placeholders(t)
	if g.oneIn(3) {
		b["ProjectionExpression"] = p.projection()
	}
	p.into(b)
}

func (g *generator) query(t table) body {
	p := g.placeholders(t)
	b := body{"TableName": t.name, "KeyConditionExpression": p.keyCondition(), "ScanIndexForward": g.oneIn(2)}
	p.page(b, false)
	return b
}

func (g *generator) scan(t table) body {
	p := g.placeholders(t)
	b := body{"TableName": t.name}
	p.page(b, true)
	return b
}

// page adds what Query and Scan have in common; keys reports whether the filter may
// be on key attributes.
func (p *placeholders) page(b body, keys bool) {
	b["ConsistentRead"] = p.oneIn(2)
	if p.oneIn(2) {
		b["FilterExpression"] = p.condition(2, keys || p.oneIn(20))
	}
	switch p.IntN(4) {
	case 0:
		b["ProjectionExpression"] = p.projection()
	case 1:
		b["Select"] = pick(p.generator, []string{"COUNT", "ALL_ATTRIBUTES"})
	}
	if p.oneIn(2) {
		b["Limit"] = 1 + p.IntN(8)
	}
	p.into(b)
}

// keys makes different keys of one table.
func (g *generator) keys(t table, n int) []attr.Item {
	seen := map[string]attr.Item{}
	for range n {
		k := g.key(t)
		seen[k.String()] = k
	}
	var keys []attr.Item
	for _, name := range sorted(seen) {
		keys = append(keys, seen[name])
	}
	return keys
}

func (g *generator) batchGet() body {
	requests := map[string]body{}
	for range 1 + g.IntN(3) {
		t := pick(g, g.tables)
		var keys []json.RawMessage
		for _, k := range g.keys(t, 1+g.IntN(8)) {
			keys = append(keys, raw(k))
		}
		b := body{"Keys": keys, "ConsistentRead": g.oneIn(2)}
		g.projected(t, b)
		requests[t.name] = b
	}
	return body{"RequestItems": requests}
}

func (g *generator) batchWrite() body {
	requests := map[string][]body{}
	for range 1 + g.IntN(3) {
		t := pick(g, g.tables)
		var writes []body
		for _, k := range g.keys(t, 1+g.IntN(8)) {
			if g.oneIn(3) {
				writes = append(writes, body{"DeleteRequest": body{"Key": raw(k)}})
				continue
			}
			writes = append(writes, body{"PutRequest": body{"Item": raw(g.fill(k, 0))}})
		}
		requests[t.name] = writes
	}
	return body{"RequestItems": requests}
}

func (g *generator) transactWrite() body {
	var actions []body
	seen := map[string]bool{}
	for range 1 + g.IntN(4) {
		name, action := g.action(pick(g, g.tables))
		key := keyOf(action)
		if seen[key] && !g.oneIn(20) { // what is refused for that shows little else
			continue
		}
		seen[key] = true
		actions = append(actions, body{name: action})
	}
	return body{"TransactItems": actions}
}

func (g *generator) action(t table) (string, body) {
	switch g.IntN(4) {
	case 0:
		return "Put", g.put(t, false)
	case 1:
		return "Update", g.updateItem(t, false)
	case 2:
		return "Delete", g.remove(t, false)
	default:
		p := g.placeholders(t)
		check := body{"TableName": t.name, "Key": raw(g.key(t)), "ConditionExpression": p.condition(1, true)}
		p.into(check)
		return "ConditionCheck", check
	}
}

// keyOf spells the key of an action's item, its table included.
func keyOf(action body) string {
	var item map[string]json.RawMessage
	text, ok := action["Key"].(json.RawMessage)
	if !ok {
		text, _ = action["Item"].(json.RawMessage)
	}
	if err := json.Unmarshal(text, &item); err != nil {
		panic(fmt.Errorf("difftest: a generated item is no JSON: %w", err))
	}
	return fmt.Sprintf("%s %s %s", action["TableName"], item[hashName], item[sortName])
}

func (g *generator) transactGet() body {
	var actions []body
	for range 1 + g.IntN(4) {
		t := pick(g, g.tables)
		b := body{"TableName": t.name, "Key": raw(g.key(t))}
		g.projected(t, b)
		actions = append(actions, body{"Get": b})
	}
	return body{"TransactItems": actions}
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
