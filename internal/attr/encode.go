package attr

import (
	"encoding/base64"
	"unicode/utf8"
)

// AppendJSON appends the value in DynamoDB JSON, as in {"S":"text"}. The zero
// Value appends {}.
func (v Value) AppendJSON(dst []byte) []byte {
	switch v.kind {
	case S, N:
		dst = appendTag(dst, v.kind)
		dst = AppendQuoted(dst, v.text)
	case B:
		dst = appendTag(dst, v.kind)
		dst = appendBase64(dst, v.text)
	case BOOL:
		dst = appendTag(dst, v.kind)
		if v.truth {
			dst = append(dst, "true"...)
		} else {
			dst = append(dst, "false"...)
		}
	case NULL:
		dst = append(dst, `{"NULL":true`...)
	case L:
		dst = append(dst, `{"L":[`...)
		for i, e := range v.parts.list {
			dst = appendComma(dst, i)
			dst = e.AppendJSON(dst)
		}
		dst = append(dst, ']')
	case M:
		dst = append(dst, `{"M":`...)
		dst = v.parts.fields.AppendJSON(dst)
	case SS, NS, BS:
		dst = appendTag(dst, v.kind)
		dst = append(dst, '[')
		for i, m := range v.parts.set {
			dst = appendComma(dst, i)
			if v.kind == BS {
				dst = appendBase64(dst, m)
			} else {
				dst = AppendQuoted(dst, m)
			}
		}
		dst = append(dst, ']')
	default:
		dst = append(dst, '{')
	}
	return append(dst, '}')
}

// String returns the value in DynamoDB JSON, for errors and tests.
func (v Value) String() string { return string(v.AppendJSON(nil)) }

// AppendJSON appends the item as an object of values in DynamoDB JSON.
func (it Item) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	for i := range it {
		dst = appendComma(dst, i)
		dst = AppendQuoted(dst, it[i].Name)
		dst = append(dst, ':')
		dst = it[i].Value.AppendJSON(dst)
	}
	return append(dst, '}')
}

// String returns the item in DynamoDB JSON, for errors and tests.
func (it Item) String() string { return string(it.AppendJSON(nil)) }

// appendTag appends the opening of a value up to its contents.
func appendTag(dst []byte, kind Kind) []byte {
	dst = append(dst, `{"`...)
	dst = append(dst, kind.String()...)
	return append(dst, `":`...)
}

func appendComma(dst []byte, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return dst
}

func appendBase64(dst []byte, raw string) []byte {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, []byte(raw))
	return append(dst, '"')
}

const hexDigits = "0123456789abcdef"

// AppendQuoted appends s as a JSON string. Only what JSON requires is escaped;
// bytes that are not UTF-8 become U+FFFD.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for {
		n := plain(s)
		dst = append(dst, s[:n]...)
		if s = s[n:]; s == "" {
			return append(dst, '"')
		}
		if s[0] < utf8.RuneSelf {
			dst = appendEscape(dst, s[0])
			s = s[1:]
			continue
		}
		c, n := utf8.DecodeRuneInString(s)
		dst = utf8.AppendRune(dst, c)
		s = s[n:]
	}
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	default:
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
	}
}
