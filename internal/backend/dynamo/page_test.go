package dynamo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
)

// The rules of pages: docs/facts/dynamodb.md §3.3.

// text is a string attribute of an item.
func text(it item, name string) string {
	v, _ := it[name].(*types.AttributeValueMemberS)
	if v == nil {
		return ""
	}
	return v.Value
}

func texts(items []item, name string) []string {
	var all []string
	for _, it := range items {
		all = append(all, text(it, name))
	}
	return all
}

// drainScan scans a table or a segment of it to the end and returns the keys in
// order, and the number of requests.
func (a *account) drainScan(t *testing.T, in dynamodb.ScanInput) (keys []string, requests int) {
	t.Helper()
	for {
		out, err := a.Scan(t.Context(), &in)
		if err != nil {
			t.Fatal(err)
		}
		requests++
		keys = append(keys, texts(out.Items, "k")...)
		if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
			return keys, requests
		}
	}
}

// fillLarge puts n items of exactly 100 KiB, 11 of which cross 1 MiB.
func (w *world) fillLarge(n int) {
	w.t.Helper()
	for i := range n {
		w.stored(fmt.Sprint("key-", 10+i), 102_400)
	}
}

// The item that crosses 1 MB is part of the page, and only counts before the
// filter matter.
func TestPageIncludesCrossingItem(t *testing.T) {
	for _, filter := range []*string{nil, aws.String("attribute_exists(nothing)")} {
		w := newWorld(t, nil)
		w.fillLarge(12)
		out, err := w.Scan(w.ctx, &dynamodb.ScanInput{TableName: aws.String("hash"), FilterExpression: filter})
		if err != nil {
			t.Fatal(err)
		}
		if out.ScannedCount != 11 || out.LastEvaluatedKey == nil {
			t.Errorf("page of %d items, last key %v; want 11 and a key", out.ScannedCount, out.LastEvaluatedKey)
		}
		// 1,126,400 bytes are 275 blocks: a full eventual page costs more than 128.
		w.mustCost(137.5, 0, nil)
	}
}

// A full eventual page of small items costs 128.5 units, as on AWS (Pachot 2020:
// 1,042 B items).
func TestFullPageCosts128AndAHalf(t *testing.T) {
	a := newAccount(t, nil)
	a.createTable(t, "tbl", "k", "S")
	a.fill(t, "tbl", 1100, 1042, false)
	out, err := a.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("tbl")})
	if err != nil {
		t.Fatal(err)
	}
	if out.ScannedCount != 1007 || a.last().RRU != 128.5 {
		t.Errorf("page of %d items for %v units, want 1007 for 128.5", out.ScannedCount, a.last().RRU)
	}
}

// A full page has a key if anything follows; if nothing does, by a switch. 8 items
// of 128 KiB are exactly 1 MiB, 11 of 100 KiB more.
func TestFullPage(t *testing.T) {
	for _, c := range []struct {
		items, size int
		lastKey     bool // the switch
		wantPage    int32
		wantKey     bool
	}{
		{items: 9, size: 128 << 10, lastKey: false, wantPage: 8, wantKey: true},
		{items: 9, size: 128 << 10, lastKey: true, wantPage: 8, wantKey: true},
		{items: 8, size: 128 << 10, lastKey: false, wantPage: 8, wantKey: false},
		{items: 8, size: 128 << 10, lastKey: true, wantPage: 8, wantKey: true},
		{items: 11, size: 100 << 10, lastKey: false, wantPage: 11, wantKey: false},
		{items: 11, size: 100 << 10, lastKey: true, wantPage: 11, wantKey: true},
		{items: 10, size: 100 << 10, lastKey: true, wantPage: 10, wantKey: false},
	} {
		w := newWorld(t, func(cfg *dynamo.Config) { cfg.LastKeyOnFullFinalPage = c.lastKey })
		for i := range c.items {
			w.stored(fmt.Sprint("key-", i), c.size)
		}
		out, err := w.Scan(w.ctx, &dynamodb.ScanInput{TableName: aws.String("hash")})
		if err != nil {
			t.Fatal(err)
		}
		if out.ScannedCount != c.wantPage || (out.LastEvaluatedKey != nil) != c.wantKey {
			t.Errorf("%d items of %d, LastKeyOnFullFinalPage %v: page of %d, last key %v", c.items, c.size, c.lastKey, out.ScannedCount, out.LastEvaluatedKey)
		}
	}
}

