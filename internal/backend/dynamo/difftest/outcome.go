package difftest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/lakebench/lakebench/internal/attr"
)

// A Service answers requests. It returns an error if it gave no answer.
type Service interface {
	Serve(ctx context.Context, operation, body string) (status int, answer []byte, err error)
}

// outcome is what is compared of an answer: a kind of error, or lines of text.
type outcome struct {
	failure string   // type of the error, empty if there is none
	message string   // of the error; shown, and not compared
	lines   []string // items, counts and keys, in the order in which they matter
}

func (o *outcome) String() string {
	if o.failure != "" {
		return strings.Join(append([]string{o.failure + ": " + o.message}, o.lines...), "\n")
	}
	return strings.Join(append([]string{"ok"}, o.lines...), "\n")
}

func (o *outcome) equal(other *outcome) bool {
	return o.failure == other.failure && slices.Equal(o.lines, other.lines)
}

func (o *outcome) add(format string, args ...any) {
	o.lines = append(o.lines, fmt.Sprintf(format, args...))
}

// reply has the members of all answers that are compared.
type reply struct {
	Type    string `json:"__type"`
	Message string

	Item, Attributes, LastEvaluatedKey json.RawMessage
	Items                              []json.RawMessage
	Count, ScannedCount                int

	// Responses is an object of lists or a list of objects.
	Responses           json.RawMessage
	CancellationReasons []struct {
		Code string
		Item json.RawMessage
	}
}

// ask sends a step, and the pages that follow it, and returns the outcome.
func ask(ctx context.Context, s Service, step Step) (*outcome, error) {
	if step.Operation == "Query" || step.Operation == "Scan" {
		return walk(ctx, s, step)
	}
	r, err := send(ctx, s, step.Operation, step.Body)
	if err != nil {
		return nil, err
	}
	return r.outcome()
}

func send(ctx context.Context, s Service, operation, text string) (*reply, error) {
	status, answer, err := s.Serve(ctx, operation, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", operation, err)
	}
	r := &reply{}
	if err := json.Unmarshal(answer, r); err != nil {
		return nil, fmt.Errorf("%s answered status %d, %.200q: %w", operation, status, answer, err)
	}
	if (status == http.StatusOK) != (r.Type == "") {
		return nil, fmt.Errorf("%s answered status %d with error %q", operation, status, r.Type)
	}
	_, r.Type, _ = strings.Cut(r.Type, "#")
	return r, nil
}

func (r *reply) outcome() (*outcome, error) {
	o := &outcome{failure: r.Type, message: r.Message}
	err := errors.Join(
		o.addItem("item", r.Item), o.addItem("attributes", r.Attributes), o.addResponses(r.Responses),
	)
	for _, reason := range r.CancellationReasons {
		o.add("reason %s", reason.Code)
		err = errors.Join(err, o.addItem("reason's item", reason.Item))
	}
	return o, err
}

func (o *outcome) addItem(what string, text json.RawMessage) error {
	if text == nil {
		return nil
	}
	item, err := canonical(text)
	o.add("%s %s", what, item)
	return err
}

// canonical spells an item such that two equal ones are spelt alike.
func canonical(text json.RawMessage) (string, error) {
	item, err := attr.NewReader([]byte(text)).Item()
	if err != nil {
		return "", fmt.Errorf("item %s: %w", text, err)
	}
	return item.String(), nil
}

// addResponses adds those of a BatchGetItem, whose order says nothing, or of a
// TransactGetItems.
func (o *outcome) addResponses(text json.RawMessage) error {
	if text == nil {
		return nil
	}
	if text[0] == '[' {
		var list []struct{ Item json.RawMessage }
		err := json.Unmarshal(text, &list)
		for i, r := range list {
			o.add("response %d", i)
			err = errors.Join(err, o.addItem("item", r.Item))
		}
		return err
	}
	var byTable map[string][]json.RawMessage
	err := json.Unmarshal(text, &byTable)
	for _, table := range sorted(byTable) {
		err = errors.Join(err, o.addUnordered(table, byTable[table]))
	}
	return err
}

func (o *outcome) addUnordered(what string, items []json.RawMessage) error {
	var lines []string
	for _, text := range items {
		item, err := canonical(text)
		if err != nil {
			return err
		}
		lines = append(lines, what+" "+item)
	}
	slices.Sort(lines)
	o.lines = append(o.lines, lines...)
	return nil
}

// maxPages bounds a walk: the tables are small.
const maxPages = 1000

// walk follows a Query or Scan to its end. The pages of a Query are compared one by
// one. A Scan's order is each service's own: of it what all pages together have is
// compared, and how many there are.
func walk(ctx context.Context, s Service, step Step) (*outcome, error) {
	var request map[string]json.RawMessage
	if err := json.Unmarshal([]byte(step.Body), &request); err != nil {
		return nil, err
	}
	all := &outcome{}
	var items []json.RawMessage
	count, scanned, pages := 0, 0, 0
	for last := json.RawMessage(nil); pages == 0 || last != nil; pages++ {
		if pages == maxPages {
			return nil, fmt.Errorf("%s does not end within %d pages: %s", step.Operation, maxPages, step.Body)
		}
		if last != nil {
			request["ExclusiveStartKey"] = last
		}
		text, err := json.Marshal(request)
		if err != nil {
			return nil, err
		}
		r, err := send(ctx, s, step.Operation, string(text))
		if err != nil {
			return nil, err
		}
		if r.Type != "" {
			return &outcome{failure: r.Type, message: fmt.Sprintf("on page %d: %s", pages+1, r.Message)}, nil
		}
		last = r.LastEvaluatedKey
		count, scanned, items = count+r.Count, scanned+r.ScannedCount, append(items, r.Items...)
		if step.Operation == "Query" {
			if err := all.addPage(r); err != nil {
				return nil, err
			}
		}
	}
	if step.Operation == "Query" {
		return all, nil
	}
	all.add("%d of %d items on %d pages", count, scanned, pages)
	return all, all.addUnordered("item", items)
}

func (o *outcome) addPage(r *reply) error {
	o.add("page: %d of %d", r.Count, r.ScannedCount)
	var err error
	for _, item := range r.Items {
		err = errors.Join(err, o.addItem("item", item))
	}
	return errors.Join(err, o.addItem("last key", r.LastEvaluatedKey))
}
