package attr

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// JSONType is the type of a JSON value.
type JSONType string

// The JSON types; the names appear in errors.
const (
	JSONObject JSONType = "object"
	JSONArray  JSONType = "array"
	JSONString JSONType = "string"
	JSONNumber JSONType = "number"
	JSONTrue   JSONType = "true"
	JSONFalse  JSONType = "false"
	JSONNull   JSONType = "null"
	// JSONBool is wanted where true or false will do, JSONInteger where a
	// number without fraction that fits 64 bits will do.
	JSONBool    JSONType = "boolean"
	JSONInteger JSONType = "integer"
	// JSONBase64 is a string of base64 text.
	JSONBase64 JSONType = "base64 string"
)

// maxJSONDepth bounds the nesting of JSON objects and arrays. The deepest
// valid request is far below: MaxDepth levels of two each, within a few of the
// request itself.
const maxJSONDepth = 256

// Reader walks through one JSON text, strictly by RFC 8259: no comments, no
// trailing commas, valid UTF-8 only. It is the only JSON reader of the embedded
// service: the wire codec walks requests with it and reads values with Value
// and Item.
//
// Each method reads one JSON value and leaves the Reader behind it. Errors are
// *SyntaxError, *TypeError or, from Value and Item, *ValueError; Object and
// Array complete their paths. After a *ValueError the Reader stands behind the
// faulty value and can go on; after any other it cannot.
//
// Strings are parts of the text if nothing in them is escaped, so the text
// lives as long as they do.
//
// It is written by hand because each request starts here: it reads a GetItem
// down to its values in two thirds of the time in which jsontext, which the tests
// compare it with, splits the text into tokens (BenchmarkReader), and its errors
// say where in the request they are at no cost to requests without any.
type Reader struct {
	text  string
	pos   int
	depth int
	// scratch is reused to undo base64.
	scratch []byte
}

// NewReader returns a Reader at the start of text.
func NewReader(text string) *Reader { return &Reader{text: text} }

// End checks that nothing but blanks is left.
func (r *Reader) End() error {
	if r.blanks(); r.pos < len(r.text) {
		return r.expected("the end of the text")
	}
	return nil
}

// Peek returns the type of the next value without reading it, "" if none can
// start here.
func (r *Reader) Peek() JSONType {
	r.blanks()
	if r.pos >= len(r.text) {
		return ""
	}
	switch c := r.text[r.pos]; c {
	case '{':
		return JSONObject
	case '[':
		return JSONArray
	case '"':
		return JSONString
	case 't':
		return JSONTrue
	case 'f':
		return JSONFalse
	case 'n':
		return JSONNull
	default:
		if c == '-' || c >= '0' && c <= '9' {
			return JSONNumber
		}
		return ""
	}
}

// Null reads a null if that is what comes next and reports whether it did.
// The service takes a null member of a request for an absent one.
func (r *Reader) Null() (bool, error) {
	if r.Peek() != JSONNull {
		return false, nil
	}
	return true, r.literal("null")
}

// Object reads an object. It calls member for each name, with the Reader in
// front of the member's value, which member must read. Names may repeat.
func (r *Reader) Object(member func(name string) error) error {
	if err := r.open(JSONObject); err != nil {
		return err
	}
	for first := true; ; first = false {
		done, err := r.next('}', first)
		if err != nil || done {
			return err
		}
		if r.blanks(); r.pos >= len(r.text) || r.text[r.pos] != '"' {
			return r.expected("a member's name in quotes")
		}
		name, err := r.quoted()
		if err != nil {
			return err
		}
		if r.blanks(); r.pos >= len(r.text) || r.text[r.pos] != ':' {
			return within(name, r.expected("':'"))
		}
		r.pos++
		if err := member(name); err != nil {
			return within(name, err)
		}
	}
}

// Array reads an array. It calls element for each index, with the Reader in
// front of the element, which element must read.
func (r *Reader) Array(element func(i int) error) error {
	if err := r.open(JSONArray); err != nil {
		return err
	}
	for i := 0; ; i++ {
		done, err := r.next(']', i == 0)
		if err != nil || done {
			return err
		}
		if err := element(i); err != nil {
			return within(index(i), err)
		}
	}
}

