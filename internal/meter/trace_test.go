package meter

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/cause"
	"github.com/lakebench/lakebench/internal/counts"
)

func traced(records *[]TraceRecord) func(*Config) {
	return func(c *Config) { c.Trace = func(r TraceRecord) { *records = append(*records, r) } }
}

func TestTrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []TraceRecord
		m := newMeter(t, traced(&got))
		c, s := newClient(m, answerFault, answerItem, refusal("ConditionalCheckFailedException"))
		s.usage = counts.Usage{Work: counts.Work{Evaluated: 3, Returned: 4, BytesSent: 5, BytesReceived: 6}, Units: counts.Units{RRU: 0.5, WRU: 2}}
		inner := s.served
		s.served = func(ctx context.Context, served Served) {
			time.Sleep(5 * time.Millisecond)
			inner(ctx, served)
		}
		ctx := cause.WithActor(InPhase(t.Context(), PhaseSteady), "writer-1")
		time.Sleep(time.Second) // before the first attempt: not part of any offset
		if err := get(cause.With(ctx, cause.Point), c); err != nil {
			t.Fatal(err)
		}
		// Not sent, so not traced; but a call of its own.
		if _, err := c.GetItem(ctx, &dynamodb.GetItemInput{}); err == nil {
			t.Fatal("no error")
		}
		time.Sleep(time.Millisecond)
		if err := put(cause.With(ctx, cause.Mutate), c); err == nil {
			t.Fatal("no error")
		}
		record := func(seq int64, at time.Duration, api string, label cause.Label, call int64, attempt int, outcome string) TraceRecord {
			return TraceRecord{
				Seq: seq, At: at, Took: 5 * time.Millisecond, Actor: "writer-1", Phase: PhaseSteady, Cause: label,
				Service: "dynamodb", API: api, Call: call, Attempt: attempt, Outcome: outcome,
				Targets: []Target{{Table: "t", Key: "pk=k"}},
				Work:    counts.Work{Evaluated: 3, Returned: 4, BytesSent: 5, BytesReceived: 6}, Units: counts.Units{RRU: 0.5, WRU: 2},
			}
		}
		want := []TraceRecord{
			record(1, 0, "GetItem", cause.Point, 1, 1, "server-error"),
			record(2, 5*time.Millisecond, "GetItem", cause.Point, 1, 2, "ok"),
			record(3, 11*time.Millisecond, "PutItem", cause.Mutate, 3, 1, "condition-failed"),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		line, err := json.Marshal(got[2])
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"seq":3,"at_ns":11000000,"took_ns":5000000,"actor":"writer-1","phase":"steady","cause":"mutate",` +
			`"service":"dynamodb","api":"PutItem","call":3,"attempt":1,"outcome":"condition-failed",` +
			`"targets":[{"table":"t","key":"pk=k"}],"evaluated":3,"returned":4,"bytes_sent":5,"bytes_received":6,` +
			`"rru":0.5,"wru":2,"s3_class_a":0,"s3_class_b":0,"unreported":0}`; string(line) != want {
			t.Errorf("got  %s\nwant %s", line, want)
		}
	})
}

// On an endpoint a trace has what the answer reports.
func TestTraceOfReportedUsage(t *testing.T) {
	var got []TraceRecord
	m := newMeter(t, reportCapacity, traced(&got))
	c, s := newClient(m, fakeAnswer{status: 200, body: `{"Item":{"pk":{"S":"k"}},` + capacity + `}`})
	s.served = nil
	if err := get(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].RRU != 2.5 || got[0].Returned != 1 || got[0].BytesReceived != 3 {
		t.Errorf("got %+v", got)
	}
}

func TestTargets(t *testing.T) {
	both := func(bucket, pk string) map[string]types.AttributeValue {
		return map[string]types.AttributeValue{"bucket": str(bucket), "pk": str(pk)}
	}
	withValue := func(key map[string]types.AttributeValue) map[string]types.AttributeValue {
		key["value"] = &types.AttributeValueMemberB{Value: []byte("secret")}
		return key
	}
	a, b := aws.String("a"), aws.String("b")
	for name, c := range map[string]struct {
		input any
		want  string // action table key, separated by | and ;
	}{
		"get":    {&dynamodb.GetItemInput{TableName: a, Key: both("t#03", "t/x")}, "|a|bucket=t#03 pk=t/x"},
		"put":    {&dynamodb.PutItemInput{TableName: a, Item: withValue(both("t#03", "t/x"))}, "|a|bucket=t#03 pk=t/x"},
		"put v1": {&dynamodb.PutItemInput{TableName: a, Item: withValue(item("t/x"))}, "|a|pk=t/x"},
		"update": {&dynamodb.UpdateItemInput{TableName: a, Key: item("k")}, "|a|pk=k"},
		"delete": {&dynamodb.DeleteItemInput{TableName: a, Key: map[string]types.AttributeValue{
			"n": &types.AttributeValueMemberN{Value: "17"}, "b": &types.AttributeValueMemberB{Value: []byte{0, 255}},
		}}, "|a|b=0x00ff n=17"},
		"query": {&dynamodb.QueryInput{
			TableName: a, KeyConditionExpression: aws.String("#b = :b AND begins_with(pk, :bb) AND x = :missing"),
			ExpressionAttributeNames:  map[string]string{"#b": "bucket"},
			ExpressionAttributeValues: map[string]types.AttributeValue{":b": str("t#03"), ":bb": str("t/$1")},
		}, "|a|bucket = t#03 AND begins_with(pk, t/$1) AND x = :missing"},
		"scan": {&dynamodb.ScanInput{
			TableName: a, FilterExpression: aws.String("begins_with(pk, :p)"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":p": str("t/")},
		}, "|a|begins_with(pk, t/)"},
		"scan all": {&dynamodb.ScanInput{TableName: a}, "|a|"},
		"batch get": {&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
			"b": {Keys: []map[string]types.AttributeValue{item("3")}}, "a": {Keys: []map[string]types.AttributeValue{item("2"), item("1")}},
		}}, "|a|pk=2;|a|pk=1;|b|pk=3"},
		"batch write": {&dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
			"b": {{DeleteRequest: &types.DeleteRequest{Key: item("3")}}}, "a": {{PutRequest: &types.PutRequest{Item: withValue(item("2"))}}},
		}}, "put|a|pk=2;delete|b|pk=3"},
		"transact get": {&dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: a, Key: item("1")}}, {}}}, "|a|pk=1"},
		"transact write": {&dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{ConditionCheck: &types.ConditionCheck{TableName: b, Key: both("control", "barrier")}},
			{Put: &types.Put{TableName: a, Item: withValue(item("1"))}},
			{Update: &types.Update{TableName: a, Key: item("2")}},
			{Delete: &types.Delete{TableName: b, Key: item("3")}},
		}}, "check|b|bucket=control pk=barrier;put|a|pk=1;update|a|pk=2;delete|b|pk=3"},
		"create":   {&dynamodb.CreateTableInput{TableName: a}, "|a|"},
		"describe": {&dynamodb.DescribeTableInput{TableName: a}, "|a|"},
		"remove":   {&dynamodb.DeleteTableInput{TableName: a}, "|a|"},
		"list":     {&dynamodb.ListTablesInput{}, ""},
		"no table": {&dynamodb.GetItemInput{}, "||"},
	} {
		var parts []string
		for _, x := range (dynamoDB{}).targets(c.input, DefaultConfig().KeyAttributes) {
			parts = append(parts, x.Action+"|"+x.Table+"|"+x.Key)
		}
		if got := strings.Join(parts, ";"); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}
