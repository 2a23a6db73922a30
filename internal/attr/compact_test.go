package attr_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/internal/attr"
)

// checkRoundTrip checks everything that can be asked of an encoded item against
// the item.
func checkRoundTrip(t rapid.TB, it attr.Item) {
	t.Helper()
	e := it.Encode()
	back, err := attr.DecodeItem(string(e))
	if err != nil || !back.Equal(it) {
		t.Fatalf("%s came back as %s, %v", it, back, err)
	}
	if lazy := e.Item(); !lazy.Equal(it) {
		t.Fatalf("%s came back unchecked as %s", it, lazy)
	}
	if e.Size() != it.Size() {
		t.Fatalf("%s: encoded size %d, want %d", it, e.Size(), it.Size())
	}
	if got, want := string(e.AppendJSON([]byte("x"))), "x"+it.String(); got != want {
		t.Fatalf("JSON from the encoding is %s, want %s", got, want)
	}
	for _, f := range it {
		if v, ok := e.Attribute(f.Name); !ok || !v.Equal(f.Value) {
			t.Fatalf("%s: attribute %q is %s, %v", it, f.Name, v, ok)
		}
		for _, other := range []string{f.Name + "\x00", f.Name[:len(f.Name)-1]} {
			v, ok := e.Attribute(other)
			want, wantOK := it.Attribute(other)
			if ok != wantOK || !v.Equal(want) {
				t.Fatalf("%s: attribute %q is %s, %v; want %s, %v", it, other, v, ok, want, wantOK)
			}
		}
	}
}

func TestCompactRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRoundTrip(t, item(3, 12).Draw(t, "item")) })
}

// Lengths whose varints grow by a byte, and an item of many attributes.
func TestCompactLengths(t *testing.T) {
	for _, n := range []int{0, 1, 126, 127, 128, 16_383, 16_384, 409_000} {
		long := strings.Repeat("x", n)
		checkRoundTrip(t, attr.Item{
			{Name: "b", Value: attr.Binary(long)},
			{Name: "l", Value: attr.List(attr.String(long), attr.Map(attr.Item{{Name: "k", Value: attr.Binary(long)}}))},
			{Name: "n", Value: attr.Null()},
			{Name: "s", Value: mustSet(t, attr.SS, long, "y")},
		})
	}
	var many attr.Item
	for i := range 300 {
		many = many.With(attr.Int(int64(i)).Text(), attr.Int(int64(i)))
	}
	checkRoundTrip(t, many)
}

// What a metadata record takes in memory: a few bytes more than its size by the
// sizing rules.
func TestCompactIsCompact(t *testing.T) {
	it := typicalItem()
	if got := len(it.Encode()); got > it.Size()+12 {
		t.Errorf("an item of %d bytes is encoded in %d", it.Size(), got)
	}
}