// String reads a string.
func (r *Reader) String() (string, error) {
	if t := r.Peek(); t != JSONString {
		return "", r.wrongType(JSONString, t)
	}
	return r.quoted()
}

// Bool reads true or false.
func (r *Reader) Bool() (bool, error) {
	switch t := r.Peek(); t {
	case JSONTrue:
		return true, r.literal("true")
	case JSONFalse:
		return false, r.literal("false")
	default:
		return false, r.wrongType(JSONBool, t)
	}
}

// Int reads a number without fraction or exponent that fits 64 bits.
func (r *Reader) Int() (int64, error) {
	t := r.Peek()
	if t != JSONNumber {
		return 0, r.wrongType(JSONInteger, t)
	}
	start := r.pos
	text, err := r.number()
	if err != nil {
		return 0, err
	}
	i, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, &TypeError{Offset: start, Want: JSONInteger, Found: JSONNumber}
	}
	return i, nil
}

// Skip reads a value of any type and drops it.
func (r *Reader) Skip() error {
	switch r.Peek() {
	case JSONObject:
		return r.Object(func(string) error { return r.Skip() })
	case JSONArray:
		return r.Array(func(int) error { return r.Skip() })
	case JSONString:
		_, err := r.quoted()
		return err
	case JSONNumber:
		_, err := r.number()
		return err
	case JSONTrue:
		return r.literal("true")
	case JSONFalse:
		return r.literal("false")
	case JSONNull:
		return r.literal("null")
	default:
		return r.expected("a value")
	}
}

// open reads the bracket that starts an object or an array.
func (r *Reader) open(want JSONType) error {
	if t := r.Peek(); t != want {
		return r.wrongType(want, t)
	}
	if r.depth == maxJSONDepth {
		return &SyntaxError{Offset: r.pos, Problem: "nested more than " + strconv.Itoa(maxJSONDepth) + " levels deep"}
	}
	r.depth++
	r.pos++
	return nil
}

// next reads what stands between the parts of an object or an array, up to the
// next part or behind the closing bracket.
func (r *Reader) next(closing byte, first bool) (done bool, err error) {
	r.blanks()
	if r.pos < len(r.text) {
		switch c := r.text[r.pos]; {
		case c == closing:
			r.pos++
			r.depth--
			return true, nil
		case first:
			return false, nil
		case c == ',':
			r.pos++
			return false, nil
		}
	}
	return false, r.expected("',' or '" + string(closing) + "'")
}

func (r *Reader) blanks() {
	for r.pos < len(r.text) {
		switch r.text[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return
		}
	}
}

// expected returns the error that something else stands here than should.
func (r *Reader) expected(what string) error {
	found := "the end of the text"
	if r.pos < len(r.text) {
		c, _ := utf8.DecodeRuneInString(r.text[r.pos:])
		found = strconv.QuoteRune(c)
	}
	return &SyntaxError{Offset: r.pos, Problem: "expected " + what + ", found " + found}
}

func (r *Reader) wrongType(want, found JSONType) error {
	if found == "" {
		return r.expected("a value")
	}
	return &TypeError{Offset: r.pos, Want: want, Found: found}
}

func (r *Reader) literal(word string) error {
	if len(r.text)-r.pos < len(word) || r.text[r.pos:r.pos+len(word)] != word {
		return r.expected(word)
	}
	r.pos += len(word)
	return nil
}

// number reads a number and returns its text.
func (r *Reader) number() (string, error) {
	start := r.pos
	if r.text[r.pos] == '-' {
		r.pos++
	}
	if r.pos < len(r.text) && r.text[r.pos] == '0' {
		r.pos++
	} else if !r.digits() {
		return "", r.expected("a digit")
	}
	if r.pos < len(r.text) && r.text[r.pos] == '.' {
		r.pos++
		if !r.digits() {
			return "", r.expected("a digit")
		}
	}
	if r.pos < len(r.text) && (r.text[r.pos] == 'e' || r.text[r.pos] == 'E') {
		r.pos++
		if r.pos < len(r.text) && (r.text[r.pos] == '+' || r.text[r.pos] == '-') {
			r.pos++
		}
		if !r.digits() {
			return "", r.expected("a digit")
		}
	}
	return r.text[start:r.pos], nil
}

