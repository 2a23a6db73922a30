package fault

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lakebench/lakebench/internal/cause"
)

func mustParse(t testing.TB, text string) Rules {
	t.Helper()
	rules, err := Parse("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// Rules in the form in which they are printed.
var canonical = []struct {
	text string
	rule Rule
}{
	{`on dynamodb PutItem key "tbl/*" cause mutate nth 3 : error-after`, Rule{Service: DynamoDB, Operation: "PutItem",
		Key: "tbl/*", Cause: cause.Mutate, Select: Selection{First: 3, Last: 3}, Effect: Effect{Kind: ErrorAfter}}},
	{`on any : error-before`, Rule{Service: Any, Effect: Effect{Kind: ErrorBefore}}},
	{`on any from 10s to 1m30s : delay 250ms`, Rule{Service: Any, From: 10 * time.Second, To: 90 * time.Second,
		Effect: Effect{Kind: Delay, Wait: 250 * time.Millisecond}}},
	{`on dynamodb in "lake_*" actor "writer-1" every 10 : conflict`, Rule{Service: DynamoDB, In: "lake_*", Actor: "writer-1",
		Select: Selection{Every: 10}, Effect: Effect{Kind: Conflict}}},
	{`on dynamodb BatchWriteItem nth 2..5 : unprocessed 7`, Rule{Service: DynamoDB, Operation: "BatchWriteItem",
		Select: Selection{First: 2, Last: 5}, Effect: Effect{Kind: Unprocessed, Count: 7}}},
	{`on s3 PutObject key "*/manifest/*" p 0.05 : error-after reset`, Rule{Service: S3, Operation: "PutObject",
		Key: "*/manifest/*", Select: Selection{P: 0.05}, Effect: Effect{Kind: ErrorAfter, Form: FormReset}}},
	{`on s3 cause manifest-body : cut 100`, Rule{Service: S3, Cause: "manifest-body", Effect: Effect{Kind: Cut, Count: 100}}},
	{`on s3 : cut`, Rule{Service: S3, Effect: Effect{Kind: Cut}}},
	{`on any : timeout 1s`, Rule{Service: Any, Effect: Effect{Kind: Timeout, Wait: time.Second}}},
	{`on any : timeout 1s lands 5m`, Rule{Service: Any, Effect: Effect{Kind: Timeout, Wait: time.Second, Lands: true, LandsAfter: 5 * time.Minute}}},
	{`on any : timeout 1s lands 0s`, Rule{Service: Any, Effect: Effect{Kind: Timeout, Wait: time.Second, Lands: true}}},
	{`on any : throttle`, Rule{Service: Any, Effect: Effect{Kind: Throttle}}},
	{`on dynamodb : throttle account`, Rule{Service: DynamoDB, Effect: Effect{Kind: Throttle, Form: FormAccount}}},
	{`on dynamodb : throttle action`, Rule{Service: DynamoDB, Effect: Effect{Kind: Throttle, Form: FormAction}}},
	{`on s3 HeadObject : error-before 403`, Rule{Service: S3, Operation: "HeadObject", Effect: Effect{Kind: ErrorBefore, Form: Form403}}},
	{`on s3 : error-before 409-bare`, Rule{Service: S3, Effect: Effect{Kind: ErrorBefore, Form: Form409Bare}}},
	{`on s3 : error-after 200-precondition`, Rule{Service: S3, Effect: Effect{Kind: ErrorAfter, Form: Form200Precondition}}},
	{`on any actor "a \"b\" \\ ünï" nth 1 : crash-before`, Rule{Service: Any, Actor: `a "b" \ ünï`,
		Select: Selection{First: 1, Last: 1}, Effect: Effect{Kind: CrashBefore}}},
	{`on any : crash-after`, Rule{Service: Any, Effect: Effect{Kind: CrashAfter}}},
	{`on any p 0.000001 : error-before 503`, Rule{Service: Any, Select: Selection{P: 0.000001}, Effect: Effect{Kind: ErrorBefore, Form: Form503}}},
}

func TestParseAndPrintBack(t *testing.T) {
	var all strings.Builder
	for _, c := range canonical {
		got := mustParse(t, c.text)
		if len(got) != 1 || got[0] != c.rule {
			t.Errorf("%s\nis %+v\nwant %+v", c.text, got, c.rule)
			continue
		}
		if printed := got[0].String(); printed != c.text {
			t.Errorf("%s\nprinted back as %s", c.text, printed)
		}
		all.WriteString(c.text + "\n")
	}
	if printed := mustParse(t, all.String()).String(); printed != all.String() {
		t.Errorf("all printed back as\n%s", printed)
	}
}

func TestParseForgivesWhatDoesNotMatter(t *testing.T) {
	rules := mustParse(t, strings.Join([]string{
		"# a comment",
		"",
		"  \t# another",
		`on s3 to 60s from 1500ms key "a#b:c"   nth 1:delay 1000us# the third`,
		"on dynamodb p 1.0 : conflict\r",
	}, "\n"))
	want := `on s3 key "a#b:c" from 1.5s to 1m nth 1 : delay 1ms` + "\n" + "on dynamodb p 1 : conflict\n"
	if got := rules.String(); got != want {
		t.Errorf("read as\n%s, want\n%s", got, want)
	}
}

// Column and a part of the message of each mistake. The columns point at the
// word that is wrong.
var mistakes = []struct {
	text    string
	column  int
	message string
}{
	{`in dynamodb : delay 1s`, 1, `expected on, found "in"`},
	{`on`, 3, `expected a service (dynamodb, s3 or any), found the end of the line`},
	{`on dynamo : delay 1s`, 4, `found "dynamo"; did you mean dynamodb?`},
	{`on dynamodb PutItm : delay 1s`, 13, `did you mean PutItem?`},
	{`on dynamodb PutObject : delay 1s`, 13, `dynamodb has no operation "PutObject"`},
	{`on any PutItem : delay 1s`, 8, `name the service`},
	{`on dynamodb putitem : delay 1s`, 13, `expected a condition`},
	{`on s3 keys "a" : delay 1s`, 7, `did you mean key?`},
	{`on s3 key a : delay 1s`, 11, `expected a pattern in quotes after "key", found "a"`},
	{`on s3 key "" : delay 1s`, 11, `matches nothing`},
	{`on s3 key "a : delay 1s`, 11, `does not end`},
	{`on s3 key "\q" : delay 1s`, 11, `does not end, or has a \`},
	{`on s3 key "a" key "b" : delay 1s`, 15, `a second "key"`},
	{`on s3 cause mutat : delay 1s`, 13, `expected a cause label (hint, probe,`},
	{`on dynamodb cause mutat : delay 1s`, 19, `did you mean mutate?`},
	{`on dynamodb cause wal : delay 1s`, 19, `found "wal"`},
	{`on s3 nth 0 : delay 1s`, 11, `expected a whole number from 1 after "nth", found "0"`},
	{`on s3 nth -1 : delay 1s`, 11, `from 1`},
	{`on s3 nth 01 : delay 1s`, 11, `from 1`},
	{`on s3 nth 3..2 : delay 1s`, 11, `not after the first`},
	{`on s3 nth 3.. : delay 1s`, 11, `from 1`},
	{`on s3 every 9223372036854775808 : delay 1s`, 13, `from 1`},
	{`on s3 nth 1 every 2 : delay 1s`, 13, `"every" beside "nth 1"`},
	{`on s3 p 0 : delay 1s`, 9, `a probability of 0 is impossible`},
	{`on s3 p 1.01 : delay 1s`, 9, `a probability of 1.01 is impossible`},
	{`on s3 p -0.5 : delay 1s`, 9, `expected a probability`},
	{`on s3 p 5% : delay 1s`, 9, `expected a probability`},
	{`on s3 p 1e-3 : delay 1s`, 9, `expected a probability`},
	{`on s3 p 0.5.5 : delay 1s`, 9, `expected a probability`},
	{`on s3 p NaN : delay 1s`, 9, `expected a probability`},
	{`on s3 from 0s : delay 1s`, 12, `too short`},
	{`on s3 from 10 : delay 1s`, 12, `expected a duration`},
	{`on s3 from 10s to 10s : delay 1s`, 19, `not after from 10s`},
	{`on s3 to 10s from 10s : delay 1s`, 14, `not before to 10s`},
	{`on s3 nth 1`, 12, `found the end of the line`},
	{`on s3 nth 1 delay 1s`, 13, `expected a condition`},
	{`on s3 :`, 8, `expected an effect (error-before, error-after, timeout, throttle, delay, cut, crash-before or crash-after)`},
	{`on s3 : eror-after`, 9, `did you mean error-after?`},
	{`on s3 : "delay" 1s`, 9, `expected an effect`},
	{`on s3 : delay`, 14, `expected a duration`},
	{`on s3 : delay 0s`, 15, `too short`},
	{`on s3 : delay 1s 2s`, 18, `expected the end of the line`},
	{`on s3 : timeout 1s lands`, 25, `expected a duration`},
	{`on s3 : timeout 1s lands -1s`, 26, `too short`},
	{`on s3 : timeout 1s land 1s`, 20, `expected the end of the line`},
	{`on s3 : cut 0`, 13, `from 1`},
	{`on dynamodb : unprocessed`, 26, `from 1`},
	{`on dynamodb : error-before 409`, 28, `error-before of dynamodb has no form "409"; it is 500, 503 or reset`},
	{`on dynamodb : error-before 403`, 28, `no form "403"`},
	{`on dynamodb : error-before 5oo`, 28, `did you mean 500?`},
	{`on s3 : error-after 409`, 21, `expected a form of error-after (500, 503, reset, 200 or 200-precondition)`},
	{`on any : error-before 409`, 23, `no form "409"`},
	{`on s3 : throttle provisioned`, 18, `throttle of s3 has no forms`},
	{`on any : throttle provisioned`, 19, `throttle of any has no forms`},
	{`on s3 : conflict`, 9, `s3 has no conflict`},
	{`on s3 : unprocessed 1`, 9, `s3 has no unprocessed 1`},
	{`on any : conflict`, 10, `name the service`},
	{`on dynamodb PutItem : throttle action`, 23, `PutItem of dynamodb has no throttle action; TransactWriteItems or TransactGetItems can`},
	{`on dynamodb GetItem : conflict`, 23, `GetItem of dynamodb has no conflict; PutItem, UpdateItem, DeleteItem, TransactWriteItems or TransactGetItems can`},
	{`on dynamodb PutItem : unprocessed 1`, 23, `PutItem of dynamodb has no unprocessed 1`},
	{`on s3 GetObject : error-before 409`, 19, `GetObject of s3 has no error-before 409`},
	{`on s3 GetObject : error-after 200`, 19, `GetObject of s3 has no error-after 200`},
	{`on s3 key "ü" ünknown : delay 1s`, 15, `found "ünknown"`},
}

func TestParseRefusesWithPlace(t *testing.T) {
	for _, c := range mistakes {
		_, err := Parse("rules.txt", "# first\n"+c.text+"\non s3 : delay 1s\n")
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%s: %v, want a syntax error", c.text, err)
			continue
		}
		if syntax.Name != "rules.txt" || syntax.Line != 2 || syntax.Column != c.column || !strings.Contains(syntax.Message, c.message) {
			t.Errorf("%s\n%v\nwant rules.txt:2:%d: …%s…", c.text, err, c.column, c.message)
		}
		if place := fmt.Sprintf("rules.txt:2:%d: ", c.column); !strings.HasPrefix(err.Error(), place) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q, want one line that begins with %s", err, place)
		}
	}
}

// The package comment's examples are rules, and so is every effect and every
// form where it says that there is one.
func TestEveryEffectHasARule(t *testing.T) {
	arguments := map[Kind]string{Timeout: " 1s", Delay: " 1s", Unprocessed: " 1"}
	seen := map[Kind]bool{}
	for _, w := range effectWords() {
		seen[w.kind] = true
		for service := range w.scope {
			mustParse(t, fmt.Sprintf("on %s : %s%s", service, w.kind, arguments[w.kind]))
		}
		for _, f := range w.forms {
			for service, ops := range f.scope {
				mustParse(t, fmt.Sprintf("on %s : %s %s", service, w.kind, f.form))
				for _, o := range ops {
					mustParse(t, fmt.Sprintf("on %s %s : %s %s", service, o, w.kind, f.form))
				}
			}
		}
	}
	if len(seen) != 10 {
		t.Errorf("%d kinds of effects, the package comment describes 10", len(seen))
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"a", "", false},
		{"*", "", true}, {"*", "a/b", true},
		{"a*", "a", true}, {"a*", "abc", true}, {"a*", "ba", false},
		{"*a", "ba", true}, {"*a", "ab", false}, {"*a", "aba", true},
		{"a*b*c", "a1b2c", true}, {"a*b*c", "abc", true}, {"a*b*c", "acb", false}, {"a*b*c", "a1b2c3", false},
		{"a*a", "a", false}, {"a*a", "aa", true}, {"*ab*ab", "xab", false}, {"*ab*ab", "abab", true},
		{"**", "x", true}, {"tbl/*", "tbl2/a", false},
	} {
		if got := match(c.pattern, c.text); got != c.want {
			t.Errorf("match(%q, %q) = %v", c.pattern, c.text, got)
		}
	}
}

// What Parse accepts, it prints so that it is the same again.
func FuzzParse(f *testing.F) {
	for _, c := range canonical {
		f.Add(c.text)
	}
	for _, c := range mistakes {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := Parse("fuzz", text)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Line < 1 || syntax.Column < 1 || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q", err)
			}
			return
		}
		printed := rules.String()
		again, err := Parse("printed", printed)
		if err != nil {
			t.Fatalf("%v in\n%s", err, printed)
		}
		if len(again) != len(rules) || again.String() != printed {
			t.Fatalf("printed\n%s and again\n%s", printed, again)
		}
		for i := range rules {
			if rules[i] != again[i] {
				t.Fatalf("%+v, printed and read %+v", rules[i], again[i])
			}
		}
	})
}
