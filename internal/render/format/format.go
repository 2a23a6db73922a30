// Package format writes numbers, times and lists for people: with commas and units,
// and no more digits than tell something.
package format

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Thousands writes f with a number of decimals and a comma every three digits.
func Thousands(f float64, decimals int) string {
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

// Decimals returns the number of decimals, at most three, that show every one of the
// values exactly.
func Decimals(values []float64) int {
	const most = 3
	need := 0
	for _, v := range values {
		for need < most && math.Abs(v*math.Pow10(need)-math.Round(v*math.Pow10(need))) > 1e-9*math.Max(1, math.Abs(v)) {
			need++
		}
	}
	return need
}

// Significant writes f with three significant digits, or all digits before the
// point if there are more: 0.00925, 1.61, 102, 7,475.
func Significant(f float64) string {
	if f == 0 {
		return "0"
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(f))))
	if digits > 9 {
		return strconv.FormatFloat(f, 'g', 3, 64)
	}
	text := Thousands(f, max(digits, 0))
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// Duration writes nanoseconds with three significant digits.
func Duration(ns float64) string {
	for _, u := range []struct {
		name string
		size time.Duration
	}{{"s", time.Second}, {"ms", time.Millisecond}, {"µs", time.Microsecond}} {
		if math.Abs(ns) >= 0.9995*float64(u.size) {
			return strconv.FormatFloat(roundTo(ns/float64(u.size), 3), 'f', -1, 64) + " " + u.name
		}
	}
	return Significant(roundTo(ns, 3)) + " ns"
}

// roundTo rounds f to a number of significant digits.
func roundTo(f float64, digits int) float64 {
	if f == 0 {
		return 0
	}
	r, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'g', digits, 64), 64) // its own output
	return r
}

// Spaced turns a parameter's name into words.
func Spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// AOrAn puts the article before a word.
func AOrAn(word string) string {
	if word != "" && strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

// List joins words as in a sentence: "a, b and c".
func List(words []string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}

// Plural writes a count with its noun: "1 request", "1,200 requests".
func Plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%s %s", Thousands(float64(n), 0), many)
}

// Capital begins text with a capital letter.
func Capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