// Encodings that no item has, each with one thing wrong.
func TestDecodeItemRefuses(t *testing.T) {
	for what, encoded := range map[string]string{
		"nothing":                       "",
		"no count":                      "\x00",
		"left over bytes":               "\x00\x00x",
		"a false size":                  "\x01\x00",
		"a count without fields":        "\x00\x01",
		"a huge count":                  "\x00\xff\xff\xff\xff\x07",
		"a varint of too many bits":     "\x00\x80\x80\x80\x80\x80\x00",
		"a varint with a needless byte": "\x80\x00\x00",
		"an unknown kind":               "\x01\x01\x01a\x0b",
		"kind 0":                        "\x01\x01\x01a\x00",
		"a text cut off":                "\x03\x01\x01a\x01\x02x",
		"BOOL 2":                        "\x02\x01\x01a\x04\x02",
		"a number with a needless zero": "\x03\x01\x01a\x02\x0201",
		"a number that is none":         "\x02\x01\x01a\x02\x01x",
		"an S that is no UTF-8":         "\x02\x01\x01a\x01\x01\xff",
		"a name that is no UTF-8":       "\x02\x01\x01\xff\x05",
		"names out of order":            "\x04\x02\x01b\x05\x01a\x05",
		"a name twice":                  "\x04\x02\x01a\x05\x01a\x05",
		"an empty set":                  "\x01\x01\x01a\x08\x01\x00",
		"members out of order":          "\x03\x01\x01a\x08\x05\x02\x01b\x01a",
		"a member twice":                "\x03\x01\x01a\x08\x05\x02\x01a\x01a",
		"NS out of order":               "\x05\x01\x01a\x09\x06\x02\x0210\x019",
		"a list longer than its parts":  "\x06\x01\x01a\x06\x03\x01\x05x",
		"a list shorter than its parts": "\x06\x01\x01a\x06\x01\x01\x05",
		"32 lists in each other":        deepList(32),
	} {
		it, err := attr.DecodeItem(encoded)
		if !errors.Is(err, attr.ErrCorrupt) {
			t.Errorf("%s: %s, %v; want ErrCorrupt", what, it, err)
		}
	}
	if _, err := attr.DecodeItem(deepList(31)); err != nil {
		t.Errorf("31 lists in each other: %v", err)
	}
}

// deepList encodes an item with n lists in each other.
func deepList(n int) string {
	v := attr.List()
	for range n - 1 {
		v = attr.List(v)
	}
	return string(attr.Item{{Name: "a", Value: v}}.Encode())
}

// What is not an encoded item gives no attribute, no number in a form that
// arithmetic does not expect, and no deep recursion.
func TestEncodedOfOtherBytes(t *testing.T) {
	for what, encoded := range map[string]string{
		"a text cut off":        "\x03\x01\x01a\x01\x05x",
		"a number that is none": "\x02\x01\x01a\x02\x01x",
		"an NS of no number":    "\x02\x01\x01a\x09\x03\x01\x01x",
		"an unknown kind":       "\x02\x01\x01a\x63\x01x",
		"nothing":               "",
	} {
		if v, ok := attr.Encoded(encoded).Attribute("a"); ok {
			t.Errorf("%s: the attribute is %s", what, v)
		}
	}
	json := string(attr.Encoded(deepList(1000)).AppendJSON(nil))
	if n := strings.Count(json, "["); n > attr.MaxDepth {
		t.Errorf("%d lists in each other", n)
	}
}

// FuzzCompact feeds arbitrary bytes to everything that reads the compact form:
// nothing panics, and what DecodeItem accepts is what AppendItem writes.
func FuzzCompact(f *testing.F) {
	for _, it := range []attr.Item{
		nil, typicalItem(),
		{{Name: "a", Value: attr.Int(-12)}, {Name: "b", Value: attr.Bool(true)}, {Name: "c", Value: attr.Null()}},
		{{Name: "a", Value: attr.List(attr.Map(attr.Item{{Name: "k", Value: mustSet(f, attr.NS, "1", "10")}}), attr.List())}},
		{{Name: "a", Value: mustSet(f, attr.BS, "\x00", "\xff")}, {Name: "b", Value: mustSet(f, attr.SS, "", "é")}},
	} {
		f.Add(string(it.Encode()), "a")
	}
	f.Add(deepList(31), "a")
	f.Add("\x00\xff\xff\xff\xff\x0f", "")
	f.Fuzz(func(t *testing.T, encoded, name string) {
		e := attr.Encoded(encoded)
		e.AppendJSON(nil)
		unchecked := e.Item()
		_ = unchecked.String()
		if v, ok := e.Attribute(name); ok {
			v.AppendOrdered(nil)
			v.Compare(attr.Int(0))
		}
		it, err := attr.DecodeItem(encoded)
		if err != nil {
			return
		}
		if again := string(it.Encode()); again != encoded {
			t.Fatalf("%q decodes to %s, which encodes to %q", encoded, it, again)
		}
	})
}
