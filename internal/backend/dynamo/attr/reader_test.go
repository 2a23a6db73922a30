package attr_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lakebench/lakebench/internal/backend/dynamo/attr"
)

// readAll skips one value and everything up to the end.
func readAll(text string) error {
	r := attr.NewReader(text)
	if err := r.Skip(); err != nil {
		return err
	}
	return r.End()
}

func TestReaderSyntax(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, `""`, `0`, `-0`, `12`, `1.5`, `1e5`, `1E+5`, `1e-05`, `-0.1e1`, `true`, `false`, `null`,
		" {\t\"a\" :\r\n1 , \"b\":[ ] } ", `[1,"a",[{}],null]`, `"\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00"`, `"é😀"`, "\"\x7f\"", `{"a":1,"a":2}`,
	} {
		if err := readAll(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		``:                  `malformed JSON at byte 0: expected a value, found the end of the text`,
		`x`:                 `malformed JSON at byte 0: expected a value, found 'x'`,
		`{`:                 `malformed JSON at byte 1: expected ',' or '}', found the end of the text`,
		`{"a"}`:             `malformed JSON at byte 4 in a: expected ':', found '}'`,
		`{"a":}`:            `malformed JSON at byte 5 in a: expected a value, found '}'`,
		`{"a":1,}`:          `malformed JSON at byte 7: expected a member's name in quotes, found '}'`,
		`{"a":1 "b":2}`:     `malformed JSON at byte 7: expected ',' or '}', found '"'`,
		`{a:1}`:             `malformed JSON at byte 1: expected a member's name in quotes, found 'a'`,
		`{"a":{"b":[1,{]}`:  `malformed JSON at byte 14 in a.b[1]: expected a member's name in quotes, found ']'`,
		`[1,]`:              `malformed JSON at byte 3 in [1]: expected a value, found ']'`,
		`[1 2]`:             `malformed JSON at byte 3: expected ',' or ']', found '2'`,
		`[,1]`:              `malformed JSON at byte 1 in [0]: expected a value, found ','`,
		`"a`:                `malformed JSON at byte 2: expected the closing quote of a string, found the end of the text`,
		"\"a\nb\"":          `malformed JSON at byte 2: expected a character that may stand in a string, found '\n'`,
		"\"\\\\\n\"":        `malformed JSON at byte 3: expected a character that may stand in a string, found '\n'`,
		`"\x"`:              `malformed JSON at byte 2: expected one of "\/bfnrtu behind a backslash, found 'x'`,
		`"\`:                `malformed JSON at byte 2: expected an escape sequence, found the end of the text`,
		`"\u12`:             `malformed JSON at byte 5: expected a hexadecimal digit, found the end of the text`,
		`"\u12g4"`:          `malformed JSON at byte 5: expected a hexadecimal digit, found 'g'`,
		`"\ud83d"`:          `malformed JSON at byte 1: expected both halves of a surrogate pair`,
		`"ab\ude00\ud83d"`:  `malformed JSON at byte 3: expected both halves of a surrogate pair`,
		`"\ud83d\u0041"`:    `malformed JSON at byte 1: expected both halves of a surrogate pair`,
		"\"a\xffb\"":        `malformed JSON at byte 2: expected valid UTF-8`,
		"\"a\xed\xa0\x80\"": `malformed JSON at byte 2: expected valid UTF-8`,
		"\"\\n\xff\"":       `malformed JSON at byte 1: expected valid UTF-8 in a string`,
		`01`:                `malformed JSON at byte 1: expected the end of the text, found '1'`,
		`-`:                 `malformed JSON at byte 1: expected a digit, found the end of the text`,
		`+1`:                `malformed JSON at byte 0: expected a value, found '+'`,
		`.5`:                `malformed JSON at byte 0: expected a value, found '.'`,
		`1.`:                `malformed JSON at byte 2: expected a digit, found the end of the text`,
		`1e`:                `malformed JSON at byte 2: expected a digit, found the end of the text`,
		`1e+x`:              `malformed JSON at byte 3: expected a digit, found 'x'`,
		`tru`:               `malformed JSON at byte 0: expected true, found 't'`,
		`nul`:               `malformed JSON at byte 0: expected null, found 'n'`,
		`True`:              `malformed JSON at byte 0: expected a value, found 'T'`,
		`NaN`:               `malformed JSON at byte 0: expected a value, found 'N'`,
		`1 2`:               `malformed JSON at byte 2: expected the end of the text, found '2'`,
		"\ufeff1":           `malformed JSON at byte 0: expected a value, found '\ufeff'`,
		`// a`:              `malformed JSON at byte 0: expected a value, found '/'`,
	} {
		err := readAll(text)
		var e *attr.SyntaxError
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestReaderTypes(t *testing.T) {
	read := map[attr.JSONType]func(r *attr.Reader) error{
		attr.JSONObject:  func(r *attr.Reader) error { return r.Object(func(string) error { return r.Skip() }) },
		attr.JSONArray:   func(r *attr.Reader) error { return r.Array(func(int) error { return r.Skip() }) },
		attr.JSONString:  func(r *attr.Reader) error { _, err := r.String(); return err },
		attr.JSONBool:    func(r *attr.Reader) error { _, err := r.Bool(); return err },
		attr.JSONInteger: func(r *attr.Reader) error { _, err := r.Int(); return err },
	}
	for _, c := range []struct {
		text string
		// as is what the text may be read as, found what an error calls it.
		as, found attr.JSONType
	}{
		{`{"a":1}`, attr.JSONObject, attr.JSONObject},
		{`[1]`, attr.JSONArray, attr.JSONArray},
		{`"a"`, attr.JSONString, attr.JSONString},
		{`true`, attr.JSONBool, attr.JSONTrue},
		{`false`, attr.JSONBool, attr.JSONFalse},
		{`12`, attr.JSONInteger, attr.JSONNumber},
		{`1.5`, "", attr.JSONNumber},
		{`1e2`, "", attr.JSONNumber},
		{`9223372036854775808`, "", attr.JSONNumber},
		{`null`, "", attr.JSONNull},
	} {
		for want, f := range read {
			err := f(attr.NewReader(" " + c.text))
			if want == c.as {
				if err != nil {
					t.Errorf("%s as %s: %v", c.text, want, err)
				}
				continue
			}
			var e *attr.TypeError
			if !errors.As(err, &e) || e.Want != want || e.Found != c.found || e.Offset != 1 {
				t.Errorf("%s as %s: %v", c.text, want, err)
			}
		}
	}
}

func TestReaderPath(t *testing.T) {
	r := attr.NewReader(`{"Item":{"list":[1,{"x":true}]}}`)
	err := r.Object(func(string) error {
		return r.Object(func(string) error {
			return r.Array(func(i int) error {
				if i == 0 {
					return r.Skip()
				}
				return r.Object(func(string) error { _, err := r.String(); return err })
			})
		})
	})
	if want := "wrong type at byte 24 in Item.list[1].x: expected string, found true"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestReaderValues(t *testing.T) {
	r := attr.NewReader(`["a\"\\\/\b\f\n\r\té\u00e9\uD83D\uDE00", true, false, -9223372036854775808, null, 7]`)
	want := []any{"a\"\\/\b\f\n\r\téé😀", true, false, int64(-1 << 63), nil, int64(7)}
	err := r.Array(func(i int) error {
		var got any
		var err error
		switch want[i].(type) {
		case string:
			got, err = r.String()
		case bool:
			got, err = r.Bool()
		case int64:
			if null, nerr := r.Null(); null || nerr != nil {
				t.Errorf("element %d: null %v, %v", i, null, nerr)
			}
			got, err = r.Int()
		default:
			if null, nerr := r.Null(); !null || nerr != nil {
				t.Errorf("element %d: null %v, %v", i, null, nerr)
			}
		}
		if got != want[i] {
			t.Errorf("element %d is %v, want %v", i, got, want[i])
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Deep nesting is an error, not a deep stack.
func TestReaderDepth(t *testing.T) {
	for _, part := range []string{`[`, `{"a":`} {
		if err := readAll(strings.Repeat(part, 1_000_000)); err == nil || !strings.Contains(err.Error(), "nested more than 256 levels deep") {
			t.Errorf("a million times %s: %.200v", part, err)
		}
	}
	for levels, ok := range map[int]bool{256: true, 257: false} {
		if err := readAll(strings.Repeat(`[`, levels) + strings.Repeat(`]`, levels)); (err == nil) != ok {
			t.Errorf("%d levels: %v", levels, err)
		}
	}
	// Levels that are closed do not count.
	if err := readAll(`[` + strings.Repeat(`[],`, 1000) + `[]]`); err != nil {
		t.Errorf("1,000 arrays side by side: %v", err)
	}
}

func TestAppendQuoted(t *testing.T) {
	for s, want := range map[string]string{
		"":                                `""`,
		"plain text of some length":       `"plain text of some length"`,
		"\"\\/":                           `"\"\\/"`,
		"\x00\x1f\n\r\t":                  `"\u0000\u001f\n\r\t"`,
		"é😀\u2028<>&\x7f":                 "\"é😀\u2028<>&\x7f\"",
		"12345678\"12345678\\1234567\x01": `"12345678\"12345678\\1234567\u0001"`,
		"a\xffb":                          "\"a\ufffdb\"",
	} {
		if got := string(attr.AppendQuoted(nil, s)); got != want {
			t.Errorf("%q quoted is %s, want %s", s, got, want)
		}
	}
}

// FuzzReader holds the Reader against jsontext: both accept the same texts, and
// a string means the same to both.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		putRequest(), `{"a":[1,-2.5e+10,{"b":null}],"c":"\u00e9\ud83d\ude00\n"}`, `"a`, `[1,]`, `"\ud83d"`, "\"\xff\"", `{"a":1,"a":2}`,
		`"01234567\"01234567"`, "\"0123456\x1f\"", "\"0123456é\"", `  [ ]  `, `-0`, `1E5`, `tru`, "\v1", `{"":""}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := readAll(text)
		var syntax *attr.SyntaxError
		if err != nil && !errors.As(err, &syntax) {
			t.Fatalf("%q: %T %v", text, err, err)
		}
		if err != nil && strings.Contains(err.Error(), "levels deep") {
			return
		}
		d := jsontext.NewDecoder(bytes.NewReader([]byte(text)), jsontext.AllowDuplicateNames(true))
		oracle := d.SkipValue()
		if oracle == nil && strings.Trim(text[d.InputOffset():], " \t\r\n") != "" {
			oracle = errors.New("more than one value")
		}
		if (err == nil) != (oracle == nil) {
			t.Fatalf("%q: the Reader says %v, jsontext says %v", text, err, oracle)
		}
		if s, err := attr.NewReader(text).String(); err == nil {
			d := jsontext.NewDecoder(bytes.NewReader([]byte(text)))
			if tok, err := d.ReadToken(); err == nil && tok.String() != s {
				t.Fatalf("%q is %q to the Reader and %q to jsontext", text, s, tok.String())
			}
		}
		if !utf8.ValidString(text) {
			return
		}
		quoted := string(attr.AppendQuoted(nil, text))
		back, err := attr.NewReader(quoted).String()
		if err != nil || back != text {
			t.Fatalf("%q quoted as %s is read as %q, %v", text, quoted, back, err)
		}
	})
}
