package fault

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lakebench/lakebench/internal/cause"
)

// A SyntaxError names a mistake in a rule, and its place.
type SyntaxError struct {
	Name         string // of the file or flag
	Line, Column int    // from 1, in characters
	Message      string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Column, e.Message)
}

// Parse reads rules. name is that of the file or flag that they come from; it is
// part of errors, which are of type *SyntaxError.
func Parse(name, text string) (Rules, error) {
	var rules Rules
	number := 0
	for line := range strings.Lines(text) {
		number++
		tokens, err := scan(strings.TrimRight(line, "\r\n"))
		if err == nil && len(tokens) > 1 {
			p := &parser{tokens: tokens}
			var r Rule
			if r, err = p.rule(); err == nil {
				rules = append(rules, r)
			}
		}
		if err != nil {
			err.Name, err.Line = name, number
			return nil, err
		}
	}
	return rules, nil
}

// A token is a word, a quoted string, the colon, or the end of the line.
type token struct {
	kind   tokenKind
	text   string // of a string, what it stands for
	column int
}

type tokenKind byte

const (
	word tokenKind = iota
	quoted
	colon
	end
)

func (t token) String() string {
	switch t.kind {
	case quoted:
		return strconv.Quote(t.text)
	case colon:
		return "\":\""
	case end:
		return "the end of the line"
	case word:
	}
	return strconv.Quote(t.text)
}

// scan splits a line; the last token is its end.
func scan(line string) ([]token, *SyntaxError) {
	var tokens []token
	for rest := line; ; {
		rest = strings.TrimLeft(rest, " \t\r")
		at := utf8.RuneCountInString(line[:len(line)-len(rest)]) + 1
		size := 1
		switch {
		case rest == "" || rest[0] == '#':
			return append(tokens, token{end, "", at}), nil
		case rest[0] == ':':
			tokens = append(tokens, token{colon, "", at})
		case rest[0] == '"':
			literal, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, &SyntaxError{Column: at, Message: `this string does not end, or has a \ that means nothing`}
			}
			text, _ := strconv.Unquote(literal) // QuotedPrefix has looked at it
			tokens = append(tokens, token{quoted, text, at})
			size = len(literal)
		default:
			if size = strings.IndexAny(rest, " \t\r:\"#"); size < 0 {
				size = len(rest)
			}
			tokens = append(tokens, token{word, rest[:size], at})
		}
		rest = rest[size:]
	}
}

// A parser reads the tokens of a line. Its methods stop at the first mistake:
// they set err, and whatever they return then is not used.
type parser struct {
	tokens []token
	err    *SyntaxError
}

