package results

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// thousands writes f with so many decimals and a comma for every three digits.
func thousands(f float64, decimals int) string {
	text := strconv.FormatFloat(math.Abs(f), 'f', decimals, 64)
	whole, rest, _ := strings.Cut(text, ".")
	var b strings.Builder
	if f < 0 {
		b.WriteByte('-')
	}
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	if rest != "" {
		b.WriteString("." + rest)
	}
	return b.String()
}

// decimals is how many decimals, three at most, a column of values needs so that
// each shows what it is, and the small ones two digits.
func decimals(values []float64) int {
	const most = 3
	need := 0
	for _, v := range values {
		for need < most && math.Abs(v*math.Pow10(need)-math.Round(v*math.Pow10(need))) > 1e-9*math.Max(1, math.Abs(v)) {
			need++
		}
	}
	return need
}

// significant writes f with three significant digits, or all digits before the
// point if there are more: 0.00925, 1.61, 102, 7,475.
func significant(f float64) string {
	if f == 0 {
		return "0"
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(f))))
	if digits > 9 {
		return strconv.FormatFloat(f, 'g', 3, 64)
	}
	text := thousands(f, max(digits, 0))
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// duration writes nanoseconds with three significant digits.
func duration(ns float64) string {
	for _, u := range []struct {
		name string
		size time.Duration
	}{{"s", time.Second}, {"ms", time.Millisecond}, {"µs", time.Microsecond}} {
		if math.Abs(ns) >= 0.9995*float64(u.size) {
			return strconv.FormatFloat(roundTo(ns/float64(u.size), 3), 'f', -1, 64) + " " + u.name
		}
	}
	return significant(roundTo(ns, 3)) + " ns"
}

// roundTo rounds f to so many significant digits.
func roundTo(f float64, digits int) float64 {
	if f == 0 {
		return 0
	}
	r, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', digits, 64), 64) // its own output
	return r
}

// coordinate writes the value of a parameter for people.
func coordinate(v Value) string {
	if f, ok := v.Float(); ok {
		return thousands(f, decimals([]float64{f}))
	}
	return v.String()
}

// spaced turns a parameter's name into words.
func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// aOrAn puts the article before a word.
func aOrAn(word string) string {
	if word != "" && strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

// list joins words as a sentence does.
func list(words []string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}

// plural writes a number of things.
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%s %s", thousands(float64(n), 0), many)
}

// wrap breaks text at spaces into lines of at most width runes, each after the
// first indented; a longer word stays whole. Spaces before the text are kept.
func wrap(text string, width int, indent string) string {
	body := strings.TrimLeft(text, " ")
	lines := []string{strings.Repeat(" ", len(text)-len(body))}
	fresh := true // nothing but indentation in the last line
	for word := range strings.FieldsSeq(body) {
		last := &lines[len(lines)-1]
		if !fresh && utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, indent)
			last, fresh = &lines[len(lines)-1], true
		}
		if !fresh {
			*last += " "
		}
		*last += word
		fresh = false
	}
	return strings.Join(lines, "\n")
}
