package metadata

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/concern"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/keyspace"
)

// describe shows an expectation in a timeline, which has no room for its size.
func describe(e store.Expectation) string {
	if v, exists := e.Value(); exists {
		return fmt.Sprintf("%q", v)
	}
	return "nothing"
}

func describeRead(value []byte, err error) string {
	switch {
	case err == nil:
		return fmt.Sprintf("= %q", value)
	case errors.Is(err, store.ErrNotFound):
		return "= nothing"
	default:
		return "= failed: " + inShort(err)
	}
}

func describeList(keys []string, err error) string {
	if err != nil {
		return "= failed: " + inShort(err)
	}
	return fmt.Sprintf("= %d keys: %s", len(keys), strings.Join(keys, " "))
}

// describeServed shows a request that reached the service.
func describeServed(ctx context.Context, s dynamo.Served) string {
	if ctx.Done() == nil { // whoever sent it has given it up
		return s.API + " arrives late: " + s.Outcome
	}
	return s.API + " arrives: " + s.Outcome
}

// describeCall shows a call of the service and its answer.
func describeCall(api string, input any, err error) string {
	what := api
	if keys := callKeys(input); keys != "" {
		what += " " + keys
	}
	if err == nil {
		return what + ": ok"
	}
	return what + ": " + inShort(err)
}

// callKeys returns the keys that a request is about, or the bucket of a page.
func callKeys(input any) string {
	var keys []string
	for _, c := range concern.Items(input) {
		for _, v := range []types.AttributeValue{c.Key[keyspace.AttrKey], c.Put[keyspace.AttrKey], c.Values[":bucket"]} {
			if name, ok := v.(*types.AttributeValueMemberS); ok {
				keys = append(keys, name.Value)
			}
		}
	}
	return strings.Join(keys, "+")
}

// inShort returns the service's code for an error, with the reasons of a
// cancelled transaction, or what the network said.
func inShort(err error) string {
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &cancelled) {
		var codes []string
		for _, r := range cancelled.CancellationReasons {
			if r.Code != nil {
				codes = append(codes, *r.Code)
			}
		}
		return "cancelled, " + strings.Join(codes, " ")
	}
	var named smithy.APIError
	if errors.As(err, &named) {
		return named.ErrorCode()
	}
	return "no answer"
}
