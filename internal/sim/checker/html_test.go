package checker

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// drawing is what the page's script draws.
type drawing struct {
	Partitions []struct {
		History []struct {
			Lane        int `json:"ClientId"`
			Start, End  int
			Description string
			Metadata    string
		}
		PartialLinearizations [][]struct {
			Index            int
			StateDescription string
		}
	}
}

func draw(t *testing.T, h History) drawing {
	t.Helper()
	var page bytes.Buffer
	if err := WriteHTML(&page, h); err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^\s*const data = (\{.*\})\s*$`).FindSubmatch(page.Bytes())
	if m == nil {
		t.Fatalf("no data in the page:\n%.2000s", page.String())
	}
	var d drawing
	if err := json.Unmarshal(m[1], &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestHTMLShowsAFailingHistory(t *testing.T) {
	h := history(
		op("writer-1", 1, 4, cas("tbl/a", Text("0"), "1"), answer(OK)),
		op("writer-1", 5, 6, cas("tbl/a", Text("1"), "2"), answer(Unknown)),
		op("writer-1", 7, 8, get("tbl/a"), saw("2")),
		op("reader-1", 9, 10, get("tbl/a"), saw("</script>")),
	).startingWith("tbl/a", "0")
	d := draw(t, h)
	if len(d.Partitions) != 1 {
		t.Fatalf("%d partitions, want 1", len(d.Partitions))
	}
	p := d.Partitions[0]
	var descriptions []string
	lane := map[string]int{}
	for _, e := range p.History {
		descriptions = append(descriptions, e.Description)
		lane[e.Description] = e.Lane
	}
	want := []string{
		`writer-1: cas "tbl/a" "0" → "1": ok`,
		`writer-1: cas "tbl/a" "1" → "2": unknown`,
		`writer-1: get "tbl/a": ok, found "2"`,
		`reader-1: get "tbl/a": ok, found "</script>"`,
		`end of the history: what is still open took no effect`,
	}
	if !slices.Equal(descriptions, want) {
		t.Errorf("descriptions %q, want %q", descriptions, want)
	}
	// The unknown operation is open to the end, so it has a lane of its own.
	if lanes := []int{lane[want[0]], lane[want[1]], lane[want[2]], lane[want[3]]}; !slices.Equal(lanes, []int{0, 0, 1, 2}) {
		t.Errorf("lanes %v, want writer-1 on two and reader-1 on the third", lanes)
	}
	if !strings.Contains(p.History[0].Metadata, "called at 1ms, returned at 4ms") {
		t.Errorf("details %q, want the times", p.History[0].Metadata)
	}
	// The longest order ends before the read that does not fit.
	longest := slices.MaxFunc(p.PartialLinearizations, func(a, b []struct {
		Index            int
		StateDescription string
	}) int {
		return len(a) - len(b)
	})
	if len(longest) != 3 || longest[2].StateDescription != `"tbl/a": "2"` {
		t.Errorf("longest order %v, want 3 operations that leave \"2\"", longest)
	}
}

func TestHTMLDrawsEveryKnownCase(t *testing.T) {
	for _, c := range cases {
		if d := draw(t, c.h); len(d.Partitions) != 1 {
			t.Errorf("%s: %d partitions", c.name, len(d.Partitions))
		}
	}
}

func TestHTMLRefusesTooLargeHistories(t *testing.T) {
	h := randomHistory(shape{seed: 1, actors: 2, operations: MaxDrawn + 1, keys: 9, values: 9})
	if err := WriteHTML(&bytes.Buffer{}, h); err == nil || !strings.Contains(err.Error(), "2001") {
		t.Errorf("%v, want a refusal that names the size", err)
	}
}
