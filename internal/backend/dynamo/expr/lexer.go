package expr

import "unicode/utf8"

// tokenKind tells tokens apart.
type tokenKind uint8

const (
	tokenEOF tokenKind = iota
	tokenWord
	tokenName   // #name
	tokenValue  // :value
	tokenIndex  // 0, or digits without a leading zero
	tokenSymbol // = <> < <= > >= ( ) [ ] . , + -
	tokenBad    // a character that starts no token
)

// token is a piece of the text.
type token struct {
	kind       tokenKind
	start, end int
}

// lexer cuts an expression into tokens, on demand.
type lexer struct {
	text string
	pos  int
}

// next returns the next token.
func (l *lexer) next() token {
	for l.pos < len(l.text) && isBlank(l.text[l.pos]) {
		l.pos++
	}
	start := l.pos
	if start == len(l.text) {
		return token{kind: tokenEOF, start: start, end: start}
	}
	kind := l.scan(l.text[start])
	return token{kind: kind, start: start, end: l.pos}
}

// scan moves behind the token that starts with c.
func (l *lexer) scan(c byte) tokenKind {
	l.pos++
	switch {
	case isLetter(c):
		l.words()
		return tokenWord
	case c == '#' || c == ':':
		start := l.pos
		if l.words(); l.pos == start {
			return tokenBad
		}
		if c == '#' {
			return tokenName
		}
		return tokenValue
	case c == '0':
		return tokenIndex
	case isDigit(c):
		for l.pos < len(l.text) && isDigit(l.text[l.pos]) {
			l.pos++
		}
		return tokenIndex
	}
	switch c {
	case '=', '(', ')', '[', ']', '.', ',', '+', '-':
		return tokenSymbol
	case '<':
		l.follow('=', '>')
		return tokenSymbol
	case '>':
		l.follow('=', '=')
		return tokenSymbol
	}
	_, n := utf8.DecodeRuneInString(l.text[l.pos-1:])
	l.pos += n - 1
	return tokenBad
}

// follow takes the next character along if it is a or b.
func (l *lexer) follow(a, b byte) {
	if l.pos < len(l.text) && (l.text[l.pos] == a || l.text[l.pos] == b) {
		l.pos++
	}
}

// words moves behind letters, digits and underscores.
func (l *lexer) words() {
	for l.pos < len(l.text) && isWordPart(l.text[l.pos]) {
		l.pos++
	}
}

func isBlank(c byte) bool    { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isDigit(c byte) bool    { return c >= '0' && c <= '9' }
func isLetter(c byte) bool   { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isWordPart(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }
