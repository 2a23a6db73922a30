package lines

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func read(t *testing.T, r *Reader) (got []string) {
	t.Helper()
	for {
		line, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return got
		case errors.Is(err, ErrTooLong):
			got = append(got, "too long")
		case err != nil:
			return append(got, err.Error())
		default:
			got = append(got, string(line))
		}
	}
}

func TestNext(t *testing.T) {
	big := strings.Repeat("x", 200_000) // more than the buffer
	for _, tt := range []struct {
		in    string
		limit int
		want  []string
	}{
		{"", 5, nil},
		{"\n", 5, []string{""}},
		{"a\nbc", 5, []string{"a", "bc"}},
		{"a\n\nb\n", 5, []string{"a", "", "b"}},
		{"12345\n123456\n12345", 5, []string{"12345", "too long", "12345"}},
		{"123456", 5, []string{"too long"}},
		{"a\n" + big + "\nb\n", 5, []string{"a", "too long", "b"}},
		{"a\n" + big + "\nb\n", 200_000, []string{"a", big, "b"}},
		{big, 199_999, []string{"too long"}},
		{"a\r\n", 5, []string{"a\r"}},
	} {
		r := NewReader(strings.NewReader(tt.in), tt.limit)
		if diff := cmp.Diff(tt.want, read(t, r)); diff != "" {
			t.Errorf("%.20q, limit %d (-want +got):\n%s", tt.in, tt.limit, diff)
		}
		if r.Line() != len(tt.want) {
			t.Errorf("%.20q: line %d at the end, expected %d", tt.in, r.Line(), len(tt.want))
		}
	}
}

func TestNextReportsTheReadersError(t *testing.T) {
	broken := errors.New("broken")
	r := NewReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 5)
	if line, err := r.Next(); string(line) != "a" || err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	if line, err := r.Next(); !errors.Is(err, broken) || line != nil || r.Line() != 2 {
		t.Errorf("line %d %q, error %v, expected that of the reader", r.Line(), line, err)
	}
}

func TestPlain(t *testing.T) {
	var zipped bytes.Buffer
	for _, part := range []string{"hello ", "world"} { // two members
		z := gzip.NewWriter(&zipped)
		_, _ = io.WriteString(z, part)
		_ = z.Close()
	}
	for name, tt := range map[string]struct{ in, want string }{
		"gzip":     {zipped.String(), "hello world"},
		"plain":    {"hello world", "hello world"},
		"one byte": {"\x1f", "\x1f"},
		"empty":    {"", ""},
	} {
		r, err := Plain(iotest.OneByteReader(strings.NewReader(tt.in)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); string(got) != tt.want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := Plain(strings.NewReader("\x1f\x8bno gzip at all")); !errors.Is(err, gzip.ErrHeader) {
		t.Errorf("error %v, expected gzip.ErrHeader", err)
	}
	r, err := Plain(bytes.NewReader(zipped.Bytes()[:zipped.Len()-4]))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(r); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v of a cut file, expected io.ErrUnexpectedEOF", err)
	}
}
