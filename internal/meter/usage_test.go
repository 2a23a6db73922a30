package meter

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"github.com/lakebench/lakebench/internal/counts"
)

// Sizes of docs/facts/dynamodb.md §3.1: names count, a number of n digits is
// 1 + ceil(n/2) bytes, lists and maps 3 and 1 for each element.
func TestItemSize(t *testing.T) {
	number := func(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }
	list := func(vs ...types.AttributeValue) types.AttributeValue { return &types.AttributeValueMemberL{Value: vs} }
	for name, c := range map[string]struct {
		value types.AttributeValue
		want  int64 // beside the name
	}{
		"string":       {str("häuser"), 7},
		"empty string": {str(""), 0},
		"binary":       {&types.AttributeValueMemberB{Value: make([]byte, 300)}, 300},
		"number":       {number("1234"), 3},
		"fraction":     {number("1.5"), 3},
		"negative":     {number("-5"), 3},
		"no number":    {number("five"), 0},
		"bool":         {&types.AttributeValueMemberBOOL{Value: true}, 1},
		"null":         {&types.AttributeValueMemberNULL{Value: true}, 1},
		"string set":   {&types.AttributeValueMemberSS{Value: []string{"ab", "cd"}}, 4},
		"number set":   {&types.AttributeValueMemberNS{Value: []string{"5", "123"}}, 5},
		"binary set":   {&types.AttributeValueMemberBS{Value: [][]byte{{1, 2}, {3}}}, 3},
		"empty list":   {list(), 3},
		"list of 1":    {list(str("ab")), 6},
		"list of 2":    {list(str("ab"), str("cd")), 9},
		"empty map":    {&types.AttributeValueMemberM{}, 3},
		"map":          {&types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"k": str("ab")}}, 7},
		"unknown":      {&types.UnknownUnionMember{}, 0},
		"nothing":      {nil, 0},
	} {
		item := map[string]types.AttributeValue{"name": c.value}
		if got := itemSize(item); got != 4+c.want {
			t.Errorf("%s: got %d, want %d", name, got, 4+c.want)
		}
	}
}

const capacity = `"ConsumedCapacity":{"TableName":"t","CapacityUnits":2.5}`

