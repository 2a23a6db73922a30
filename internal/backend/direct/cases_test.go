package direct_test

import (
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// agreeing are requests of every operation and with every outcome that can be
// brought about one after the other.
func agreeing() []any {
	var all []any
	for _, part := range [][]any{tableCases(), putCases(), getCases(), pageCases(), batchCases(), transactCases(), lastCases()} {
		all = append(all, part...)
	}
	return all
}

var lakeTable = aws.String("lake")

func keyOf(bucket, key string) attributes {
	return attributes{"bucket": number(bucket), "key": texts(key)}
}

func tableCases() []any {
	create := func(name string) *dynamodb.CreateTableInput {
		return &dynamodb.CreateTableInput{
			TableName: &name, BillingMode: types.BillingModePayPerRequest,
			KeySchema: []types.KeySchemaElement{
				{AttributeName: aws.String("bucket"), KeyType: types.KeyTypeHash}, {AttributeName: aws.String("key"), KeyType: types.KeyTypeRange},
			},
			AttributeDefinitions: []types.AttributeDefinition{
				{AttributeName: aws.String("bucket"), AttributeType: types.ScalarAttributeTypeN},
				{AttributeName: aws.String("key"), AttributeType: types.ScalarAttributeTypeS},
			},
		}
	}
	provisioned := create("other")
	provisioned.BillingMode = types.BillingModeProvisioned
	provisioned.ProvisionedThroughput = &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(3), WriteCapacityUnits: aws.Int64(4)}
	indexed, streaming, protected := create("indexed"), create("streaming"), create("protected")
	indexed.LocalSecondaryIndexes = []types.LocalSecondaryIndex{{
		IndexName: aws.String("i"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("bucket"), KeyType: types.KeyTypeHash}},
	}}
	streaming.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true)}
	protected.DeletionProtectionEnabled = aws.Bool(true)
	return []any{
		&dynamodb.ListTablesInput{},
		create("lake"), create("lake"), provisioned, indexed, streaming, protected, create("x"),
		&dynamodb.DescribeTableInput{TableName: lakeTable},
		&dynamodb.DescribeTableInput{TableName: aws.String("other")},
		&dynamodb.DescribeTableInput{TableName: aws.String("none")},
		&dynamodb.ListTablesInput{Limit: aws.Int32(1)},
		&dynamodb.ListTablesInput{ExclusiveStartTableName: lakeTable},
		&dynamodb.ListTablesInput{Limit: aws.Int32(101)},
	}
}

func putCases() []any {
	put := func(item attributes) *dynamodb.PutItemInput {
		return &dynamodb.PutItemInput{TableName: lakeTable, Item: item}
	}
	with := func(name string, v types.AttributeValue) *dynamodb.PutItemInput {
		item := keyOf("1", "bad")
		item[name] = v
		return put(item)
	}
	var cases []any
	for i := range 12 {
		cases = append(cases, put(everyType(fmt.Sprint(i%3), fmt.Sprint("key", i))))
	}
	absent, old, conditional := put(keyOf("0", "key0")), put(everyType("1", "key1")), put(keyOf("2", "key2"))
	absent.ConditionExpression = aws.String("attribute_not_exists(#k)")
	absent.ExpressionAttributeNames = map[string]string{"#k": "key"}
	absent.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	old.ReturnValues = types.ReturnValueAllOld
	old.ReturnConsumedCapacity = types.ReturnConsumedCapacityIndexes
	conditional.ConditionExpression = aws.String("s = :s")
	conditional.ExpressionAttributeValues = attributes{":s": texts("no")}
	legacy, wrong, unused := put(keyOf("0", "a")), put(keyOf("0", "a")), put(keyOf("0", "a"))
	legacy.Expected = map[string]types.ExpectedAttributeValue{"key": {Exists: aws.Bool(false)}}
	wrong.ConditionExpression = aws.String("nonsense(")
	unused.ExpressionAttributeNames = map[string]string{}
	capacity := put(keyOf("0", "a"))
	capacity.ReturnConsumedCapacity = "SOME"
	updated := put(keyOf("0", "a"))
	updated.ReturnValues = types.ReturnValueAllNew
	return append(cases, absent, old, conditional, legacy, wrong, unused, capacity, updated,
		with("n", number("x")), with("n", number("1e200")), with("n", number(strings.Repeat("7", 39))), with("n", number("")),
		with("b", &types.AttributeValueMemberB{}), with("l", &types.AttributeValueMemberL{}), with("m", &types.AttributeValueMemberM{}),
		with("ss", &types.AttributeValueMemberSS{}), with("ns", &types.AttributeValueMemberNS{}), with("bs", &types.AttributeValueMemberBS{}),
		with("b", &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberB{}}}),
		with("l", nested(31)), with("l", nested(32)), with("m", &types.AttributeValueMemberM{Value: attributes{"": texts("a")}}),
		with("ss", &types.AttributeValueMemberSS{Value: []string{}}), with("ss", &types.AttributeValueMemberSS{Value: []string{"a", "a"}}),
		with("ns", &types.AttributeValueMemberNS{Value: []string{"1", "1.0"}}), with("bs", &types.AttributeValueMemberBS{Value: [][]byte{{1}, {1}}}),
		with("big", &types.AttributeValueMemberB{Value: make([]byte, 410_000)}), with("", texts("nameless")),
		put(attributes{"key": texts("half a key")}), put(attributes{}), put(attributes{"bucket": texts("1"), "key": texts("k")}),
		put(keyOf("1", "")), &dynamodb.PutItemInput{TableName: aws.String("none"), Item: keyOf("1", "a")},
		&dynamodb.DeleteItemInput{TableName: lakeTable, Key: keyOf("2", "key11"), ReturnValues: types.ReturnValueAllOld},
		&dynamodb.DeleteItemInput{TableName: lakeTable, Key: keyOf("2", "key11"), ReturnValues: types.ReturnValueAllOld},
		&dynamodb.DeleteItemInput{
			TableName: lakeTable, Key: keyOf("0", "key0"), ConditionExpression: aws.String("s = :s"), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
			ExpressionAttributeValues: attributes{":s": texts("no")}, ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		},
		&dynamodb.DeleteItemInput{TableName: lakeTable, Key: keyOf("0", "key0"), ReturnValuesOnConditionCheckFailure: "SOME"},
	)
}