func (r *Reader) digits() bool {
	start := r.pos
	for r.pos < len(r.text) && r.text[r.pos] >= '0' && r.text[r.pos] <= '9' {
		r.pos++
	}
	return r.pos > start
}

// quoted reads a string whose opening quote is the next byte.
func (r *Reader) quoted() (string, error) {
	r.pos++
	start := r.pos
	ascii := true
	for {
		r.pos += plain(r.text[r.pos:])
		if r.pos >= len(r.text) {
			return "", r.expected("the closing quote of a string")
		}
		switch c := r.text[r.pos]; {
		case c == '"':
			s := r.text[start:r.pos]
			if !ascii && !utf8.ValidString(s) {
				return "", r.invalidUTF8(start)
			}
			r.pos++
			return s, nil
		case c == '\\':
			return r.escaped(start)
		case c < ' ':
			return "", r.expected("a character that may stand in a string")
		default:
			ascii = false
			r.pos++
		}
	}
}

func (r *Reader) invalidUTF8(start int) error {
	at := start
	for at < r.pos {
		c, n := utf8.DecodeRuneInString(r.text[at:r.pos])
		if c == utf8.RuneError && n <= 1 {
			break
		}
		at += n
	}
	return &SyntaxError{Offset: at, Problem: "expected valid UTF-8"}
}

// escaped reads the rest of a string that began at start, from its first
// backslash on.
func (r *Reader) escaped(start int) (string, error) {
	out := make([]byte, r.pos-start, r.pos-start+64)
	copy(out, r.text[start:r.pos])
	for r.pos < len(r.text) {
		switch c := r.text[r.pos]; {
		case c == '"':
			if !utf8.Valid(out) {
				return "", &SyntaxError{Offset: start, Problem: "expected valid UTF-8 in a string"}
			}
			r.pos++
			return string(out), nil
		case c < ' ':
			return "", r.expected("a character that may stand in a string")
		case c != '\\':
			out = append(out, c)
			r.pos++
		default:
			var err error
			if out, err = r.escape(out); err != nil {
				return "", err
			}
		}
	}
	return "", r.expected("the closing quote of a string")
}

// escape reads one escape sequence and appends what it stands for.
func (r *Reader) escape(out []byte) ([]byte, error) {
	r.pos++
	if r.pos >= len(r.text) {
		return nil, r.expected("an escape sequence")
	}
	c := r.text[r.pos]
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		r.pos++
		return r.unicodeEscape(out)
	default:
		return nil, r.expected(`one of "\/bfnrtu behind a backslash`)
	}
	r.pos++
	return append(out, c), nil
}

// unicodeEscape reads four hex digits, and the second half if they are the
// first of a surrogate pair. Half a pair is refused: it has no UTF-8 form.
func (r *Reader) unicodeEscape(out []byte) ([]byte, error) {
	at := r.pos - 2
	c, err := r.hex4()
	if err != nil {
		return nil, err
	}
	if utf16.IsSurrogate(c) {
		second := rune(0)
		if r.pos+1 < len(r.text) && r.text[r.pos] == '\\' && r.text[r.pos+1] == 'u' {
			r.pos += 2
			if second, err = r.hex4(); err != nil {
				return nil, err
			}
		}
		if c = utf16.DecodeRune(c, second); c == utf8.RuneError {
			return nil, &SyntaxError{Offset: at, Problem: "expected both halves of a surrogate pair"}
		}
	}
	return utf8.AppendRune(out, c), nil
}

func (r *Reader) hex4() (rune, error) {
	var c rune
	for range 4 {
		if r.pos >= len(r.text) {
			return 0, r.expected("a hexadecimal digit")
		}
		switch d := r.text[r.pos]; {
		case d >= '0' && d <= '9':
			c = c<<4 | rune(d-'0')
		case d >= 'a' && d <= 'f':
			c = c<<4 | rune(d-'a'+10)
		case d >= 'A' && d <= 'F':
			c = c<<4 | rune(d-'A'+10)
		default:
			return 0, r.expected("a hexadecimal digit")
		}
		r.pos++
	}
	return c, nil
}
