package attr_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/lakebench/lakebench/internal/attr"
)

// readAll skips one value and everything up to the end.
func readAll(text string) error {
	r := attr.NewReader([]byte(text))
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
	// Where a text stops being JSON. What is wrong there is in jsontext's words.
	for text, want := range map[string]string{
		``:                  "byte 0",
		`x`:                 "byte 0",
		`{`:                 "byte 1",
		`{"a"}`:             "byte 4 in a",
		`{"a":}`:            "byte 5 in a",
		`{"a":1,}`:          "byte 6",
		`{"a":1 "b":2}`:     "byte 7",
		`{a:1}`:             "byte 1",
		`{"a":{"b":[1,{]}`:  "byte 14 in a.b[1]",
		`[1,]`:              "byte 2 in [1]",
		`[1 2]`:             "byte 3 in [1]",
		`[,1]`:              "byte 1 in [0]",
		`"a`:                "byte 2",
		"\"a\nb\"":          "byte 2",
		"\"\\\\\n\"":        "byte 3",
		`"\x"`:              "byte 1",
		`"\`:                "byte 2",
		`"\u12`:             "byte 5",
		`"\u12g4"`:          "byte 1",
		`"\ud83d"`:          "byte 1",
		`"ab\ude00\ud83d"`:  "byte 3",
		`"\ud83d\u0041"`:    "byte 1",
		"\"a\xffb\"":        "byte 2",
		"\"a\xed\xa0\x80\"": "byte 2",
		"\"\\n\xff\"":       "byte 3",
		`01`:                "byte 1",
		`-`:                 "byte 1",
		`+1`:                "byte 0",
		`.5`:                "byte 0",
		`1.`:                "byte 2",
		`1e`:                "byte 2",
		`1e+x`:              "byte 3",
		`tru`:               "byte 3",
		`nul`:               "byte 3",
		`True`:              "byte 0",
		`NaN`:               "byte 0",
		`1 2`:               "byte 2",
		"\ufeff1":           "byte 0",
		`// a`:              "byte 0",
	} {
		err := readAll(text)
		var e *attr.SyntaxError
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), "malformed JSON at "+want+": ") || e.Problem == "" || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s:\n got %v\nwant one line about %s", text, err, want)
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
			err := f(attr.NewReader([]byte(" " + c.text)))
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
	r := attr.NewReader([]byte(`{"Item":{"list":[1,{"x":true}]}}`))
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
	r := attr.NewReader([]byte(`["a\"\\\/\b\f\n\r\té\u00e9\uD83D\uDE00", true, false, -9223372036854775808, null, 7]`))
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

// FuzzReader compares the Reader with encoding/json: a string means the same to both,
// and both accept the same texts, except that the Reader refuses invalid UTF-8 and
// halves of surrogate pairs.
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
		valid := json.Valid([]byte(text))
		if err == nil && !valid {
			t.Fatalf("%q: the Reader accepts what encoding/json refuses", text)
		}
		if strict := utf8.ValidString(text) && !strings.Contains(text, `\u`); err != nil && valid && strict {
			t.Fatalf("%q: the Reader refuses what encoding/json accepts: %v", text, err)
		}
		if s, readErr := attr.NewReader([]byte(text)).String(); readErr == nil && err == nil {
			var want string
			if err := json.Unmarshal([]byte(text), &want); err != nil || s != want {
				t.Fatalf("%q is %q to the Reader and %q to encoding/json (%v)", text, s, want, err)
			}
		}
		if !utf8.ValidString(text) {
			return
		}
		quoted := string(attr.AppendQuoted(nil, text))
		back, err := attr.NewReader([]byte(quoted)).String()
		if err != nil || back != text {
			t.Fatalf("%q quoted as %s is read as %q, %v", text, quoted, back, err)
		}
	})
}
