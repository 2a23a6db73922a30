package direct

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// checkInput refuses, as the SDK does before it sends anything, a request that
// lacks a required member. The error is a smithy.InvalidParamsError.
func checkInput(input any) error {
	var r required
	switch in := input.(type) {
	case *dynamodb.GetItemInput:
		r.errs.Context = "GetItemInput"
		r.itemKey(in.TableName, in.Key)
	case *dynamodb.PutItemInput:
		r.errs.Context = "PutItemInput"
		r.member("TableName", in.TableName != nil)
		r.member("Item", in.Item != nil)
	case *dynamodb.DeleteItemInput:
		r.errs.Context = "DeleteItemInput"
		r.itemKey(in.TableName, in.Key)
	case *dynamodb.QueryInput:
		r.errs.Context = "QueryInput"
		r.member("TableName", in.TableName != nil)
	case *dynamodb.ScanInput:
		r.errs.Context = "ScanInput"
		r.member("TableName", in.TableName != nil)
	case *dynamodb.BatchGetItemInput:
		r.errs.Context = "BatchGetItemInput"
		r.batchGet(in)
	case *dynamodb.BatchWriteItemInput:
		r.errs.Context = "BatchWriteItemInput"
		r.batchWrite(in)
	case *dynamodb.TransactGetItemsInput:
		r.errs.Context = "TransactGetItemsInput"
		r.transactGet(in)
	case *dynamodb.TransactWriteItemsInput:
		r.errs.Context = "TransactWriteItemsInput"
		r.transactWrite(in)
	case *dynamodb.CreateTableInput:
		r.errs.Context = "CreateTableInput"
		r.createTable(in)
	case *dynamodb.DescribeTableInput:
		r.errs.Context = "DescribeTableInput"
		r.member("TableName", in.TableName != nil)
	case *dynamodb.DeleteTableInput:
		r.errs.Context = "DeleteTableInput"
		r.member("TableName", in.TableName != nil)
	}
	if r.errs.Len() > 0 {
		return r.errs
	}
	return nil
}

// required collects what is missing.
type required struct{ errs smithy.InvalidParamsError }

func (r *required) member(name string, present bool) {
	if !present {
		r.errs.Add(smithy.NewErrParamRequired(name))
	}
}

// within is member for a part of the request.
func (r *required) within(part, name string, present bool) {
	if !present {
		r.member(part+"."+name, false)
	}
}

func (r *required) itemKey(table *string, key map[string]types.AttributeValue) {
	r.member("TableName", table != nil)
	r.member("Key", key != nil)
}

func (r *required) batchGet(in *dynamodb.BatchGetItemInput) {
	r.member("RequestItems", in.RequestItems != nil)
	for table, of := range in.RequestItems {
		r.within("RequestItems["+table+"]", "Keys", of.Keys != nil)
	}
}

func (r *required) batchWrite(in *dynamodb.BatchWriteItemInput) {
	r.member("RequestItems", in.RequestItems != nil)
	for table, writes := range in.RequestItems {
		for i, w := range writes {
			if w.PutRequest != nil && w.PutRequest.Item == nil {
				r.member(fmt.Sprintf("RequestItems[%s][%d].PutRequest.Item", table, i), false)
			}
			if w.DeleteRequest != nil && w.DeleteRequest.Key == nil {
				r.member(fmt.Sprintf("RequestItems[%s][%d].DeleteRequest.Key", table, i), false)
			}
		}
	}
}

func (r *required) transactGet(in *dynamodb.TransactGetItemsInput) {
	r.member("TransactItems", in.TransactItems != nil)
	for _, g := range in.TransactItems {
		if r.within("TransactItems", "Get", g.Get != nil); g.Get != nil {
			r.within("TransactItems.Get", "Key", g.Get.Key != nil)
			r.within("TransactItems.Get", "TableName", g.Get.TableName != nil)
		}
	}
}

func (r *required) transactWrite(in *dynamodb.TransactWriteItemsInput) {
	r.member("TransactItems", in.TransactItems != nil)
	for i := range in.TransactItems {
		a := &in.TransactItems[i]
		if c := a.ConditionCheck; c != nil {
			r.within("TransactItems.ConditionCheck", "Key", c.Key != nil)
			r.within("TransactItems.ConditionCheck", "TableName", c.TableName != nil)
			r.within("TransactItems.ConditionCheck", "ConditionExpression", c.ConditionExpression != nil)
		}
		if p := a.Put; p != nil {
			r.within("TransactItems.Put", "Item", p.Item != nil)
			r.within("TransactItems.Put", "TableName", p.TableName != nil)
		}
		if d := a.Delete; d != nil {
			r.within("TransactItems.Delete", "Key", d.Key != nil)
			r.within("TransactItems.Delete", "TableName", d.TableName != nil)
		}
		if u := a.Update; u != nil {
			r.within("TransactItems.Update", "Key", u.Key != nil)
			r.within("TransactItems.Update", "UpdateExpression", u.UpdateExpression != nil)
			r.within("TransactItems.Update", "TableName", u.TableName != nil)
		}
	}
}

func (r *required) createTable(in *dynamodb.CreateTableInput) {
	r.member("TableName", in.TableName != nil)
	for i := range in.AttributeDefinitions {
		d := &in.AttributeDefinitions[i]
		r.within("AttributeDefinitions", "AttributeName", d.AttributeName != nil)
		r.within("AttributeDefinitions", "AttributeType", d.AttributeType != "")
	}
	for _, k := range in.KeySchema {
		r.within("KeySchema", "AttributeName", k.AttributeName != nil)
		r.within("KeySchema", "KeyType", k.KeyType != "")
	}
	if p := in.ProvisionedThroughput; p != nil {
		r.within("ProvisionedThroughput", "ReadCapacityUnits", p.ReadCapacityUnits != nil)
		r.within("ProvisionedThroughput", "WriteCapacityUnits", p.WriteCapacityUnits != nil)
	}
}
