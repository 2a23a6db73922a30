package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"pgregory.net/rapid"
)

// exportLine writes an item as an export has it, with the SDK's own marshalling.
func exportLine(t interface{ Fatal(...any) }, item map[string]types.AttributeValue) []byte {
	inner, err := attributevalue.MarshalMapJSON(item)
	if err != nil {
		t.Fatal(err)
	}
	return append(append([]byte(`{"Item":`), inner...), '}')
}

// numbers and their sizes as docs/facts/dynamodb.md §3.1 has them captured.
var numbers = map[string]int{
	"5": 2, "123": 3, "1234": 3, "-5": 3, "0": 1, "1.5": 3, "10": 2, strings.Repeat("9", 38): 20,
}

// sizeOf is the sizing rule over the SDK's types, written a second time.
func sizeOf(v types.AttributeValue) (n int) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return numbers[v.Value]
	case *types.AttributeValueMemberB:
		return len(v.Value)
	case *types.AttributeValueMemberBOOL, *types.AttributeValueMemberNULL:
		return 1
	case *types.AttributeValueMemberSS:
		return len(strings.Join(v.Value, ""))
	case *types.AttributeValueMemberNS:
		for _, s := range v.Value {
			n += numbers[s]
		}
		return n
	case *types.AttributeValueMemberBS:
		return len(bytes.Join(v.Value, nil))
	case *types.AttributeValueMemberL:
		n = 3
		for _, e := range v.Value {
			n += sizeOf(e) + 1
		}
		return n
	case *types.AttributeValueMemberM:
		n = 3
		for k, e := range v.Value {
			n += len(k) + sizeOf(e) + 1
		}
		return n
	}
	panic(fmt.Sprintf("%T", v))
}

func itemSize(item map[string]types.AttributeValue) (n int) {
	for k, v := range item {
		n += len(k) + sizeOf(v)
	}
	return n
}

func number() *rapid.Generator[string] {
	var all []string
	for n := range numbers {
		all = append(all, n)
	}
	return rapid.SampledFrom(all)
}

func value(depth int) *rapid.Generator[types.AttributeValue] {
	return rapid.Custom(func(t *rapid.T) types.AttributeValue {
		kinds := 8
		if depth > 0 {
			kinds = 10
		}
		data := rapid.SliceOfN(rapid.Byte(), 0, 50)
		switch rapid.IntRange(1, kinds).Draw(t, "kind") {
		case 1:
			return &types.AttributeValueMemberS{Value: rapid.String().Draw(t, "S")}
		case 2:
			return &types.AttributeValueMemberN{Value: number().Draw(t, "N")}
		case 3:
			return &types.AttributeValueMemberB{Value: data.Draw(t, "B")}
		case 4:
			return &types.AttributeValueMemberBOOL{Value: rapid.Bool().Draw(t, "BOOL")}
		case 5:
			return &types.AttributeValueMemberNULL{Value: true}
		case 6:
			return &types.AttributeValueMemberSS{Value: rapid.SliceOfNDistinct(rapid.String(), 1, 4, rapid.ID[string]).Draw(t, "SS")}
		case 7:
			return &types.AttributeValueMemberNS{Value: rapid.SliceOfNDistinct(number(), 1, 4, rapid.ID[string]).Draw(t, "NS")}
		case 8:
			return &types.AttributeValueMemberBS{Value: rapid.SliceOfNDistinct(data, 1, 4, func(b []byte) string { return string(b) }).Draw(t, "BS")}
		case 9:
			return &types.AttributeValueMemberL{Value: rapid.SliceOfN(value(depth-1), 0, 4).Draw(t, "L")}
		default:
			return &types.AttributeValueMemberM{Value: rapid.MapOfN(rapid.StringN(1, -1, -1), value(depth-1), 0, 4).Draw(t, "M")}
		}
	})
}

func TestItemSizeOfWhatTheSDKMarshals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		item := rapid.MapOfN(rapid.StringN(1, -1, -1), value(3), 0, 5).Draw(t, "attributes")
		key := rapid.StringN(1, -1, 2048).Draw(t, "key")
		item["pk"] = &types.AttributeValueMemberS{Value: key}
		p := parser{keyAttribute: "pk"}
		line := exportLine(t, item)
		got, err := p.parse(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got.key != key || got.bytes != itemSize(item) {
			t.Fatalf("%s: key %q, %d bytes, expected %d", line, got.key, got.bytes, itemSize(item))
		}
	})
}