func getCases() []any {
	return []any{
		&dynamodb.GetItemInput{TableName: lakeTable, Key: keyOf("0", "key0"), ConsistentRead: aws.Bool(true), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal},
		&dynamodb.GetItemInput{TableName: lakeTable, Key: keyOf("0", "none"), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal},
		&dynamodb.GetItemInput{TableName: lakeTable, Key: keyOf("0.0", "key3"), ProjectionExpression: aws.String("m.z, l[0], #s"), ExpressionAttributeNames: map[string]string{"#s": "s"}},
		&dynamodb.GetItemInput{TableName: lakeTable, Key: keyOf("0", "key0"), ProjectionExpression: aws.String("nothing")},
		&dynamodb.GetItemInput{TableName: lakeTable, Key: attributes{"key": texts("a")}},
		&dynamodb.GetItemInput{TableName: lakeTable, Key: keyOf("0", "key0"), AttributesToGet: []string{"s"}},
		&dynamodb.GetItemInput{TableName: aws.String("none"), Key: keyOf("0", "a")},
	}
}

func pageCases() []any {
	query := func(change func(*dynamodb.QueryInput)) *dynamodb.QueryInput {
		in := &dynamodb.QueryInput{
			TableName: lakeTable, KeyConditionExpression: aws.String("bucket = :b"), ExpressionAttributeValues: attributes{":b": number("0")},
		}
		change(in)
		return in
	}
	scan := func(change func(*dynamodb.ScanInput)) *dynamodb.ScanInput {
		in := &dynamodb.ScanInput{TableName: lakeTable}
		change(in)
		return in
	}
	return []any{
		query(func(*dynamodb.QueryInput) {}),
		query(func(q *dynamodb.QueryInput) { q.Limit, q.ScanIndexForward = aws.Int32(2), aws.Bool(false) }),
		query(func(q *dynamodb.QueryInput) {
			q.ExclusiveStartKey, q.ReturnConsumedCapacity = keyOf("0", "key3"), "INDEXES"
		}),
		query(func(q *dynamodb.QueryInput) { q.ExclusiveStartKey = keyOf("1", "key3") }),
		query(func(q *dynamodb.QueryInput) { q.Select = types.SelectCount }),
		query(func(q *dynamodb.QueryInput) { q.ProjectionExpression = aws.String("n") }),
		query(func(q *dynamodb.QueryInput) { q.FilterExpression = aws.String("n > :b") }),
		query(func(q *dynamodb.QueryInput) { q.ExpressionAttributeValues = attributes{":b": number("77")} }),
		query(func(q *dynamodb.QueryInput) { q.KeyConditionExpression = nil }),
		query(func(q *dynamodb.QueryInput) { q.Limit = aws.Int32(0) }),
		query(func(q *dynamodb.QueryInput) { q.IndexName = aws.String("i") }),
		query(func(q *dynamodb.QueryInput) { q.KeyConditions = map[string]types.Condition{} }),
		scan(func(*dynamodb.ScanInput) {}),
		scan(func(s *dynamodb.ScanInput) { s.Limit, s.ConsistentRead = aws.Int32(3), aws.Bool(true) }),
		scan(func(s *dynamodb.ScanInput) { s.Segment, s.TotalSegments = aws.Int32(1), aws.Int32(2) }),
		scan(func(s *dynamodb.ScanInput) { s.Segment = aws.Int32(1) }),
		scan(func(s *dynamodb.ScanInput) {
			s.FilterExpression, s.ExpressionAttributeValues = aws.String("begins_with(#k, :p)"), attributes{":p": texts("key1")}
			s.ExpressionAttributeNames, s.ReturnConsumedCapacity = map[string]string{"#k": "key"}, "TOTAL"
		}),
		scan(func(s *dynamodb.ScanInput) { s.Select = "SOME" }),
		scan(func(s *dynamodb.ScanInput) { s.ScanFilter = map[string]types.Condition{} }),
	}
}