// Limit equal to what is left: a key, and then an empty page. Limit larger: none.
func TestLimitAtTheEnd(t *testing.T) {
	a := newAccount(t, nil)
	a.createTable(t, "tbl", "k", "S", "r", "S")
	a.fill(t, "tbl", 10, 300, true)
	query := func(limit int32, start item) *dynamodb.QueryOutput {
		out, err := a.Query(t.Context(), &dynamodb.QueryInput{
			TableName: aws.String("tbl"), Limit: &limit, ExclusiveStartKey: start,
			KeyConditionExpression:    aws.String("k = :k AND begins_with(r, :p)"),
			ExpressionAttributeValues: item{":k": s("part"), ":p": s("00")},
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	exact := query(10, nil)
	if exact.Count != 10 || exact.LastEvaluatedKey == nil {
		t.Fatalf("Limit 10 of 10: %d items, last key %v; want 10 and a key", exact.Count, exact.LastEvaluatedKey)
	}
	if rest := query(10, exact.LastEvaluatedKey); rest.Count != 0 || rest.LastEvaluatedKey != nil {
		t.Errorf("behind the last item: %d items, last key %v; want none", rest.Count, rest.LastEvaluatedKey)
	}
	if larger := query(11, nil); larger.Count != 10 || larger.LastEvaluatedKey != nil {
		t.Errorf("Limit 11 of 10: %d items, last key %v; want 10 and none", larger.Count, larger.LastEvaluatedKey)
	}
}

func TestLimitZeroIsRefused(t *testing.T) {
	w := newWorld(t, nil)
	_, err := w.Scan(w.ctx, &dynamodb.ScanInput{TableName: aws.String("hash"), Limit: aws.Int32(0)})
	if code(err) != "ValidationException" {
		t.Errorf("Limit 0: %v", err)
	}
}

// Whatever the limit and the direction, pages put end to end are the whole.
func TestPagesAddUp(t *testing.T) {
	a := newAccount(t, nil)
	a.createTable(t, "tbl", "k", "S", "r", "S")
	a.fill(t, "tbl", 23, 300, true)
	var want []string
	for i := range 23 {
		want = append(want, fmt.Sprintf("%07d", i))
	}
	for _, forward := range []bool{true, false} {
		for limit := int32(1); limit <= 25; limit++ {
			in := &dynamodb.QueryInput{
				TableName: aws.String("tbl"), Limit: &limit, ScanIndexForward: &forward,
				KeyConditionExpression:    aws.String("k = :k"),
				ExpressionAttributeValues: item{":k": s("part")},
			}
			var got []string
			for {
				out, err := a.Query(t.Context(), in)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, texts(out.Items, "r")...)
				if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("forward %v, limit %d: %v", forward, limit, got)
			}
		}
		slices.Reverse(want)
	}
}

// The start key need not exist any more.
func TestResumeBehindDeletedItem(t *testing.T) {
	w := newWorld(t, nil)
	for i := range 20 {
		w.stored(fmt.Sprint("key-", i), 100)
	}
	whole, _ := w.drainScan(t, dynamodb.ScanInput{TableName: aws.String("hash")})
	first, err := w.Scan(w.ctx, &dynamodb.ScanInput{TableName: aws.String("hash"), Limit: aws.Int32(7)})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.remove(text(first.LastEvaluatedKey, "k")); err != nil {
		t.Fatal(err)
	}
	rest, _ := w.drainScan(t, dynamodb.ScanInput{TableName: aws.String("hash"), ExclusiveStartKey: first.LastEvaluatedKey})
	if !slices.Equal(rest, whole[7:]) {
		t.Errorf("resumed with %v, want %v", rest, whole[7:])
	}
}

// A start key outside the query's range is refused, never restarted from.
func TestStartKeyOutsideQuery(t *testing.T) {
	for name, start := range map[string]item{
		"another partition": {"k": s("other"), "r": s("0000010")},
		"another prefix":    {"k": s("part"), "r": s("0000020")},
		"before the prefix": {"k": s("part"), "r": s("0000009")},
		"no key":            {"k": s("part")},
		"wrong type":        {"k": s("part"), "r": n("1")},
		"more than a key":   {"k": s("part"), "r": s("0000010"), "v": s("x")},
	} {
		w := newWorld(t, nil)
		err := w.query(true, func(in *dynamodb.QueryInput) {
			in.KeyConditionExpression = aws.String("k = :k AND begins_with(r, :p)")
			in.ExpressionAttributeValues[":p"] = s("000001")
			in.ExclusiveStartKey = start
		})
		if code(err) != "ValidationException" {
			t.Errorf("%s: error %v, want a ValidationException", name, err)
		}
	}
}

// Scans come in hash order: not sorted, the same every time, and every segment
// has a part of it.
func TestScanOrder(t *testing.T) {
	w := newWorld(t, nil)
	for i := range 100 {
		w.stored(fmt.Sprintf("key-%03d", i), 100)
	}
	first, _ := w.drainScan(t, dynamodb.ScanInput{TableName: aws.String("hash")})
	again, _ := w.drainScan(t, dynamodb.ScanInput{TableName: aws.String("hash"), Limit: aws.Int32(3)})
	if slices.IsSorted(first) {
		t.Error("scan order is key order")
	}
	if !slices.Equal(first, again) {
		t.Error("scan order depends on the limit")
	}
}

// Parallel segments return every item exactly once, and deleting items moves
// none of the others (floci#3225).
func TestParallelSegments(t *testing.T) {
	w := newWorld(t, nil)
	var keys []string
	for i := range 500 {
		keys = append(keys, fmt.Sprintf("key-%03d", i))
		w.stored(keys[i], 100)
	}
	segmentOf := func(total int32) map[string]int32 {
		found := map[string]int32{}
		for segment := range total {
			in := dynamodb.ScanInput{TableName: aws.String("hash"), Segment: &segment, TotalSegments: &total, Limit: aws.Int32(17)}
			got, _ := w.drainScan(t, in)
			for _, k := range got {
				if at, twice := found[k]; twice {
					t.Errorf("%s is in segments %d and %d of %d", k, at, segment, total)
				}
				found[k] = segment
			}
		}
		return found
	}
	before := map[int32]map[string]int32{}
	for _, total := range []int32{1, 2, 3, 7, 64, 1000} {
		before[total] = segmentOf(total)
		if len(before[total]) != len(keys) {
			t.Errorf("%d segments have %d items, want %d", total, len(before[total]), len(keys))
		}
	}
	for _, k := range keys[:250] {
		if err := w.remove(k); err != nil {
			t.Fatal(err)
		}
	}
	for total, was := range before {
		for k, segment := range segmentOf(total) {
			if was[k] != segment {
				t.Errorf("of %d segments, %s moved from %d to %d", total, k, was[k], segment)
			}
		}
	}
}

func TestStartKeyOfAnotherSegment(t *testing.T) {
	w := newWorld(t, nil)
	for i := range 50 {
		w.stored(fmt.Sprint("key-", i), 100)
	}
	scan := func(segment int32, start item) (*dynamodb.ScanOutput, error) {
		return w.Scan(w.ctx, &dynamodb.ScanInput{
			TableName: aws.String("hash"), Segment: &segment, TotalSegments: aws.Int32(2), Limit: aws.Int32(5), ExclusiveStartKey: start,
		})
	}
	first, err := scan(0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scan(1, first.LastEvaluatedKey); code(err) != "ValidationException" {
		t.Errorf("segment 1 resumed from segment 0's key: %v", err)
	}
}

// Sort keys: numbers by value, binary by unsigned bytes, strings by UTF-8 bytes.
func TestSortKeyOrder(t *testing.T) {
	for kind, keys := range map[string][]types.AttributeValue{
		"N": {n("-1E3"), n("-2.5"), n("-2"), n("0"), n("0.001"), n("3"), n("10"), n("1E20")},
		"B": {b([]byte{0}), b([]byte{0, 0}), b([]byte{1}), b([]byte{0x7f}), b([]byte{0x80}), b([]byte{0xff}), b([]byte{0xff, 0xff})},
		"S": {s("A"), s("a"), s("a/b"), s("aa"), s("z"), s("é"), s("\uffff"), s("\U00010000")},
	} {
		t.Run(kind, func(t *testing.T) {
			a := newAccount(t, nil)
			a.createTable(t, "tbl", "k", "S", "r", kind)
			for i := range keys {
				at := (i*5 + 3) % len(keys) // not in order
				if _, err := a.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("tbl"), Item: item{"k": s("p"), "r": keys[at], "i": n(fmt.Sprint(at))}}); err != nil {
					t.Fatal(err)
				}
			}
			out, err := a.Query(t.Context(), &dynamodb.QueryInput{
				TableName: aws.String("tbl"), KeyConditionExpression: aws.String("k = :k"), ExpressionAttributeValues: item{":k": s("p")},
			})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, it := range out.Items {
				got = append(got, it["i"].(*types.AttributeValueMemberN).Value)
			}
			if want := strings.Fields("0 1 2 3 4 5 6 7")[:len(keys)]; !slices.Equal(got, want) {
				t.Errorf("order %v, want %v", got, want)
			}
		})
	}
}

// Every operator that a sort key condition can have, on the keys 0000000 to
// 0000019 in both directions.
func TestSortKeyConditions(t *testing.T) {
	a := newAccount(t, nil)
	a.createTable(t, "tbl", "k", "S", "r", "S")
	a.fill(t, "tbl", 20, 300, true)
	for condition, want := range map[string][2]int{ // first and last key
		"r = :a":                {5, 5},
		"r < :a":                {0, 4},
		"r <= :a":               {0, 5},
		"r > :a":                {6, 19},
		"r >= :a":               {5, 19},
		"r BETWEEN :a AND :b":   {5, 12},
		"begins_with(r, :ten)":  {10, 19},
		"begins_with(r, :zero)": {0, 19},
		"begins_with(r, :none)": {0, -1},
	} {
		for _, forward := range []bool{true, false} {
			values := item{":k": s("part")}
			for name, v := range map[string]string{":a": "0000005", ":b": "0000012", ":ten": "000001", ":zero": "0", ":none": "1"} {
				if strings.Contains(condition, name) {
					values[name] = s(v)
				}
			}
			out, err := a.Query(t.Context(), &dynamodb.QueryInput{
				TableName: aws.String("tbl"), ScanIndexForward: &forward,
				KeyConditionExpression:    aws.String("k = :k AND " + condition),
				ExpressionAttributeValues: values,
			})
			if err != nil {
				t.Fatal(err)
			}
			got := texts(out.Items, "r")
			if !forward {
				slices.Reverse(got)
			}
			var expected []string
			for i := want[0]; i <= want[1]; i++ {
				expected = append(expected, fmt.Sprintf("%07d", i))
			}
			if !slices.Equal(got, expected) {
				t.Errorf("%s, forward %v: %v, want %v", condition, forward, got, expected)
			}
			if int(out.ScannedCount) != len(expected) {
				t.Errorf("%s: %d evaluated, want %d", condition, out.ScannedCount, len(expected))
			}
		}
	}
}
