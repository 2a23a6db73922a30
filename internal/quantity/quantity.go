// Package quantity reads the numbers and lengths of time that people write in flags,
// parameters and files.
package quantity

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// number is a sign, digits in groups that _ may separate, decimals and an exponent.
var number = regexp.MustCompile(`^([+-]?)([0-9]+(?:_[0-9]+)*)?(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,3}))?$`)

// Whole returns a whole number, such as 1000000, 1_000_000, 1e6 or 1.5e3, in plain
// digits; its size is the caller's to check.
//
// 10k and 4M are refused: of bytes, some mean 4,000,000 and others 4,194,304.
func Whole(text string) (string, error) {
	m := number.FindStringSubmatch(text)
	if m == nil || m[2] == "" {
		return "", unreadable(text, "whole number")
	}
	sign, digits, decimals := strings.TrimPrefix(m[1], "+"), strings.ReplaceAll(m[2], "_", ""), strings.TrimRight(m[3], "0")
	if len(digits) > 1 && digits[0] == '0' {
		return "", fmt.Errorf("%q begins with 0: large numbers are written as 1000, 1_000 or 1e3, since a comma separates the values of a list", text)
	}
	exponent, _ := strconv.Atoi(m[4]) // at most three digits, or none
	if digits == "0" && decimals == "" {
		return "0", nil
	}
	if exponent < len(decimals) {
		zeros := min(len(decimals)-exponent, len(digits)-1)
		if decimals != "" || !strings.HasSuffix(digits, strings.Repeat("0", zeros)) || zeros < -exponent {
			return "", unreadable(text, "whole number")
		}
		return sign + digits[:len(digits)-zeros], nil
	}
	digits = strings.TrimLeft(digits+decimals, "0")
	return sign + digits + strings.Repeat("0", exponent-len(decimals)), nil
}

// Int returns a whole number that Whole reads.
func Int(text string) (int64, error) {
	digits, err := Whole(text)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is too large", text)
	}
	return n, nil
}

// Float returns a number, such as 0.05, 1_000 or 1e-3. It is finite.
func Float(text string) (float64, error) {
	m := number.FindStringSubmatch(text)
	if m == nil || m[2] == "" && m[3] == "" {
		return 0, unreadable(text, "number")
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	if err != nil {
		return 0, fmt.Errorf("%q is too large", text)
	}
	return f, nil
}

// unreadable says what is expected, and how to write what was probably meant.
func unreadable(text, what string) error {
	switch {
	case strings.Contains(text, ","):
		return fmt.Errorf("%q is no %s: a comma separates the values of a list; write 1_000 or 1e3 for a thousand", text, what)
	case len(text) > 1 && strings.ContainsAny(text[len(text)-1:], "kKmMgGbB") && strings.ContainsAny(text[:1], "0123456789"):
		return fmt.Errorf("%q is no %s: write a thousand as 1_000 or 1e3, a million as 1e6", text, what)
	}
	return fmt.Errorf("%q is no %s", text, what)
}

// The units of time beyond those of time.ParseDuration, in hours.
var longUnits = map[string]time.Duration{"d": 24, "w": 7 * 24, "y": 365 * 24}

var (
	span = regexp.MustCompile(`^[+-]?(?:[0-9][0-9_]*(?:\.[0-9]+)?(?:ns|us|µs|μs|ms|s|m|h|d|w|y))+$`)
	part = regexp.MustCompile(`([0-9_.]+)([^0-9_.]+)`)
)

// Duration returns a length of time: 30s, 12h, 7d, 1w, 1y (365 days), or several
// of them, as in 1d12h.
func Duration(text string) (time.Duration, error) {
	if text == "0" {
		return 0, nil
	}
	if !span.MatchString(text) {
		if _, err := Float(text); err == nil {
			return 0, fmt.Errorf("%q has no unit of time: write %ss, %sm, %sh, %sd, %sw or %sy", text, text, text, text, text, text, text)
		}
		return 0, fmt.Errorf("%q is no length of time such as 30s, 12h, 7d, 2w or 1y", text)
	}
	var sum time.Duration
	for _, m := range part.FindAllStringSubmatch(text, -1) {
		amount, unit, factor := strings.ReplaceAll(m[1], "_", ""), m[2], time.Duration(1)
		if hours := longUnits[unit]; hours > 0 {
			unit, factor = "h", hours
		}
		d, err := time.ParseDuration(amount + unit)
		if err != nil || d > (math.MaxInt64-sum)/factor {
			return 0, fmt.Errorf("%q is longer than 292 years", text)
		}
		sum += d * factor
	}
	if text[0] == '-' {
		sum = -sum
	}
	return sum, nil
}

// FormatDuration writes a length of time as Duration reads it: whole days as days,
// and no units that are 0.
func FormatDuration(d time.Duration) string {
	const day = 24 * time.Hour
	if d > 0 && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