// What was measured on DynamoDB Local (docs/facts/dynamodb.md §3.1), beside pk (2+1)
// and the attribute's name a.
func TestMeasuredSizes(t *testing.T) {
	for text, want := range map[string]int{
		`{"L":[]}`: 3, `{"L":[{"S":"ab"}]}`: 6, `{"L":[{"S":"ab"},{"S":"cd"}]}`: 9,
		`{"M":{}}`: 3, `{"M":{"k":{"S":"ab"}}}`: 7, `{"SS":["ab","cd"]}`: 4,
		`{"B":""}`: 0, `{"B":"AAEC"}`: 3, `{"B":"AAE="}`: 2, `{"S":"\u00e9\ud83d\ude00"}`: 6, `{"BOOL":false}`: 1, `{"NULL":true}`: 1,
	} {
		p := parser{keyAttribute: "pk"}
		got, err := p.parse([]byte(` { "Item" : {"a":` + text + `,"pk":{"S":"k"}} } `))
		if err != nil || got.key != "k" || got.bytes != 2+1+1+want {
			t.Errorf("%s: %+v, %v, expected %d bytes", text, got, err, 4+want)
		}
	}
}

func nested(levels int) string {
	return strings.Repeat(`{"L":[`, levels) + `{"S":"x"}` + strings.Repeat(`]}`, levels)
}

// badLines are lines that are no item, and what is said about them.
var badLines = []struct {
	line, want string
	is         error
}{
	{"", "empty line", nil},
	{"  ", "ends too early", nil},
	{`[]`, "expected object, found array", nil},
	{`{}`, `no "Item"`, nil},
	{`{"Item":{"pk":{"S":"a"}}`, "ends too early", nil},
	{`{"Item":{"pk":{"S":"a"}}}}`, "malformed JSON at byte 25", nil},
	{`{"Item":{"pk":{"S":"a"}},"Item":{}}`, `a second "Item"`, nil},
	{`{"Item":{"pk":{"S":"a"}},"Extra":{}}`, `unknown member "Extra"`, nil},
	{`{"pk":{"S":"a"}}`, `unknown member "pk", expected "Item"`, nil},
	{`{"Keys":{"pk":{"S":"a"}},"NewImage":{}}`, `the line has "Keys"`, ErrIncremental},
	{`{"Item":[]}`, "in Item: expected object, found array", nil},
	{`{"Item":{}}`, "without attributes", nil},
	{`{"Item":{"id":{"S":"a"}}}`, `no key attribute "pk"; there is "id", for one`, nil},
	{`{"Item":{"pk":{"N":"1"}}}`, `attribute "pk": type N, expected the key to be a string`, nil},
	{`{"Item":{"pk":{"S":""}}}`, "key of 0 bytes, expected 1 to 2048", nil},
	{`{"Item":{"pk":{"S":"` + strings.Repeat("k", 2049) + `"}}}`, "key of 2049 bytes", nil},
	{`{"Item":{"pk":{"S":"a"},"pk":{"S":"b"}}}`, "attribute name pk occurs twice", nil},
	{`{"Item":{"pk":{"S":"a"},"v":"x"}}`, "in Item.v: expected object, found string", nil},
	{`{"Item":{"pk":{"S":"a"},"v":{}}}`, "Item.v: Supplied AttributeValue is empty", nil},
	{`{"Item":{"pk":{"S":"a","B":""}}}`, "Item.pk: Supplied AttributeValue has more than one datatypes set", nil},
	{`{"Item":{"pk":{"S":"a"},"v":{"X":"y"}}}`, "Item.v: Supplied AttributeValue is empty", nil},
	{`{"Item":{"pk":{"S":"a"},"v":{"S":7}}}`, "in Item.v.S: expected string, found number", nil},
	{`{"Item":{"pk":{"S":"a"},"v":{"N":"seven"}}}`, "Item.v.N: The parameter cannot be converted to a numeric value: seven", nil},
	{`{"Item":{"pk":{"S":"a"},"v":{"B":"!!"}}}`, "in Item.v.B: expected base64 string", nil},
	{`{"Item":{"pk":{"S":"a"},"v":{"BOOL":"true"}}}`, "in Item.v.BOOL: expected boolean, found string", nil},
	{`{"Item":{"pk":{"S":"a"},"v":{"NULL":"true"}}}`, "in Item.v.NULL: expected boolean, found string", nil},
	{`{"Item":{"pk":{"S":"a"},"v":{"SS":[]}}}`, "Item.v.SS: ", nil},
	{`{"Item":{"pk":{"S":"a"},"v":{"NS":["1",2]}}}`, "in Item.v.NS[1]: expected string, found number", nil},
	{`{"Item":{"pk":{"S":"a"},"v":{"L":{}}}}`, "in Item.v.L: expected array, found object", nil},
	{`{"Item":{"pk":{"S":"a"},"v":` + nested(32) + `}}`, "Nesting Levels have exceeded", nil},
	{`{"Item":{"pk":{"S":"\ud800"}}}`, "malformed JSON", nil},
	{"{\"Item\":{\"pk\":{\"S\":\"\xff\"}}}", "UTF-8", nil},
	{`{"Item":{"pk":{"S":"a"},"v":{"S":"` + strings.Repeat("v", 409_600-2-1-1+1) + `"}}}`, "item of 409601 bytes", nil},
}

