package dynamo

import (
	"errors"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/expr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/rows"
)

// placeholders are a request's ExpressionAttributeNames and -Values. nil means
// that the request has none.
type placeholders struct {
	names  []expr.Name
	values attr.Item
}

func (p *placeholders) member(r *attr.Reader, name string) error {
	switch name {
	case "ExpressionAttributeNames":
		p.names = []expr.Name{}
		return object(r, func(r *attr.Reader, placeholder string) error {
			attribute, err := r.String()
			p.names = append(p.names, expr.Name{Placeholder: placeholder, Attribute: attribute})
			return err
		})
	case "ExpressionAttributeValues":
		return readItem(r, &p.values)
	default:
		return skipUnknown(r, name)
	}
}

// condition is a ConditionExpression or FilterExpression; the zero one always
// holds.
type condition struct{ parsed *expr.Condition }

func (c condition) holds(item *stored) bool { return c.parsed == nil || c.parsed.Holds(item) }

// projection is a ProjectionExpression; the zero one takes the whole item.
type projection struct{ parsed *expr.Projection }

func (p projection) apply(item *stored) attr.Item { return p.parsed.Apply(item) }

func (p projection) view(item *stored) itemView {
	if p.parsed == nil {
		return itemView{stored: *item}
	}
	return itemView{stored: stored{schema: item.schema}, projected: p.apply(item)}
}

// update is an UpdateExpression; the zero one changes nothing.
type update struct{ parsed *expr.Update }

// compiler parses the expressions of one request, which share their
// placeholders.
type compiler struct {
	*placeholders
	subs *expr.Substitutions
	used bool          // there was an expression
	err  *serviceError // the first one
}

func (p *placeholders) compiler() *compiler {
	c := &compiler{placeholders: p}
	switch {
	case p.names != nil && len(p.names) == 0:
		c.err = invalid("ExpressionAttributeNames must not be empty")
	case p.values != nil && len(p.values) == 0:
		c.err = invalid("ExpressionAttributeValues must not be empty")
	case p.names != nil || p.values != nil:
		var err error
		c.subs, err = expr.NewSubstitutions(p.names, p.values)
		c.fail(err)
	}
	return c
}

func (c *compiler) fail(err error) {
	if e := new(expr.Error); c.err == nil && errors.As(err, &e) {
		c.err = invalid("%s", e.Message)
	}
}

// begin reports whether there is an expression to parse.
func (c *compiler) begin(text *string) bool {
	c.used = c.used || text != nil
	return text != nil && c.err == nil
}

func (c *compiler) condition(kind expr.Kind, text *string) condition {
	if !c.begin(text) {
		return condition{}
	}
	parsed, err := expr.ParseCondition(kind, *text, c.subs)
	c.fail(err)
	return condition{parsed}
}

func (c *compiler) keyCondition(text *string) *expr.KeyCondition {
	if !c.begin(text) {
		return nil
	}
	parsed, err := expr.ParseKeyCondition(*text, c.subs)
	c.fail(err)
	return parsed
}

func (c *compiler) projection(text *string) projection {
	if !c.begin(text) {
		return projection{}
	}
	parsed, err := expr.ParseProjection(*text, c.subs)
	c.fail(err)
	return projection{parsed}
}

func (c *compiler) update(text *string) update {
	if !c.begin(text) {
		return update{}
	}
	parsed, err := expr.ParseUpdate(*text, c.subs)
	c.fail(err)
	return update{parsed}
}

// end returns the first error, or that a placeholder was not used. missing says
// which expressions values would have been for.
func (c *compiler) end(missing string) *serviceError {
	switch {
	case c.err != nil:
	case c.used:
		c.fail(c.subs.Unused())
	case c.names != nil:
		return invalid("ExpressionAttributeNames can only be specified when using expressions")
	case c.values != nil:
		return invalid("ExpressionAttributeValues can only be specified when using expressions: %s", missing)
	}
	return c.err
}

