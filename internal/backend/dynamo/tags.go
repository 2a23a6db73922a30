package dynamo

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lakebench/lakebench/internal/attr"
)

// tag is one of a table's tags. They are given when the table is made and listed;
// nothing else comes of them.
type tag struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Limits of tags (page Tagging, "Tagging restrictions"), in characters.
const (
	maxTags     = 50
	maxTagKey   = 128
	maxTagValue = 256
)

func (t *tag) member(r *attr.Reader, name string) error {
	switch name {
	case "Key":
		return readString(r, &t.Key)
	case "Value":
		return readString(r, &t.Value)
	default:
		return r.Skip()
	}
}

func checkTags(tags []tag) *serviceError {
	if len(tags) > maxTags {
		return invalid("Too many tags: %d; a table has at most %d", len(tags), maxTags)
	}
	for i, t := range tags {
		switch {
		case t.Key == "" || utf8.RuneCountInString(t.Key) > maxTagKey:
			return invalid("1 validation error detected: Value '%s' at 'tags.%d.member.key' failed to satisfy constraint: Member must have length between 1 and %d", t.Key, i+1, maxTagKey)
		case utf8.RuneCountInString(t.Value) > maxTagValue:
			return invalid("1 validation error detected: Value '%s' at 'tags.%d.member.value' failed to satisfy constraint: Member must have length less than or equal to %d", t.Value, i+1, maxTagValue)
		case slices.ContainsFunc(tags[:i], func(other tag) bool { return other.Key == t.Key }):
			return invalid("One or more parameter values were invalid: Duplicate tag key: %s", t.Key)
		}
	}
	return nil
}

// listTagsInput is a ListTagsOfResource request. All tags fit in one answer.
type listTagsInput struct{ arn string }

type listTagsOutput struct{ tags []tag }

func (in *listTagsInput) member(r *attr.Reader, name string) error {
	if name == "ResourceArn" {
		return readString(r, &in.arn)
	}
	return r.Skip()
}

func (in *listTagsInput) validate() *serviceError {
	if in.arn == "" {
		return null("resourceArn")
	}
	return nil
}

func (e *Engine) listTags(_ context.Context, in *listTagsInput, _ *bill) (*listTagsOutput, *serviceError) {
	_, name, _ := strings.Cut(in.arn, ":table/")
	t, err := e.table(name)
	if err != nil || t.arn != in.arn {
		return nil, &serviceError{code: resourceNotFound, message: "Requested resource not found: ResourcArn: " + in.arn + " not found"}
	}
	return &listTagsOutput{t.tags}, nil
}

func (out *listTagsOutput) appendJSON(o *jsonObject, _ *bill) {
	o.objects("Tags", len(out.tags), func(i int) {
		o.string("Key", out.tags[i].Key)
		o.string("Value", out.tags[i].Value)
	})
}
