package dynamo_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func TestTableLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.stored("a", 100)
		w.stored("b", 250)
		w.stored("b", 200)
		out, err := w.DescribeTable(w.ctx, &dynamodb.DescribeTableInput{TableName: aws.String("hash")})
		if err != nil {
			t.Fatal(err)
		}
		d := out.Table
		if aws.ToInt64(d.ItemCount) != 2 || aws.ToInt64(d.TableSizeBytes) != 300 {
			t.Errorf("%d items of %d bytes, want 2 of 300", aws.ToInt64(d.ItemCount), aws.ToInt64(d.TableSizeBytes))
		}
		if d.TableStatus != types.TableStatusActive || d.BillingModeSummary.BillingMode != types.BillingModePayPerRequest {
			t.Errorf("status %s, billing %v", d.TableStatus, d.BillingModeSummary)
		}
		if !d.CreationDateTime.Equal(time.Now()) { // time stands still here
			t.Errorf("created %v, want %v", d.CreationDateTime, time.Now())
		}
		if got, want := aws.ToString(d.TableArn), "arn:aws:dynamodb:us-east-1:000000000000:table/hash"; got != want {
			t.Errorf("ARN %s, want %s", got, want)
		}
		if _, err := w.DeleteTable(w.ctx, &dynamodb.DeleteTableInput{TableName: aws.String("hash")}); err != nil {
			t.Fatal(err)
		}
		if err := w.get("a", true); code(err) != "ResourceNotFoundException" {
			t.Errorf("a deleted table's item: %v", err)
		}
		if _, err := w.DeleteTable(w.ctx, &dynamodb.DeleteTableInput{TableName: aws.String("hash")}); code(err) != "ResourceNotFoundException" {
			t.Errorf("deleting it again: %v", err)
		}
		w.createTable(t, "hash", "k", "S")
		if err := w.get("a", true); err != nil || w.last().Returned != 0 {
			t.Errorf("a new table of the old name has the old item (error %v)", err)
		}
	})
}

func TestListTables(t *testing.T) {
	a := newAccount(t, nil)
	var want []string
	for i := range 250 {
		want = append(want, fmt.Sprintf("table-%03d", i))
	}
	for i := range want {
		a.createTable(t, want[(i*101)%250], "k", "S")
	}
	for _, limit := range []*int32{nil, aws.Int32(1), aws.Int32(50), aws.Int32(100)} {
		var got []string
		in := &dynamodb.ListTablesInput{Limit: limit}
		for {
			out, err := a.ListTables(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, out.TableNames...)
			if in.ExclusiveStartTableName = out.LastEvaluatedTableName; in.ExclusiveStartTableName == nil {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("limit %v: %d tables: %v", limit, len(got), got)
		}
	}
}

func TestCreateTableRefuses(t *testing.T) {
	for name, body := range map[string]string{
		"no name":               `{"KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST"}`,
		"a name with a slash":   `{"TableName":"a/b","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST"}`,
		"no keys":               `{"TableName":"new","AttributeDefinitions":[],"KeySchema":[],"BillingMode":"PAY_PER_REQUEST"}`,
		"a sort key first":      `{"TableName":"new","KeySchema":[{"AttributeName":"k","KeyType":"RANGE"}],"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST"}`,
		"two partition keys":    `{"TableName":"new","KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"r","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"},{"AttributeName":"r","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST"}`,
		"one name twice":        `{"TableName":"new","KeySchema":[{"AttributeName":"k","KeyType":"HASH"},{"AttributeName":"k","KeyType":"RANGE"}],"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST"}`,
		"an undefined key":      `{"TableName":"new","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"r","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST"}`,
		"an attribute too many": `{"TableName":"new","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"},{"AttributeName":"r","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST"}`,
		"a key of type BOOL":    `{"TableName":"new","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"BOOL"}],"BillingMode":"PAY_PER_REQUEST"}`,
		"no throughput":         `{"TableName":"new","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}]}`,
		"needless throughput":   `{"TableName":"new","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}}`,
		"an index":              `{"TableName":"new","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST","GlobalSecondaryIndexes":[{}]}`,
		"a stream":              `{"TableName":"new","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST","StreamSpecification":{"StreamEnabled":true}}`,
		"deletion protection":   `{"TableName":"new","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST","DeletionProtectionEnabled":true}`,
	} {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t)
			resp := e.Serve(t.Context(), "CreateTable", []byte(body))
			if resp.Status != 400 || typeOf(t, resp.Body) != "com.amazon.coral.validate#ValidationException" {
				t.Errorf("status %d: %s", resp.Status, resp.Body)
			}
			if got := mustServe(t, e, "ListTables", "{}"); got != `{"TableNames":["tbl"]}` {
				t.Errorf("tables afterwards: %s", got)
			}
		})
	}
	e := newEngine(t)
	if got := typeOf(t, e.Serve(t.Context(), "CreateTable", []byte(createTable)).Body); got != "com.amazonaws.dynamodb.v20120810#ResourceInUseException" {
		t.Errorf("a table that exists: %s", got)
	}
}

func TestProvisionedTable(t *testing.T) {
	a := newAccount(t, nil)
	out, err := a.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:             aws.String("tbl"),
		AttributeDefinitions:  []types.AttributeDefinition{{AttributeName: aws.String("k"), AttributeType: types.ScalarAttributeTypeB}},
		KeySchema:             []types.KeySchemaElement{{AttributeName: aws.String("k"), KeyType: types.KeyTypeHash}},
		ProvisionedThroughput: &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(5), WriteCapacityUnits: aws.Int64(6)},
	})
	if err != nil {
		t.Fatal(err)
	}
	d := out.TableDescription
	if aws.ToInt64(d.ProvisionedThroughput.ReadCapacityUnits) != 5 || aws.ToInt64(d.ProvisionedThroughput.WriteCapacityUnits) != 6 || d.BillingModeSummary != nil {
		t.Errorf("throughput %+v, billing %+v", d.ProvisionedThroughput, d.BillingModeSummary)
	}
	if d.AttributeDefinitions[0].AttributeType != types.ScalarAttributeTypeB {
		t.Errorf("key of type %s", d.AttributeDefinitions[0].AttributeType)
	}
}