func batchCases() []any {
	write := func(requests ...types.WriteRequest) *dynamodb.BatchWriteItemInput {
		return &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{"lake": requests}, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		}
	}
	put := func(bucket, key string) types.WriteRequest {
		return types.WriteRequest{PutRequest: &types.PutRequest{Item: everyType(bucket, key)}}
	}
	get := func(keys ...attributes) *dynamodb.BatchGetItemInput {
		return &dynamodb.BatchGetItemInput{
			RequestItems:           map[string]types.KeysAndAttributes{"lake": {Keys: append([]attributes{}, keys...), ConsistentRead: aws.Bool(true)}},
			ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		}
	}
	return []any{
		write(put("5", "a"), put("5", "b"), types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: keyOf("5", "none")}}),
		write(put("5", "a"), put("5", "a")), write(types.WriteRequest{}), write(), write(put("5", "")),
		write(types.WriteRequest{PutRequest: &types.PutRequest{Item: attributes{"key": texts("a")}}}),
		get(keyOf("5", "a"), keyOf("5", "none"), keyOf("5", "b")), get(keyOf("5", "a"), keyOf("5", "a")), get(),
		get(attributes{"key": texts("a")}),
		&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"none": {Keys: []attributes{keyOf("1", "a")}}}},
		&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{}},
		&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"lake": {
			Keys: []attributes{keyOf("5", "a")}, ProjectionExpression: aws.String("#n"), ExpressionAttributeNames: map[string]string{"#n": "n"},
		}}},
	}
}

func transactCases() []any {
	write := func(token string, actions ...types.TransactWriteItem) *dynamodb.TransactWriteItemsInput {
		in := &dynamodb.TransactWriteItemsInput{TransactItems: append([]types.TransactWriteItem{}, actions...), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}
		if token != "" {
			in.ClientRequestToken = &token
		}
		return in
	}
	put := func(key string) types.TransactWriteItem {
		return types.TransactWriteItem{Put: &types.Put{
			TableName: lakeTable, Item: everyType("7", key), ConditionExpression: aws.String("attribute_not_exists(#k)"),
			ExpressionAttributeNames:            map[string]string{"#k": "key"},
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}}
	}
	check := types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: lakeTable, Key: keyOf("0", "key0"), ConditionExpression: aws.String("n = :n"), ExpressionAttributeValues: attributes{":n": number("150")},
	}}
	remove := types.TransactWriteItem{Delete: &types.Delete{TableName: lakeTable, Key: keyOf("5", "b")}}
	update := types.TransactWriteItem{Update: &types.Update{
		TableName: lakeTable, Key: keyOf("5", "b"), UpdateExpression: aws.String("SET n = :n"), ExpressionAttributeValues: attributes{":n": number("1")},
	}}
	both := types.TransactWriteItem{Put: put("z").Put, Delete: remove.Delete}
	mistyped := types.TransactWriteItem{Put: &types.Put{TableName: lakeTable, Item: attributes{"key": texts("a")}}}
	get := func(keys ...string) *dynamodb.TransactGetItemsInput {
		in := &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{}, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}
		for _, k := range keys {
			in.TransactItems = append(in.TransactItems, types.TransactGetItem{Get: &types.Get{TableName: lakeTable, Key: keyOf("7", k)}})
		}
		return in
	}
	return []any{
		write("", put("a"), check, remove), write("", put("fresh")),
		write("one", put("b")), write("one", put("b")), write("one", put("c")),
		write("", put("a"), check), write("", check, put("b"), put("new")), write(""), write("", update), write("", both),
		write("", types.TransactWriteItem{}), write("", mistyped, put("d")), write("", put("e"), put("e")),
		write(strings.Repeat("t", 37), put("f")),
		get("a", "none", "b"), get("a", "a"), get(), get(""),
	}
}

// lackingCases lack what a request needs. The SDK sends none of them.
func lackingCases() []any {
	return []any{
		&dynamodb.GetItemInput{}, &dynamodb.PutItemInput{TableName: lakeTable}, &dynamodb.DeleteItemInput{Key: keyOf("1", "a")},
		&dynamodb.QueryInput{}, &dynamodb.ScanInput{}, &dynamodb.BatchGetItemInput{}, &dynamodb.BatchWriteItemInput{},
		&dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"lake": {}}},
		&dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"lake": {{PutRequest: &types.PutRequest{}}}}},
		&dynamodb.TransactGetItemsInput{}, &dynamodb.TransactWriteItemsInput{},
		&dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{{}}},
		&dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Put: &types.Put{}}}},
		(*dynamodb.GetItemInput)(nil), (*dynamodb.TransactWriteItemsInput)(nil),
	}
}

func lastCases() []any {
	return []any{
		&dynamodb.DescribeTableInput{TableName: lakeTable},
		&dynamodb.DeleteTableInput{TableName: lakeTable}, &dynamodb.DeleteTableInput{TableName: lakeTable},
		&dynamodb.GetItemInput{TableName: lakeTable, Key: keyOf("0", "key0")},
		&dynamodb.ListTablesInput{},
	}
}
