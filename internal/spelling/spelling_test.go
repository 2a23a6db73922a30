package spelling

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"catalog-refresh", "append-history", "dual-write"}
	for word, want := range map[string]string{
		"catalog-refersh": "catalog-refresh", "catalogrefresh": "catalog-refresh", "Dual-Write": "dual-write",
		"dual_write": "dual-write", "x": "", "": "", "migration": "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, expected %q", word, got, want)
		}
	}
}

// TestDistance holds the distance against textbook values.
func TestDistance(t *testing.T) {
	for _, d := range []struct {
		a, b string
		n    int
	}{{"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"", "abc", 3}, {"abc", "", 3}, {"same", "same", 0}} {
		if got := Distance(d.a, d.b); got != d.n {
			t.Errorf("Distance(%q, %q) = %d, expected %d", d.a, d.b, got, d.n)
		}
	}
}
