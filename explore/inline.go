package explore

import (
	"strings"

	"github.com/lakebench/lakebench/backend/fault"
)

// Inline returns rules on one line, with semicolons between, as ParseInline
// reads them.
func Inline(rules fault.Rules) string {
	parts := make([]string, len(rules))
	for i, r := range rules {
		parts[i] = r.String()
	}
	return strings.Join(parts, "; ")
}

// ParseInline reads rules of fault's language from one line: a semicolon outside
// of quotes ends a rule. Errors count rules as lines, and are in name.
func ParseInline(name, text string) (fault.Rules, error) {
	return fault.Parse(name, strings.Join(splitRules(text), "\n"))
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