// What a service on an endpoint reports, by operation. The items of the answers
// are {pk: "k"}: 3 bytes.
func TestReportedUsage(t *testing.T) {
	const one = `{"pk":{"S":"k"}}`
	condition, table := aws.String("pk = :k"), aws.String("t")
	for name, c := range map[string]struct {
		call   func(context.Context, *dynamodb.Client) (any, error) // returns its input
		answer string
		want   counts.Usage
	}{
		"GetItem": {func(ctx context.Context, c *dynamodb.Client) (any, error) {
			in := &dynamodb.GetItemInput{TableName: table, Key: item("k")}
			_, err := c.GetItem(ctx, in)
			return in, err
		}, `{"Item":` + one + `,` + capacity + `}`, counts.Usage{Work: counts.Work{Evaluated: 1, Returned: 1, BytesReceived: 3}, Units: counts.Units{RRU: 2.5}}},
		"GetItem absent": {func(ctx context.Context, c *dynamodb.Client) (any, error) {
			in := &dynamodb.GetItemInput{TableName: table, Key: item("k")}
			_, err := c.GetItem(ctx, in)
			return in, err
		}, `{` + capacity + `}`, counts.Usage{Units: counts.Units{RRU: 2.5}}},
		"Query": {func(ctx context.Context, c *dynamodb.Client) (any, error) {
			in := &dynamodb.QueryInput{TableName: table, KeyConditionExpression: condition}
			_, err := c.Query(ctx, in)
			return in, err
		}, `{"Items":[` + one + `,` + one + `],"Count":2,"ScannedCount":7,` + capacity + `}`,
			counts.Usage{Work: counts.Work{Evaluated: 7, Returned: 2, BytesReceived: 6}, Units: counts.Units{RRU: 2.5}}},
		"Query count": {func(ctx context.Context, c *dynamodb.Client) (any, error) {
			in := &dynamodb.QueryInput{TableName: table, KeyConditionExpression: condition, Select: types.SelectCount}
			_, err := c.Query(ctx, in)
			return in, err
		}, `{"Count":2,"ScannedCount":7,` + capacity + `}`, counts.Usage{Work: counts.Work{Evaluated: 7, Returned: 2}, Units: counts.Units{RRU: 2.5}}},
		"Scan": {func(ctx context.Context, c *dynamodb.Client) (any, error) {
			in := &dynamodb.ScanInput{TableName: table}
			_, err := c.Scan(ctx, in)
			return in, err
		}, `{"Items":[` + one + `],"Count":1,"ScannedCount":257,` + capacity + `}`,
			counts.Usage{Work: counts.Work{Evaluated: 257, Returned: 1, BytesReceived: 3}, Units: counts.Units{RRU: 2.5}}},
		"BatchGetItem": {func(ctx context.Context, c *dynamodb.Client) (any, error) {
			in := &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"t": {Keys: []map[string]types.AttributeValue{item("k"), item("l"), item("m")}}}}
			_, err := c.BatchGetItem(ctx, in)
			return in, err
		}, `{"Responses":{"t":[` + one + `],"u":[` + one + `]},"ConsumedCapacity":[{"CapacityUnits":3},{"CapacityUnits":1.5}]}`,
			counts.Usage{Work: counts.Work{Evaluated: 2, Returned: 2, BytesReceived: 6}, Units: counts.Units{RRU: 4.5}}},
		"TransactGetItems": {func(ctx context.Context, c *dynamodb.Client) (any, error) {
			in := &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: table, Key: item("k")}}}}
			_, err := c.TransactGetItems(ctx, in)
			return in, err
		}, `{"Responses":[{"Item":` + one + `},{}],"ConsumedCapacity":[{"CapacityUnits":4,"ReadCapacityUnits":4}]}`,
			counts.Usage{Work: counts.Work{Evaluated: 1, Returned: 1, BytesReceived: 3}, Units: counts.Units{RRU: 4}}},
		"PutItem": {func(ctx context.Context, c *dynamodb.Client) (any, error) {
			in := &dynamodb.PutItemInput{TableName: table, Item: item("key")}
			_, err := c.PutItem(ctx, in)
			return in, err
		}, `{` + capacity + `}`, counts.Usage{Work: counts.Work{BytesSent: 5}, Units: counts.Units{WRU: 2.5}}},
		"PutItem old": {func(ctx context.Context, c *dynamodb.Client) (any, error) {
			in := &dynamodb.PutItemInput{TableName: table, Item: item("key"), ReturnValues: types.ReturnValueAllOld}
			_, err := c.PutItem(ctx, in)
			return in, err
		}, `{"Attributes":` + one + `,` + capacity + `}`, counts.Usage{Work: counts.Work{Returned: 1, BytesSent: 5, BytesReceived: 3}, Units: counts.Units{WRU: 2.5}}},
		"UpdateItem": {func(ctx context.Context, c *dynamodb.Client) (any, error) {
			in := &dynamodb.UpdateItemInput{TableName: table, Key: item("k")}
			_, err := c.UpdateItem(ctx, in)
			return in, err
		}, `{` + capacity + `}`, counts.Usage{Units: counts.Units{WRU: 2.5}}},
		"DeleteItem": {func(ctx context.Context, c *dynamodb.Client) (any, error) {
			in := &dynamodb.DeleteItemInput{TableName: table, Key: item("k")}
			_, err := c.DeleteItem(ctx, in)
			return in, err
		}, `{` + capacity + `}`, counts.Usage{Units: counts.Units{WRU: 2.5}}},
		"BatchWriteItem": {func(ctx context.Context, c *dynamodb.Client) (any, error) {
			in := &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"t": {
				{PutRequest: &types.PutRequest{Item: item("key")}}, {PutRequest: &types.PutRequest{Item: item("k")}},
				{DeleteRequest: &types.DeleteRequest{Key: item("l")}},
			}}}
			_, err := c.BatchWriteItem(ctx, in)
			return in, err
		}, `{"ConsumedCapacity":[{"CapacityUnits":3}]}`, counts.Usage{Work: counts.Work{BytesSent: 8}, Units: counts.Units{WRU: 3}}},
		"TransactWriteItems": {transactWrite, `{"ConsumedCapacity":[{"CapacityUnits":2,"WriteCapacityUnits":2},{"WriteCapacityUnits":2}]}`,
			counts.Usage{Work: counts.Work{BytesSent: 5}, Units: counts.Units{WRU: 4}}},
		// Row 24 of docs/facts/dynamodb.md §3.2: a replay costs read units.
		"TransactWriteItems replay": {transactWrite, `{"ConsumedCapacity":[{"CapacityUnits":2,"ReadCapacityUnits":2}]}`,
			counts.Usage{Work: counts.Work{BytesSent: 5}, Units: counts.Units{RRU: 2}}},
		"no capacity": {func(ctx context.Context, c *dynamodb.Client) (any, error) {
			in := &dynamodb.GetItemInput{TableName: table, Key: item("k")}
			_, err := c.GetItem(ctx, in)
			return in, err
		}, `{}`, counts.Usage{Units: counts.Units{Unreported: 1}}},
	} {
		m := newMeter(t, reportCapacity)
		client, s := newClient(m, fakeAnswer{status: 200, body: c.answer})
		in, err := c.call(t.Context(), client)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		l := m.Ledger(PhaseSetup)
		if diff := cmp.Diff(c.want, l.Total().Usage); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if l.Source != counts.Reported {
			t.Errorf("%s: source %s", name, l.Source)
		}
		if !strings.Contains(s.bodies[0], `"ReturnConsumedCapacity":"TOTAL"`) {
			t.Errorf("%s: capacity was not asked for: %s", name, s.bodies[0])
		}
		if asked := reflect.ValueOf(in).Elem().FieldByName("ReturnConsumedCapacity").String(); asked != "" {
			t.Errorf("%s: the caller's input was changed to %q", name, asked)
		}
	}
}