// compileUpdate compiles an update and its condition. Of faults in both the
// update's is reported, as the service has it.
func (p *placeholders) compileUpdate(change, text *string) (update, condition, *serviceError) {
	c := p.compiler()
	parsed := c.update(change)
	where := c.condition(expr.ConditionExpression, text)
	return parsed, where, c.end("UpdateExpression and ConditionExpression are null")
}

func (p *placeholders) compileProjection(text *string) (projection, *serviceError) {
	c := p.compiler()
	parsed := c.projection(text)
	return parsed, c.end("ProjectionExpression is null")
}

func (in *scanInput) compile() (condition, projection, *serviceError) {
	c := in.compiler()
	filter := c.condition(expr.FilterExpression, in.filter)
	project := c.projection(in.projection)
	return filter, project, c.end("FilterExpression is null")
}

func (in *queryInput) compile() (*expr.KeyCondition, condition, projection, *serviceError) {
	c := in.compiler()
	where := c.keyCondition(in.keyCondition)
	filter := c.condition(expr.FilterExpression, in.filter)
	project := c.projection(in.projection)
	return where, filter, project, c.end("FilterExpression is null")
}

// pathVisitor is told of a path by the attribute that it starts at; nested says
// that it leads inside.
type pathVisitor func(attribute string, nested bool)

func (c condition) paths(visit pathVisitor) {
	if c.parsed != nil {
		c.parsed.Paths(visit)
	}
}

func (p projection) paths(visit pathVisitor) {
	if p.parsed != nil {
		p.parsed.Paths(visit)
	}
}

func (u update) paths(visit pathVisitor) {
	if u.parsed != nil {
		u.parsed.Paths(func(attribute string, _, nested bool) { visit(attribute, nested) })
	}
}

// checkScalar refuses expressions with a path into a key attribute, which cannot
// have an inside.
func (s *schema) checkScalar(expressions ...interface{ paths(visit pathVisitor) }) *serviceError {
	var key string
	for _, e := range expressions {
		e.paths(func(attribute string, nested bool) {
			if key == "" && nested && s.isKey(attribute) {
				key = attribute
			}
		})
	}
	if key == "" {
		return nil
	}
	return invalid("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: %s", key)
}

// checkUpdate refuses an update of a key attribute.
func (s *schema) checkUpdate(u update) *serviceError {
	if u.parsed == nil {
		return nil
	}
	var key string
	u.parsed.Paths(func(attribute string, changed, _ bool) {
		if key == "" && changed && s.isKey(attribute) {
			key = attribute
		}
	})
	if key == "" {
		return nil
	}
	return mismatch("One or more parameter values were invalid: Cannot update attribute %s. This attribute is part of the key", key)
}

// checkQueryFilter refuses a filter on key attributes, which belong into the key
// condition (Developer Guide, "Query", filter expressions).
func (s *schema) checkQueryFilter(filter condition) *serviceError {
	var key string
	filter.paths(func(attribute string, _ bool) {
		if key == "" && s.isKey(attribute) {
			key = attribute
		}
	})
	if key == "" {
		return nil
	}
	return invalid("Filter Expression can only contain non-primary key attributes: Primary key attribute: %s", key)
}

// keyRange is the part of a partition that a key condition selects.
func (s *schema) keyRange(where *expr.KeyCondition) (rows.Range, *serviceError) {
	selected, err := where.Resolve(expr.Schema{
		Hash: s.partition.name, HashKind: s.partition.kind,
		Range: s.sort.name, RangeKind: s.sort.kind,
	})
	if e := new(expr.Error); errors.As(err, &e) {
		return rows.Range{}, invalid("%s", e.Message)
	}
	low, high := selected.Interval()
	return rows.Range{
		Partition: string(selected.Hash.AppendOrdered(nil)),
		Low:       string(low),
		High:      string(high),
	}, nil
}
