package workloads

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/run"
)

// saboteur is a client that no meter of the run knows.
func saboteur(t *testing.T, b *backend.Backend) *dynamodb.Client {
	t.Helper()
	m, err := b.NewMeter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b.DynamoDB(m)
}

// removeOne removes a key from the only table.
func removeOne(t *testing.T, b *backend.Backend, key string) {
	t.Helper()
	client := saboteur(t, b)
	out, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil || len(out.TableNames) != 1 {
		t.Fatalf("tables %v, %v", out, err)
	}
	_, err = client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: &out.TableNames[0], Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: key}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// putBehind puts a record into a table of either layout.
func putBehind(t *testing.T, b *backend.Backend, table, bucket, key, value string) {
	t.Helper()
	item := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: key}, "value": &types.AttributeValueMemberB{Value: []byte(value)}}
	if bucket != "" {
		item["bucket"] = &types.AttributeValueMemberS{Value: bucket}
	}
	if _, err := saboteur(t, b).PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: item}); err != nil {
		t.Fatal(err)
	}
}

// wantInvalid runs a configuration one of whose checks must fail.
func wantInvalid(t *testing.T, cfg run.Config, check string) {
	t.Helper()
	doc, err := run.Run(t.Context(), cfg)
	var invalid *run.InvalidError
	if !errors.As(err, &invalid) || !strings.Contains(err.Error(), check) {
		t.Fatalf("the run ended with %v, expected the check %q to fail", err, check)
	}
	for _, c := range doc.Checks {
		if c.Name == check && c.Status != results.Failed {
			t.Errorf("check %q: %s", c.Name, c.Status)
		}
	}
}

// TestValidity: a check that came to no verdict is neither a pass nor a failure,
// and a failure beside it decides.
func TestValidity(t *testing.T) {
	doc := func(statuses ...results.Status) *results.Document {
		d := &results.Document{Series: make([]results.Series, 1)}
		for _, s := range statuses {
			d.Checks = append(d.Checks, results.Check{Name: "c", Status: s})
		}
		return d
	}
	var invalid *run.InvalidError
	var open *run.InconclusiveError
	if err := run.Validity(doc(results.Passed, results.Skipped)); err != nil {
		t.Errorf("passed and skipped: %v", err)
	}
	if err := run.Validity(doc(results.Passed, results.Inconclusive)); !errors.As(err, &open) {
		t.Errorf("inconclusive: %v", err)
	}
	if err := run.Validity(doc(results.Inconclusive, results.Failed)); !errors.As(err, &invalid) {
		t.Errorf("inconclusive and failed: %v", err)
	}
	if err := run.Validity(&results.Document{}); !errors.As(err, &invalid) {
		t.Errorf("nothing measured: %v", err)
	}
}
