package checker

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

// The example of the format's description, and one of everything else in it.
const sample = `{"format":"lakebench.operations","version":1,
 "initial":[
  {"key":"tbl/a","value":"v0"},
  {"key":"tbl/b","value":{"base64":"/wA="}}],
 "operations":[
  {"actor":"writer-1","operation":"cas","key":"tbl/a","expect":"v0","next":"v1","call":[1,0],"return":[4,2500000],"outcome":"ok"},
  {"actor":"reader-1","operation":"get","key":"tbl/b","call":[2,0],"return":[3,1000],"outcome":"ok","found":{"base64":"/wA="}},
  {"actor":"writer-2","operation":"guarded","key":"tbl/c","expect":null,"next":"","guard":"lease","guard_expect":"me","call":[5,2500000],"return":[6,2500000],"outcome":"guard","found":"you"},
  {"actor":"writer-2","operation":"guarded","key":"tbl/c","expect":"","next":null,"guard":"lease","guard_expect":null,"call":[7,2500000],"outcome":"unknown"},
  {"actor":"writer-3","operation":"delete","key":"tbl/a","expect":"v1","call":[8,2500000],"return":[9,2500000],"outcome":"not-found"},
  {"actor":"reader-1","operation":"get","key":"tbl/a","call":[10,2500000],"outcome":"refused"}]}
`

func TestJSONIsAsDescribed(t *testing.T) {
	h, err := ReadJSON(strings.NewReader(sample))
	if err != nil {
		t.Fatal(err)
	}
	want := History{
		Initial: []Entry{{"tbl/a", Text("v0")}, {"tbl/b", Text("\xff\x00")}},
		Operations: []Operation{
			{"writer-1", cas("tbl/a", Text("v0"), "v1"), Moment{1, 0}, Moment{4, 2500000}, answer(OK)},
			{"reader-1", get("tbl/b"), Moment{2, 0}, Moment{3, 1000}, saw("\xff\x00")},
			{"writer-2", guarded("lease", "me", cas("tbl/c", Absent(), "")), Moment{5, 2500000}, Moment{6, 2500000}, found(GuardFailed, "you")},
			{"writer-2", Call{Guarded, "tbl/c", Text(""), Absent(), "lease", Absent()}, Moment{7, 2500000}, Moment{}, answer(Unknown)},
			{"writer-3", del("tbl/a", "v1"), Moment{8, 2500000}, Moment{9, 2500000}, answer(NotFound)},
			{"reader-1", get("tbl/a"), Moment{10, 2500000}, Moment{}, answer(Refused)},
		},
	}
	if !reflect.DeepEqual(h, want) {
		t.Errorf("read\n%+v, want\n%+v", h, want)
	}
	if got := written(t, h); got != sample {
		t.Errorf("written:\n%s\nwant:\n%s", got, sample)
	}
}

func written(t *testing.T, h History) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteJSON(&b, h); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestJSONRoundTrip(t *testing.T) {
	histories := []History{{}}
	for _, c := range cases {
		histories = append(histories, c.h)
	}
	for seed := range uint64(20) {
		histories = append(histories, randomHistory(shape{seed: seed, actors: 3, operations: 40, keys: 3, values: 9, unknown: 0.2}))
	}
	for _, h := range histories {
		back, err := ReadJSON(strings.NewReader(written(t, h)))
		if err != nil {
			t.Fatal(err)
		}
		if len(h.Operations) != len(back.Operations) || written(t, back) != written(t, h) {
			t.Errorf("read back\n%v, wrote\n%v", back, h)
		}
	}
}

func TestReadJSONIsStrict(t *testing.T) {
	replace := func(old, by string) string {
		if !strings.Contains(sample, old) {
			t.Fatalf("the sample has no %s", old)
		}
		return strings.Replace(sample, old, by, 1)
	}
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"empty":                  {"", ErrFormat},
		"not JSON":               {"lakebench", ErrFormat},
		"cut off":                {sample[:len(sample)/2], ErrFormat},
		"more after it":          {sample + "{}", ErrFormat},
		"another format":         {replace("lakebench.operations", "lakebench.result"), ErrFormat},
		"another version":        {replace(`"version":1`, `"version":2`), ErrFormat},
		"unknown member":         {replace(`"actor"`, `"who":"x","actor"`), ErrFormat},
		"member twice":           {replace(`"actor"`, `"actor":"x","actor"`), ErrFormat},
		"member in capitals":     {replace(`"actor"`, `"Actor"`), ErrFormat},
		"moment without time":    {replace(`[1,0]`, `[1]`), ErrFormat},
		"moment with more":       {replace(`[1,0]`, `[1,0,0]`), ErrFormat},
		"moment with a fraction": {replace(`[1,0]`, `[1,0.5]`), ErrFormat},
		"text as base64":         {replace(`"/wA="`, `"YQ=="`), ErrFormat},
		"base64 with bits left":  {replace(`"/wA="`, `"/wB="`), ErrFormat},
		"base64 over two lines":  {replace(`"/wA="`, `"/w\nA="`), ErrFormat},
		"value of a number":      {replace(`"v0"`, `0`), ErrFormat},
		"half a character":       {replace(`"v0"`, `"\ud800"`), ErrFormat},
		"no moment":              {replace(`"call":[1,0],`, ``), ErrHistory},
		"no outcome":             {replace(`,"outcome":"ok"`, ``), ErrHistory},
		"get that expects":       {replace(`"operation":"get",`, `"operation":"get","expect":"x",`), ErrHistory},
	} {
		_, err := ReadJSON(strings.NewReader(c.text))
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: more than a line: %v", name, err)
		}
	}
}

func TestWriteJSONRefuses(t *testing.T) {
	bad := history(op("a\xff", 1, 2, get("k"), answer(NotFound)))
	if err := WriteJSON(io.Discard, bad); err == nil {
		t.Error("wrote a name that is not UTF-8")
	}
	bad.Operations[0].Call.Key = ""
	if err := WriteJSON(io.Discard, bad); !errors.Is(err, ErrHistory) {
		t.Errorf("%v, want ErrHistory", err)
	}
}

// Whatever ReadJSON accepts it has understood: it is written the same again, and
// can be checked and drawn.
func FuzzReadJSON(f *testing.F) {
	f.Add([]byte(sample))
	for _, c := range cases {
		var b bytes.Buffer
		if err := WriteJSON(&b, c.h); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := ReadJSON(bytes.NewReader(data))
		if err != nil {
			return
		}
		text := written(t, h)
		back, err := ReadJSON(strings.NewReader(text))
		if err != nil || written(t, back) != text {
			t.Fatalf("read back with %v:\n%s", err, text)
		}
		if _, err := Check(t.Context(), h, Limits{Steps: 1000, Bytes: 1 << 20}); err != nil {
			t.Fatal(err)
		}
		if err := WriteHTML(io.Discard, h); err != nil && len(h.Operations) <= MaxDrawn {
			t.Fatal(err)
		}
	})
}