func transactWrite(ctx context.Context, c *dynamodb.Client) (any, error) {
	table := aws.String("t")
	in := &dynamodb.TransactWriteItemsInput{ClientRequestToken: aws.String("x"), TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{TableName: table, Item: item("key")}},
		{Delete: &types.Delete{TableName: table, Key: item("k")}},
		{ConditionCheck: &types.ConditionCheck{TableName: table, Key: item("l"), ConditionExpression: aws.String("attribute_exists(pk)")}},
	}}
	_, err := c.TransactWriteItems(ctx, in)
	return in, err
}

// What the caller asked for itself stays; an embedded service is asked nothing.
func TestCapacityIsAskedForOnlyWhereItIsMissing(t *testing.T) {
	for _, c := range []struct {
		report bool
		asked  types.ReturnConsumedCapacity
		want   string
	}{
		{true, types.ReturnConsumedCapacityIndexes, `"INDEXES"`},
		{true, types.ReturnConsumedCapacityNone, `"TOTAL"`},
		{false, types.ReturnConsumedCapacityNone, `"NONE"`},
		{false, "", ""},
	} {
		m := newMeter(t, func(cfg *Config) { cfg.ReportCapacity = c.report })
		client, s := newClient(m, answerEmpty)
		in := &dynamodb.GetItemInput{TableName: aws.String("t"), Key: item("k"), ReturnConsumedCapacity: c.asked}
		if _, err := client.GetItem(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		_, asked, _ := strings.Cut(s.bodies[0], `"ReturnConsumedCapacity":`)
		if !strings.HasPrefix(asked, c.want) || c.want == "" && asked != "" {
			t.Errorf("%+v: sent %s", c, s.bodies[0])
		}
		if in.ReturnConsumedCapacity != c.asked {
			t.Errorf("%+v: the caller's input says %q", c, in.ReturnConsumedCapacity)
		}
	}
}

// Which failures may have cost something that nobody says (docs/facts/dynamodb.md
// §3.2, rows 15 to 17 and 23; a throttled or malformed request costs nothing).
func TestUnreported(t *testing.T) {
	for name, c := range map[string]struct {
		answer fakeAnswer
		want   int64
	}{
		"condition":  {refusal("ConditionalCheckFailedException"), 1},
		"conflict":   {refusal("TransactionConflictException"), 1},
		"cancelled":  {canceled("ConditionalCheckFailed"), 1},
		"internal":   {answerFault, 1},
		"lost":       {fakeAnswer{after: io.ErrUnexpectedEOF}, 1},
		"timeout":    {fakeAnswer{after: timeoutError{errors.New("slow")}}, 1},
		"cut short":  {fakeAnswer{status: 200, body: "{"}, 1},
		"throttled":  {refusal("ThrottlingException"), 0},
		"validation": {refusal("ValidationException"), 0},
	} {
		m := newMeter(t, reportCapacity)
		s := &fakeService{answers: []fakeAnswer{c.answer}}
		o := options(m, s)
		o.RetryMaxAttempts = 1
		if err := put(t.Context(), dynamodb.New(o)); err == nil {
			t.Errorf("%s: no error", name)
		}
		if got, want := m.Ledger(PhaseSetup).Total().Usage, (counts.Usage{Work: counts.Work{BytesSent: 3}, Units: counts.Units{Unreported: c.want}}); got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
		if err := m.Reconcile(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Operations on tables have no units to report.
	m := newMeter(t, reportCapacity)
	client, _ := newClient(m, answerEmpty)
	if _, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{}); err != nil {
		t.Fatal(err)
	}
	if got := m.Ledger(PhaseSetup).Total().Usage; got != (counts.Usage{}) {
		t.Errorf("ListTables: %+v", got)
	}
}

// On the embedded service its own word counts, and nothing else.
func TestComputedUsage(t *testing.T) {
	m := newMeter(t)
	c, s := newClient(m, fakeAnswer{status: 200, body: `{"Item":{"pk":{"S":"k"}},` + capacity + `}`})
	s.usage = counts.Usage{Work: counts.Work{Evaluated: 1, Returned: 1, BytesReceived: 1024, BytesSent: 1}, Units: counts.Units{RRU: 0.5, S3ClassA: 1, S3ClassB: 1, WRU: 1}}
	for range 3 {
		if err := get(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	want := counts.Usage{Work: counts.Work{Evaluated: 3, Returned: 3, BytesReceived: 3072, BytesSent: 3}, Units: counts.Units{RRU: 1.5, S3ClassA: 3, S3ClassB: 3, WRU: 3}}
	if got := m.Ledger(PhaseSetup); got.Total().Usage != want || got.Source != counts.Computed {
		t.Errorf("got %+v, %s", got.Total().Usage, got.Source)
	}
}

// On an endpoint that happens to be our own service too, nothing counts twice.
func TestReportedUsageIgnoresServed(t *testing.T) {
	m := newMeter(t, reportCapacity)
	c, s := newClient(m, fakeAnswer{status: 200, body: `{` + capacity + `}`})
	s.usage = counts.Usage{Units: counts.Units{RRU: 100}}
	if err := get(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if got := m.Ledger(PhaseSetup).Total().RRU; got != 2.5 {
		t.Errorf("%v RRU", got)
	}
}

// AWS S3 pricing: PUT, COPY, POST, LIST are one class, GET, SELECT and all others
// the other; DELETE and CANCEL are free. 404 and 412 are billed (docs/facts/s3.md
// §3.1), errors of the service are not, and what got no answer nobody knows.
func TestS3Classes(t *testing.T) {
	a, b, free := counts.Usage{Units: counts.Units{S3ClassA: 1}}, counts.Usage{Units: counts.Units{S3ClassB: 1}}, counts.Usage{}
	for api, want := range map[string]counts.Usage{
		"PutObject": a, "CopyObject": a, "ListObjectsV2": a, "ListBuckets": a, "CreateMultipartUpload": a,
		"UploadPart": a, "UploadPartCopy": a, "CompleteMultipartUpload": a, "CreateBucket": a,
		"GetObject": b, "HeadObject": b, "HeadBucket": b, "SelectObjectContent": b,
		"DeleteObject": free, "DeleteObjects": free, "DeleteBucket": free, "AbortMultipartUpload": free,
	} {
		if got := (s3{}).usage(api, nil, nil, nil, OK); got != want {
			t.Errorf("%s: got %+v", api, got)
		}
		if got := (s3{}).usage(api, nil, nil, s3Error(412, "PreconditionFailed"), ConditionFailed); got != want {
			t.Errorf("%s refused: got %+v", api, got)
		}
		if got := (s3{}).usage(api, nil, nil, s3Error(503, "SlowDown"), Throttled); got != free {
			t.Errorf("%s throttled: got %+v", api, got)
		}
		if got := (s3{}).usage(api, nil, nil, io.ErrUnexpectedEOF, Other); got != (counts.Usage{Units: counts.Units{Unreported: 1}}) {
			t.Errorf("%s lost: got %+v", api, got)
		}
	}
}
