package fault

import "strings"

// Inline returns the rules on one line, with semicolons between, as ParseInline
// reads them.
func (rs Rules) Inline() string {
	parts := make([]string, len(rs))
	for i, r := range rs {
		parts[i] = r.String()
	}
	return strings.Join(parts, "; ")
}

// ParseInline reads what Inline writes: a semicolon outside of quotes ends a rule
// as the end of a line does. Errors count rules as lines.
func ParseInline(name, text string) (Rules, error) {
	return Parse(name, strings.Join(splitRules(text), "\n"))
}

// splitRules splits at semicolons outside of quoted strings, in which a
// backslash takes the next character as it is.
func splitRules(text string) []string {
	var parts []string
	from, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quoted:
			i++
		case text[i] == '"':
			quoted = !quoted
		case text[i] == ';' && !quoted:
			parts = append(parts, text[from:i])
			from = i + 1
		}
	}
	return append(parts, text[from:])
}
