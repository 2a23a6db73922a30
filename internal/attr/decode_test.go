package attr_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/internal/attr"
)

func readValue(text string) (attr.Value, error) {
	r := attr.NewReader([]byte(text))
	v, err := r.Value()
	if err != nil {
		return v, err
	}
	return v, r.End()
}

// What is stored for a value, as DynamoDB Local 1.25.1 answers when it is read
// back.
func TestDecodeValue(t *testing.T) {
	for text, want := range map[string]string{
		`{"S":""}`:                            `{"S":""}`,
		`{"S":"\u0000\ud83d\ude00"}`:          `{"S":"\u0000😀"}`,
		"\t{\n\"S\" :\r\"a\"}":                `{"S":"a"}`,
		`{"S":"a","X":[1]}`:                   `{"S":"a"}`,
		`{"S":"a","N":null}`:                  `{"S":"a"}`,
		`{"N":"+1"}`:                          `{"N":"1"}`,
		`{"N":"1.5E2"}`:                       `{"N":"150"}`,
		`{"B":""}`:                            `{"B":""}`,
		`{"B":"YQ=="}`:                        `{"B":"YQ=="}`,
		`{"B":"\u0059Q=="}`:                   `{"B":"YQ=="}`,
		`{"BOOL":true}`:                       `{"BOOL":true}`,
		`{"BOOL":false}`:                      `{"BOOL":false}`,
		`{"NULL":true}`:                       `{"NULL":true}`,
		`{"L":[]}`:                            `{"L":[]}`,
		`{"M":{}}`:                            `{"M":{}}`,
		`{"L":[{"N":"1"},{"L":[{"S":"a"}]}]}`: `{"L":[{"N":"1"},{"L":[{"S":"a"}]}]}`,
		`{"M":{"b":{"S":"a"},"a":{"BOOL":true}}}`: `{"M":{"a":{"BOOL":true},"b":{"S":"a"}}}`,
		`{"SS":["b","a"]}`:                        `{"SS":["a","b"]}`,
		`{"SS":[""]}`:                             `{"SS":[""]}`,
		`{"NS":["10","9","-1"]}`:                  `{"NS":["-1","9","10"]}`,
		`{"BS":["Yg==","YQ==",""]}`:               `{"BS":["","YQ==","Yg=="]}`,
	} {
		v, err := readValue(text)
		if err != nil || v.String() != want {
			t.Errorf("%s is %s, %v; want %s", text, v, err, want)
		}
	}
}

func TestDecodeInvalidValues(t *testing.T) {
	const (
		empty   = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
		several = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
		invalid = "One or more parameter values were invalid: "
	)
	for text, want := range map[string]string{
		`{}`: empty, `null`: empty, `{"S":null}`: empty, `{"X":"a"}`: empty, `{"s":"a"}`: empty, `{"":{}}`: empty,
		`{"S":"a","N":"1"}`:                       several,
		`{"S":"a","S":"b"}`:                       several,
		`{"BOOL":false,"NULL":true}`:              several,
		`{"NULL":false}`:                          "NULL: " + invalid + "Null attribute value types must have the value of true",
		`{"N":""}`:                                "N: The parameter cannot be converted to a numeric value",
		`{"N":"1x"}`:                              "N: The parameter cannot be converted to a numeric value: 1x",
		`{"N":"1x","S":"a"}`:                      "N: The parameter cannot be converted to a numeric value: 1x",
		`{"N":"1E126"}`:                           "N: Number overflow. Attempting to store a number with magnitude larger than supported range",
		`{"N":"1E-131"}`:                          "N: Number underflow. Attempting to store a number with magnitude smaller than supported range",
		`{"N":"` + strings.Repeat("1", 39) + `"}`: "N: Attempting to store more than 38 significant digits in a Number",
		`{"SS":[]}`:                               "SS: " + invalid + "An string set  may not be empty",
		`{"SS":["a","a"]}`:                        "SS: " + invalid + "Input collection [a, a] contains duplicates.",
		`{"SS":["a",null]}`:                       "SS[1]: " + invalid + "An string set may not have a null string as a member",
		`{"NS":[null]}`:                           "NS[0]: " + invalid + "An number set may not have a null number as a member",
		`{"BS":[null]}`:                           "BS[0]: " + invalid + "Binary sets may not have a null binary as a member",
		`{"NS":["1","1.0"]}`:                      "NS: Input collection contains duplicates",
		`{"L":[{"S":"a"},{"N":"x"},{}]}`:          "L[1].N: The parameter cannot be converted to a numeric value: x",
		`{"L":[null]}`:                            "L[0]: " + empty,
		`{"M":{"a":null}}`:                        "M.a: " + empty,
		`{"M":{"":{"S":"a"}}}`:                    "M: Empty attribute name",
	} {
		v, err := readValue(text)
		var e *attr.ValueError
		if !errors.As(err, &e) || err.Error() != want || v.IsValid() {
			t.Errorf("%s is %s:\n got %v\nwant %s", text, v, err, want)
		}
	}
}

