package dynamo

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/internal/units"
)

// Table statuses that an answer can show. Tables are usable at once.
const (
	statusActive   = "ACTIVE"
	statusDeleting = "DELETING"
)

// tableDescription is a table at one moment.
type tableDescription struct {
	*table // what of it does not change
	status string
	billing
	items int
	bytes int64
}

func (t *table) describe(status string) *tableDescription {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return &tableDescription{table: t, status: status, billing: t.billing, items: t.rows.Len(), bytes: t.rows.Bytes()}
}

// createTableInput is a CreateTable request. Only what the engine has is read;
// asking for what it lacks (indexes, streams) is refused rather than ignored.
type createTableInput struct {
	name        string
	attributes  []attributeDefinition
	keys        []keyElement
	billing     string
	provisioned *throughput
	tags        []tag
}

type attributeDefinition struct{ name, kind string }

type keyElement struct{ name, role string }

func (d *attributeDefinition) member(r *attr.Reader, name string) error {
	switch name {
	case "AttributeName":
		return readString(r, &d.name)
	case "AttributeType":
		return readString(r, &d.kind)
	default:
		return r.Skip()
	}
}

func (k *keyElement) member(r *attr.Reader, name string) error {
	switch name {
	case "AttributeName":
		return readString(r, &k.name)
	case "KeyType":
		return readString(r, &k.role)
	default:
		return r.Skip()
	}
}

func (t *throughput) member(r *attr.Reader, name string) (err error) {
	switch name {
	case "ReadCapacityUnits":
		t.read, err = r.Int()
	case "WriteCapacityUnits":
		t.write, err = r.Int()
	default:
		err = r.Skip()
	}
	return err
}

func (in *createTableInput) member(r *attr.Reader, name string) error {
	switch name {
	case "TableName":
		return readString(r, &in.name)
	case "AttributeDefinitions":
		return readList(r, &in.attributes, (*attributeDefinition).member)
	case "KeySchema":
		return readList(r, &in.keys, (*keyElement).member)
	case "BillingMode":
		return readString(r, &in.billing)
	case "ProvisionedThroughput":
		in.provisioned = &throughput{}
		return object(r, in.provisioned.member)
	case "GlobalSecondaryIndexes", "LocalSecondaryIndexes", "VectorIndexes":
		return refuseFilled(r, name)
	case "StreamSpecification":
		return refuseEnabled(r, name, "StreamEnabled")
	case "DeletionProtectionEnabled":
		return refuseTrue(r, name)
	case "Tags":
		return readList(r, &in.tags, (*tag).member)
	default:
		return r.Skip()
	}
}

// refuseTrue takes a switch that is off.
func refuseTrue(r *attr.Reader, name string) error {
	var on bool
	if err := readBool(r, &on); err != nil || !on {
		return err
	}
	return notOffered(name)
}

// refuseFilled takes an empty array only.
func refuseFilled(r *attr.Reader, name string) error {
	return r.Array(func(int) error { return notOffered(name) })
}

// refuseEnabled takes a specification whose switch is off.
func refuseEnabled(r *attr.Reader, name, on string) error {
	return object(r, func(r *attr.Reader, member string) error {
		if member != on {
			return r.Skip()
		}
		return refuseTrue(r, name)
	})
}

func notOffered(name string) error {
	return invalid("lakebench's embedded DynamoDB does not support %s", name)
}

func (in *createTableInput) validate() *serviceError {
	if err := checkTableName(in.name); err != nil {
		return err
	}
	if err := checkTags(in.tags); err != nil {
		return err
	}
	return checkBilling(cmp.Or(in.billing, provisioned), in.provisioned)
}

// Billing modes.
const (
	provisioned = "PROVISIONED"
	onDemand    = "PAY_PER_REQUEST"
)

const throughputOnDemand = "One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST"

// checkBilling checks that a billing mode and the throughput asked for, nil if none
// is, go together.
func checkBilling(mode string, asked *throughput) *serviceError {
	switch {
	case mode != provisioned && mode != onDemand:
		return notEnum("billingMode", mode, "PROVISIONED, PAY_PER_REQUEST")
	case mode == onDemand && asked != nil:
		return invalid(throughputOnDemand)
	case mode == onDemand:
		return nil
	case asked == nil:
		return invalid("One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED")
	default:
		return asked.validate()
	}
}

func (t *throughput) validate() *serviceError {
	if t.read < 1 || t.write < 1 {
		return invalid("1 validation error detected: Value at 'provisionedThroughput' failed to satisfy constraint: Member must have value greater than or equal to 1")
	}
	return nil
}