func TestBadLines(t *testing.T) {
	p := parser{keyAttribute: "pk"}
	for _, tt := range badLines {
		_, err := p.parse([]byte(tt.line))
		if err == nil || !strings.Contains(err.Error(), tt.want) || (tt.is != nil && !errors.Is(err, tt.is)) {
			t.Errorf("%.80s: error %v, expected %q", tt.line, err, tt.want)
		}
		if err != nil && len(err.Error()) > 300 {
			t.Errorf("%.80s: error of %d characters", tt.line, len(err.Error()))
		}
		// The parser is fit for the next line.
		if it, err := p.parse([]byte(`{"Item":{"pk":{"S":"a"}}}`)); err != nil || it != (item{"a", 3}) {
			t.Fatalf("after %.80s: %+v, %v", tt.line, it, err)
		}
	}
	for _, good := range []string{
		`{"Item":{"pk":{"S":"a"},"v":{"S":"` + strings.Repeat("v", 409_600-2-1-1) + `"}}}`,
		`{"Item":{"pk":{"S":"a"},"v":` + nested(31) + `}}`,
	} {
		if _, err := p.parse([]byte(good)); err != nil {
			t.Errorf("%.80s: %v", good, err)
		}
	}
}

// The most text that an item can be stays below the limit of a line.
func TestLongestLine(t *testing.T) {
	const elements = 409_600 - 2 - 1 - 1 - 3 // pk, its value, the name l, the list
	line := `{"Item":{"pk":{"S":"a"},"l":{"L":[` + strings.TrimSuffix(strings.Repeat(`{"S":""},`, elements), ",") + `]}}}`
	p := parser{keyAttribute: "pk"}
	got, err := p.parse([]byte(line))
	if err != nil || got.bytes != 409_600 {
		t.Fatalf("%d bytes, %v", got.bytes, err)
	}
	if len(line) > maxLine/2 {
		t.Errorf("line of %d characters, expected at most %d", len(line), maxLine/2)
	}
}

func FuzzLine(f *testing.F) {
	for _, tt := range badLines {
		f.Add([]byte(tt.line))
	}
	f.Add([]byte(`{"Item":{"pk":{"S":"a"},"v":{"M":{"a":{"L":[{"NULL":true},{"BS":["AA=="]}]}}}}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		p := parser{keyAttribute: "pk"}
		it, err := p.parse(line)
		if err != nil {
			return
		}
		if !json.Valid(line) || !utf8.ValidString(it.key) || it.key == "" || it.bytes < 3 || it.bytes > 409_600 {
			t.Fatalf("%q was read as %+v", line, it)
		}
		// What we take, the SDK takes, and it finds the same key.
		var whole struct{ Item json.RawMessage }
		if err := json.Unmarshal(line, &whole); err != nil {
			t.Fatal(err)
		}
		item, err := attributevalue.UnmarshalMapJSON(whole.Item)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if key, ok := item["pk"].(*types.AttributeValueMemberS); !ok || key.Value != it.key {
			t.Fatalf("%q: key %q, the SDK has %v", line, it.key, item["pk"])
		}
	})
}

func BenchmarkParse(b *testing.B) {
	line := exportLine(b, map[string]types.AttributeValue{
		"pk":    &types.AttributeValueMemberS{Value: "append-operation/orders_000042/019b76da-a800-7ffb-8000-000000000000"},
		"value": &types.AttributeValueMemberB{Value: bytes.Repeat([]byte{7}, 230)},
	})
	p := parser{keyAttribute: "pk"}
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.parse(line); err != nil {
			b.Fatal(err)
		}
	}
}