func TestDecodeWrongTypes(t *testing.T) {
	for text, want := range map[string]string{
		`"a"`:             "byte 0: expected object, found string",
		`[]`:              "byte 0: expected object, found array",
		`5`:               "byte 0: expected object, found number",
		`{"S":5}`:         "byte 5 in S: expected string, found number",
		`{"S":["a"]}`:     "byte 5 in S: expected string, found array",
		`{"N":5}`:         "byte 5 in N: expected string, found number",
		`{"B":true}`:      "byte 5 in B: expected base64 string, found true",
		`{"B":"YQ"}`:      "byte 5 in B: expected base64 string, found string",
		`{"B":"YR=="}`:    "byte 5 in B: expected base64 string, found string",
		`{"B":"a-_b"}`:    "byte 5 in B: expected base64 string, found string",
		`{"B":"YQ=\n="}`:  "byte 5 in B: expected base64 string, found string",
		`{"B":"YQ=\r="}`:  "byte 5 in B: expected base64 string, found string",
		`{"BOOL":"true"}`: "byte 8 in BOOL: expected boolean, found string",
		`{"BOOL":1}`:      "byte 8 in BOOL: expected boolean, found number",
		`{"NULL":"a"}`:    "byte 8 in NULL: expected boolean, found string",
		`{"L":{}}`:        "byte 5 in L: expected array, found object",
		`{"M":[]}`:        "byte 5 in M: expected object, found array",
		`{"SS":"a"}`:      "byte 6 in SS: expected array, found string",
		`{"SS":[1]}`:      "byte 7 in SS[0]: expected string, found number",
		`{"BS":["Y"]}`:    "byte 7 in BS[0]: expected base64 string, found string",
		`{"L":["a"]}`:     "byte 6 in L[0]: expected object, found string",
		`{"M":{"a":"b"}}`: "byte 10 in M.a: expected object, found string",
		// A wrong type outweighs an invalid value before it.
		`{"L":[{"N":"x"},{"S":1}]}`: "byte 21 in L[1].S: expected string, found number",
	} {
		_, err := readValue(text)
		var e *attr.TypeError
		if !errors.As(err, &e) || err.Error() != "wrong type at "+want {
			t.Errorf("%s:\n got %v\nwant wrong type at %s", text, err, want)
		}
	}
}

// 31 lists or maps in each other are stored, 32 refused (DynamoDB Local
// 1.25.1; on AWS 32 are refused too).
func TestDecodeDepth(t *testing.T) {
	for _, nest := range [][3]string{
		{`{"L":[`, `{"S":"x"}`, `]}`}, {`{"L":[`, ``, `]}`},
		{`{"M":{"a":`, `{"S":"x"}`, `}}`}, {`{"M":{"a":`, `{"M":{}}`, `}}`},
	} {
		inner := strings.Count(nest[1], "M")
		for depth, ok := range map[int]bool{31: true, 32: false, 33: false, 80: false} {
			text := strings.Repeat(nest[0], depth-inner) + nest[1] + strings.Repeat(nest[2], depth-inner)
			_, err := readValue(text)
			var e *attr.ValueError
			if ok && err != nil || !ok && (!errors.As(err, &e) || e.Rule != attr.TooDeep) {
				t.Errorf("%d levels of %s: %v", depth, nest[0], err)
			}
		}
	}
}

func TestDecodeItem(t *testing.T) {
	r := attr.NewReader([]byte(`{"b":{"S":"x"},"a":{"N":"1"}} {"a":{"N":"x"},"b":{"S":"y"}} {"a":{"S":"1"},"a":{"S":"2"}}`))
	it, err := r.Item()
	if err != nil || it.String() != `{"a":{"N":"1"},"b":{"S":"x"}}` {
		t.Errorf("%s, %v", it, err)
	}
	// After an invalid value the Reader stands behind the item.
	it, err = r.Item()
	var e *attr.ValueError
	if it != nil || !errors.As(err, &e) || e.Path != "a.N" || e.Rule != attr.NotANumber {
		t.Errorf("%s, %v", it, err)
	}
	it, err = r.Item()
	var s *attr.SyntaxError
	if it != nil || !errors.As(err, &s) || s.Error() != "malformed JSON at byte 60: attribute name a occurs twice" {
		t.Errorf("%s, %v", it, err)
	}
}

func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		it := item(3, 6).Draw(t, "item")
		r := attr.NewReader([]byte(it.String()))
		back, err := r.Item()
		if err == nil {
			err = r.End()
		}
		if err != nil || !back.Equal(it) {
			t.Fatalf("%s is read as %s, %v", it, back, err)
		}
	})
}

// FuzzDecodeItem reads whatever it is given; what it accepts comes back the
// same from either encoding.
func FuzzDecodeItem(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"pk":{"S":"a"},"value":{"B":"YQ=="}}`, `{"a":{"N":"-1.5e10"},"b":{"NULL":true},"c":{"BOOL":true}}`,
		`{"a":{"L":[{"M":{"x":{"SS":["b","a"]}}},{"NS":["1","2e0"]},{"BS":["YQ==",""]}]}}`,
		`{"a":{"S":"\ud83d\ude00\u0000"}}`, `{"a":{"N":"1E126"}}`, `{"a":{}}`, `{"a":{"S":"x","N":"1"}}`, `{"a":{"L":[{"L":[{"L":[]}]}]}}`,
		`{"a":{"N":"0.000000000000000000000000000000000000000000000012345678901234567890123456789012345678"}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := attr.NewReader([]byte(text))
		it, err := r.Item()
		if err != nil {
			return
		}
		checkRoundTrip(t, it)
		again, err := attr.NewReader([]byte(it.String())).Item()
		if err != nil || !again.Equal(it) {
			t.Fatalf("%s is written as %s and read as %s, %v", text, it, again, err)
		}
	})
}