func (p *parser) next() token {
	t := p.tokens[0]
	if t.kind != end {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *parser) fail(t token, format string, args ...any) {
	if p.err == nil {
		p.err = &SyntaxError{Column: t.column, Message: fmt.Sprintf(format, args...)}
	}
}

func (p *parser) rule() (Rule, *SyntaxError) {
	var r Rule
	if t := p.next(); t.kind != word || t.text != "on" {
		p.fail(t, "expected on, found %v; a rule is: on SERVICE [OPERATION] [CONDITIONS] : EFFECT", t)
	}
	r.Service = p.service()
	p.operation(&r)
	p.conditions(&r)
	at := p.tokens[0]
	r.Effect = p.effect(&r)
	if t := p.next(); t.kind != end {
		p.fail(t, "expected the end of the line after the effect, found %v", t)
	}
	p.fits(r, at)
	return r, p.err
}

func (p *parser) service() Service {
	services := []Service{DynamoDB, S3, Any}
	t := p.next()
	if t.kind != word || !slices.Contains(services, Service(t.text)) {
		p.fail(t, "expected a service (%s), found %v%s", list(services), t, suggest(t.text, services))
	}
	return Service(t.text)
}

func operations(s Service) []string {
	switch s {
	case DynamoDB:
		return dynamoOperations()
	case S3:
		return s3Operations()
	case Any:
	}
	return nil
}

// operation reads the operation, if there is one: it begins with a capital letter,
// which no condition does.
func (p *parser) operation(r *Rule) {
	t := p.tokens[0]
	if t.kind != word || t.text[0] < 'A' || t.text[0] > 'Z' {
		return
	}
	p.next()
	known := operations(r.Service)
	switch {
	case slices.Contains(known, t.text):
		r.Operation = t.text
	case r.Service == Any:
		p.fail(t, "%v: a rule for any service is for all its operations; name the service to name one", t)
	default:
		p.fail(t, "%s has no operation %v that rules know of%s", r.Service, t, suggest(t.text, known))
	}
}

func conditionWords() []string {
	return []string{"in", "key", "cause", "actor", "from", "to", "nth", "every", "p"}
}

func (p *parser) conditions(r *Rule) {
	seen := map[string]bool{}
	for p.err == nil {
		t := p.next()
		if t.kind == colon {
			return
		}
		if t.kind != word || !slices.Contains(conditionWords(), t.text) {
			p.fail(t, "expected a condition (%s) or \":\" and the effect, found %v%s",
				list(conditionWords()), t, suggest(t.text, conditionWords()))
			return
		}
		if seen[t.text] {
			p.fail(t, "a second %v; a rule has at most one", t)
		}
		seen[t.text] = true
		if t.text == "nth" || t.text == "every" || t.text == "p" {
			if r.Select != (Selection{}) {
				p.fail(t, "%v beside %q; a rule has one of nth, every and p", t, r.Select.String())
			}
		}
		p.condition(r, t)
	}
}

func (p *parser) condition(r *Rule, t token) {
	switch t.text {
	case "in":
		r.In = p.pattern(t)
	case "key":
		r.Key = p.pattern(t)
	case "actor":
		r.Actor = p.pattern(t)
	case "cause":
		r.Cause = p.cause(r.Service)
	case "from":
		r.From = p.duration(t, 1)
	case "to":
		at := p.tokens[0]
		if r.To = p.duration(t, 1); r.To <= r.From {
			p.fail(at, "to %s is not after from %s", duration(r.To), duration(r.From))
		}
	case "nth":
		p.nth(r, t)
	case "every":
		r.Select.Every = p.count(t)
	case "p":
		r.Select.P = p.probability(t)
	}
	if t.text == "from" && r.To != 0 && r.To <= r.From {
		p.fail(t, "from %s is not before to %s", duration(r.From), duration(r.To))
	}
}

func (p *parser) pattern(of token) string {
	t := p.next()
	switch {
	case t.kind != quoted:
		p.fail(t, "expected a pattern in quotes after %v, found %v", of, t)
	case t.text == "" || !utf8.ValidString(t.text):
		p.fail(t, "%v matches nothing that exists; a pattern is text in which * stands for any text", t)
	}
	return t.text
}

func (p *parser) cause(s Service) cause.Label {
	t := p.next()
	known := causes(s)
	if t.kind != word || !slices.Contains(known, cause.Label(t.text)) {
		p.fail(t, "expected a cause label (%s), found %v%s", list(known), t, suggest(t.text, known))
	}
	return cause.Label(t.text)
}

// nth reads COUNT or COUNT..COUNT.
func (p *parser) nth(r *Rule, of token) {
	t := p.tokens[0]
	first, last, isRange := strings.Cut(t.text, "..")
	if t.kind != word || !isRange {
		r.Select.First = p.count(of)
		r.Select.Last = r.Select.First
		return
	}
	p.next()
	r.Select.First, r.Select.Last = p.countOf(t, of, first), p.countOf(t, of, last)
	if r.Select.Last <= r.Select.First {
		p.fail(t, "%v: the last is not after the first", t)
	}
}

func (p *parser) count(of token) int64 {
	t := p.next()
	return p.countOf(t, of, t.text)
}

func (p *parser) countOf(t, of token, text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if t.kind != word || err != nil || n < 1 || strconv.FormatInt(n, 10) != text {
		p.fail(t, "expected a whole number from 1 after %v, found %v", of, t)
	}
	return n
}

func (p *parser) probability(of token) float64 {
	t := p.next()
	if t.kind != word || strings.Trim(t.text, "0123456789.") != "" {
		p.fail(t, "expected a probability such as 0.05 after %v, found %v", of, t)
		return 0
	}
	v, err := strconv.ParseFloat(t.text, 64)
	switch {
	case err != nil:
		p.fail(t, "expected a probability such as 0.05 after %v, found %v", of, t)
	case v <= 0 || v > 1:
		p.fail(t, "a probability of %s is impossible; it is more than 0 and at most 1", t.text)
	}
	return v
}

func (p *parser) duration(of token, least time.Duration) time.Duration {
	t := p.next()
	d, err := time.ParseDuration(t.text)
	switch {
	case t.kind != word || err != nil:
		p.fail(t, "expected a duration such as 150ms or 2s after %v, found %v", of, t)
	case d < least:
		p.fail(t, "%v after %v is too short; it is %s or more", t, of, duration(least))
	}
	return d
}
