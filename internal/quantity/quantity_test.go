package quantity

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestInt(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "7": 7, "-3": -3, "+3": 3, "1_000_000": 1_000_000, "1e6": 1_000_000, "1E3": 1000, "1.5e3": 1500, "1_0e1": 100,
		"1.0": 1, "0e5": 0, "0.5e1": 5, "1500e-2": 15, "10e-1": 1, "0.001e3": 1, "-1e3": -1000,
		"9223372036854775807": math.MaxInt64, "-9223372036854775808": math.MinInt64,
	} {
		if got, err := Int(text); err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "is no whole number", "ten": "is no whole number", "1.5": "is no whole number", "1e-3": "is no whole number", "15e-2": "is no whole number",
		"1.55e1": "is no whole number", "1_": "is no whole number", "_1": "is no whole number", "1__0": "is no whole number", "0x10": "is no whole number",
		"NaN": "is no whole number", "Inf": "is no whole number", "-": "is no whole number", ".": "is no whole number", "1e": "is no whole number",
		"1,000": "a comma separates the values of a list; write 1_000 or 1e3 for a thousand", "10k": "write a thousand as 1_000 or 1e3", "4M": "write a thousand as",
		"000": "begins with 0", "007": "begins with 0", "1e19": "is too large", "1e999": "is too large", "9223372036854775808": "is too large",
		"\t1": "is no whole number", "1\n": "is no whole number",
	} {
		got, err := Int(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %d, %v, want %q in a line", text, got, err, want)
		}
	}
}

// What is written with an exponent is the number that strconv reads, or no whole one.
func TestIntAgreesWithParseFloat(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 20_000 {
		text := strconv.Itoa(rnd.IntN(2000))
		if rnd.IntN(2) == 0 {
			text += "." + strings.Repeat("0", rnd.IntN(3)) + strconv.Itoa(rnd.IntN(200))
		}
		if rnd.IntN(3) > 0 {
			text += "e" + strconv.Itoa(rnd.IntN(12)-5)
		}
		want, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Int(text)
		if (err == nil) != (want == math.Trunc(want)) || err == nil && float64(got) != want {
			t.Fatalf("%s: %d, %v, want %v (seed %d)", text, got, err, want, seed)
		}
	}
}

func TestFloat(t *testing.T) {
	for text, want := range map[string]float64{"0.05": 0.05, "1_000.5": 1000.5, "1e-3": 0.001, ".5": 0.5, "-2": -2, "007": 7} {
		if got, err := Float(text); err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "is no number", "often": "is no number", "NaN": "is no number", "inf": "is no number", "0x1p4": "is no number", ".": "is no number",
		"1,5": "a comma separates", "2k": "write a thousand", "1e999": "is too large",
	} {
		if got, err := Float(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, got, err, want)
		}
	}
}

func TestDuration(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "30s": 30 * time.Second, "5ms": 5 * time.Millisecond, "1h30m": 90 * time.Minute, "7d": 7 * day, "1w": 7 * day, "1y": 365 * day,
		"1.5d": 36 * time.Hour, "1w2d12h": 9*day + 12*time.Hour, "1_000s": 1000 * time.Second, "-1h": -time.Hour, "250y": 250 * 365 * day, "3µs": 3 * time.Microsecond,
	} {
		got, err := Duration(text)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
		if again, err := Duration(FormatDuration(got)); err != nil || again != got {
			t.Errorf("%s is written as %s, which is read as %v, %v", text, FormatDuration(got), again, err)
		}
	}
	for text, want := range map[string]string{
		"": "is no length of time", "soon": "is no length of time", "7": "has no unit of time: write 7s, 7m, 7h, 7d, 7w or 7y", "7 d": "is no length of time",
		"1mo": "is no length of time", "d": "is no length of time", "NaNd": "is no length of time", "1e3s": "is no length of time",
		"300y": "longer than 292 years", "200y200y": "longer than 292 years", "99999999999999999999h": "longer than 292 years",
	} {
		if got, err := Duration(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, got, err, want)
		}
	}
	for d, want := range map[time.Duration]string{0: "0s", 168 * time.Hour: "7d", time.Hour: "1h", 90 * time.Minute: "1h30m", time.Minute: "1m", 30 * time.Second: "30s", 36 * time.Hour: "36h", 5 * time.Millisecond: "5ms"} {
		if got := FormatDuration(d); got != want {
			t.Errorf("%d is written as %s, want %s", d, got, want)
		}
	}
}