// schema checks the key schema against the attribute definitions.
func (in *createTableInput) schema() (schema, *serviceError) {
	var s schema
	switch {
	case len(in.keys) == 0:
		return s, invalid("1 validation error detected: Value at 'keySchema' failed to satisfy constraint: Member must have length greater than or equal to 1")
	case len(in.keys) > 2:
		return s, invalid("1 validation error detected: Value at 'keySchema' failed to satisfy constraint: Member must have length less than or equal to 2")
	case in.keys[0].role != "HASH":
		return s, invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
	case len(in.keys) == 2 && in.keys[1].role != "RANGE":
		return s, invalid("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")
	case len(in.keys) == 2 && in.keys[0].name == in.keys[1].name:
		return s, invalid("Both the Hash Key and the Range Key element in the KeySchema have the same name")
	case len(in.attributes) != len(in.keys):
		return s, invalid("One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions")
	}
	for i, key := range []*keyAttribute{&s.partition, &s.sort}[:len(in.keys)] {
		var err *serviceError
		if *key, err = in.keyAttribute(in.keys[i].name); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (in *createTableInput) keyAttribute(name string) (keyAttribute, *serviceError) {
	if name == "" || len(name) > units.MaxKeyNameBytes {
		return keyAttribute{}, invalid("1 validation error detected: Value '%s' at 'keySchema.member.attributeName' failed to satisfy constraint: Member must have length between 1 and %d", name, units.MaxKeyNameBytes)
	}
	i := slices.IndexFunc(in.attributes, func(d attributeDefinition) bool { return d.name == name })
	if i < 0 {
		return keyAttribute{}, invalid("One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: [%s]", name)
	}
	kind := attr.KindOf(in.attributes[i].kind)
	if !kind.IsKey() {
		return keyAttribute{}, notEnum("attributeDefinitions.member.attributeType", in.attributes[i].kind, "B, N, S")
	}
	return keyAttribute{name: strings.Clone(name), kind: kind}, nil
}

func (e *Engine) createTable(ctx context.Context, in *createTableInput, _ *bill) (*createTableOutput, *serviceError) {
	s, err := in.schema()
	if err != nil {
		return nil, err
	}
	t := e.newTable(in.name)
	t.schema, t.created, t.tags = s, task.Now(ctx), in.tags
	t.onDemand = t.created
	if in.provisioned != nil {
		t.provisioned = *in.provisioned
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, ok := e.tables[in.name]; ok {
		return nil, &serviceError{code: resourceInUse, message: "Table already exists: " + in.name}
	}
	e.created++
	t.number = e.created
	e.tables[t.name] = t
	e.persistCreated(t)
	return &createTableOutput{t.describe(statusActive)}, nil
}

// tableInput is a request about a whole table.
type tableInput struct{ name string }

func (in *tableInput) member(r *attr.Reader, name string) error {
	if name == "TableName" {
		return readString(r, &in.name)
	}
	return r.Skip()
}

func (in *tableInput) validate() *serviceError { return checkTableName(in.name) }

func (e *Engine) describeTable(_ context.Context, in *tableInput, _ *bill) (*describeTableOutput, *serviceError) {
	t, err := e.table(in.name)
	if err != nil {
		return nil, tableNotFound(in.name)
	}
	return &describeTableOutput{t.describe(statusActive)}, nil
}

func (e *Engine) deleteTable(_ context.Context, in *tableInput, _ *bill) (*deleteTableOutput, *serviceError) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, ok := e.tables[in.name]
	if !ok {
		return nil, tableNotFound(in.name)
	}
	delete(e.tables, in.name)
	e.persistDeleted(t)
	return &deleteTableOutput{t.describe(statusDeleting)}, nil
}

// maxListedTables is the most names in one answer of ListTables, and the default.
const maxListedTables = 100

type listTablesInput struct {
	after string
	limit *int64
}

type listTablesOutput struct {
	names []string
	last  string // empty: no more
}

func (in *listTablesInput) member(r *attr.Reader, name string) error {
	switch name {
	case "ExclusiveStartTableName":
		return readString(r, &in.after)
	case "Limit":
		return readInt(r, &in.limit)
	default:
		return r.Skip()
	}
}

func (in *listTablesInput) validate() *serviceError {
	if in.limit != nil && (*in.limit < 1 || *in.limit > maxListedTables) {
		return outOfRange("limit", *in.limit, 1, maxListedTables)
	}
	if in.after != "" {
		return checkTableName(in.after)
	}
	return nil
}

func (e *Engine) listTables(_ context.Context, in *listTablesInput, _ *bill) (*listTablesOutput, *serviceError) {
	limit := maxListedTables
	if in.limit != nil {
		limit = int(*in.limit)
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	out := &listTablesOutput{}
	for name := range e.tables {
		if name > in.after {
			out.names = append(out.names, name)
		}
	}
	slices.Sort(out.names)
	if len(out.names) > limit {
		out.names = out.names[:limit]
		out.last = out.names[limit-1]
	}
	return out, nil
}
