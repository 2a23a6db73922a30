package export

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/store/keyspace"
)

func anonymizer(t testing.TB, key string) *Anonymizer {
	t.Helper()
	a, err := NewAnonymizer([]byte(key))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

const someKey = "0123456789abcdef"

func TestAnonymizeKeepsTheShape(t *testing.T) {
	a := anonymizer(t, someKey)
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.OneOf(
			rapid.StringN(1, -1, 100),
			rapid.StringMatching(`[a-z-]{0,5}(/[\x00-\x7fé漢😀]{0,20}){0,4}`),
		).Filter(func(s string) bool { return s != "" }).Draw(t, "key")
		got := a.Key(key)
		if len(got) != len(key) || !utf8.ValidString(got) {
			t.Fatalf("%q became %q: %d bytes of %d", key, got, len(got), len(key))
		}
		if keyspace.Family(got) != keyspace.Family(key) {
			t.Fatalf("%q became %q: family %q", key, got, keyspace.Family(got))
		}
		for i := range len(key) {
			if (key[i] == '/') != (got[i] == '/') {
				t.Fatalf("%q became %q: byte %d", key, got, i)
			}
		}
		if again := anonymizer2(someKey).Key(key); again != got {
			t.Fatalf("%q became %q and %q under one key", key, got, again)
		}
	})
}

func anonymizer2(key string) *Anonymizer {
	a, err := NewAnonymizer([]byte(key))
	if err != nil {
		panic(err)
	}
	return a
}

func TestAnonymizeSegmentBySegment(t *testing.T) {
	a := anonymizer(t, someKey)
	long := "a/orders_000042/" + strings.Repeat("x", 70)
	one := strings.Split(a.Key("a/orders_000042/1"), "/")
	two := strings.Split(a.Key("b/orders_000042/2/1"), "/")
	if one[1] != two[1] || one[2] != two[3] || two[2] == two[3] {
		t.Errorf("%q and %q: a segment has two names, or two have one", one, two)
	}
	if got := strings.Split(a.Key(long), "/"); got[1] != one[1] || got[2][:32] == got[2][32:64] {
		t.Errorf("%q became %q", long, got)
	}
	for _, same := range []string{"a/", "a//", "/", "root/"} {
		if got := a.Key(same); got != same {
			t.Errorf("%q became %q", same, got)
		}
	}
}

// No segment, or next to none, is left as it was, and another key gives others.
func TestAnonymizeHides(t *testing.T) {
	a, b := anonymizer(t, someKey), anonymizer(t, "another key of 16 bytes")
	for _, segment := range []string{"orders_000042", "00000000000000000001", "019b76da-a800-7ffb-8000-000000000000", "日本語テーブル", "größe", "2026-01-01"} {
		x, y := a.Key("tbl/"+segment), b.Key("tbl/"+segment)
		if x == "tbl/"+segment || x == y {
			t.Errorf("%q became %q and %q", segment, x, y)
		}
	}
	// Single characters are shuffled, not shifted.
	shifts := map[int]bool{}
	for i := range alphabet {
		got := a.Key("t/" + alphabet[i:i+1])
		shifts[(strings.Index(alphabet, got[2:])-i+64)%64] = true
	}
	if len(shifts) < 16 {
		t.Errorf("%d different shifts of 64 characters", len(shifts))
	}
}

// Injective where a truncated hash would not be: all segments of one and two
// characters of some classes, and many longer ones.
func TestAnonymizeIsInjective(t *testing.T) {
	a := anonymizer(t, someKey)
	seen := map[string]string{}
	check := func(segment string) {
		key := "f/" + segment
		got := a.Key(key)
		if other, twice := seen[got]; twice {
			t.Fatalf("%q and %q both became %q", key, other, got)
		}
		seen[got] = key
	}
	for c := range rune(0x110000) {
		if c != '/' && utf8.ValidRune(c) && (c < 0x900 || c%257 == 0 || c > 0xd700 && c < 0xe100) {
			check(string(c))
		}
	}
	for _, c := range alphabet {
		for _, d := range alphabet + ".:=" {
			check(string(c) + string(d))
		}
	}
	for i := range 2_000 {
		check(fmt.Sprintf("%03d", i))
		check(fmt.Sprintf("part-%05d.x", i))
		check(fmt.Sprintf("%020d", i))
	}
}

// The classes divide the characters among them, and digits are places.
func TestClasses(t *testing.T) {
	count := map[int]int{}
	for c := range rune(0x110000) {
		if c == '/' || !utf8.ValidRune(c) {
			continue
		}
		k := classOf(c)
		count[k]++
		high, low := classes[k].digits(c)
		if high.value < 0 || high.value >= high.radix || low.value < 0 || low.value >= low.radix {
			t.Fatalf("%U has digits %v %v", c, high, low)
		}
		back := classes[k].char(high, low)
		if back != c || utf8.RuneLen(back) != utf8.RuneLen(c) {
			t.Fatalf("%U came back as %U", c, back)
		}
	}
	for k, n := range count {
		if size := classes[k].high * classes[k].low; size != n {
			t.Errorf("class %d has %d characters, its digits %d places", k, n, size)
		}
	}
	if len(count) != len(classes) {
		t.Errorf("%d classes in use, expected %d", len(count), len(classes))
	}
}

func TestAnonymizerBoundsItsMemory(t *testing.T) {
	a := anonymizer(t, someKey)
	for i := range maxKnown + 100 {
		a.Key(fmt.Sprintf("f/%d", i))
		if len(a.known) > maxKnown {
			t.Fatalf("%d segments remembered, expected at most %d", len(a.known), maxKnown)
		}
	}
}

func TestShortKeyRefused(t *testing.T) {
	if _, err := NewAnonymizer(make([]byte, 15)); err == nil || !strings.Contains(err.Error(), "15 bytes, expected at least 16") {
		t.Errorf("error %v", err)
	}
}

func BenchmarkAnonymize(b *testing.B) {
	a := anonymizer(b, someKey)
	for i := 0; b.Loop(); i++ {
		a.Key(fmt.Sprintf("append-operation/orders_%06d/019b76da-a800-7ffb-8000-%012d", i%1000, i))
	}
}
