package report

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/price"
	"github.com/lakebench/lakebench/plan"
)

func makePlan(t *testing.T, s plan.Scale) plan.Plan {
	t.Helper()
	p, err := plan.Make(s, price.Default())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func planOf(t *testing.T, s plan.Scale) string {
	t.Helper()
	var b bytes.Buffer
	if err := PlanHTML(&b, makePlan(t, s)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPlanHTMLSaysWhatThePlanDoes: every cell and note of every section, in order.
func TestPlanHTMLSaysWhatThePlanDoes(t *testing.T) {
	p := makePlan(t, plan.DefaultScale())
	page := planOf(t, plan.DefaultScale())
	if n := strings.Count(page, "<svg "); n != 3 {
		t.Errorf("%d pictures, want 3: of the month, of a refresh, of the WAL", n)
	}
	_, main, _ := strings.Cut(page, "<main>")
	left := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(main, "\x00"))
	for _, s := range p.Sections() {
		texts := append([]string{s.Title}, s.Header...)
		for _, row := range s.Rows {
			texts = append(texts, row...)
		}
		for _, text := range append(texts, s.Notes...) {
			if text == "" {
				continue
			}
			_, after, found := strings.Cut(left, "\x00"+text+"\x00")
			if !found {
				t.Fatalf("%q of section %q is not on the page, or not there", text, s.Title)
			}
			left = after
		}
	}
}

// TestPlanHTMLOverLimits: what is over a limit is said before the first table.
func TestPlanHTMLOverLimits(t *testing.T) {
	page := planOf(t, plan.DefaultScale())
	if alert := strings.Index(page, `<p class="alert bad" role="note">OVER: the table&#39;s reads, v1`); alert < 0 || alert > strings.Index(page, "<table") {
		t.Errorf("the alert stands at %d", alert)
	}
	small := plan.DefaultScale()
	small.Readers, small.WALShards, small.CommitsPerSecond = 1, 0, 0
	page = planOf(t, small)
	if strings.Contains(page, `class="alert`) || strings.Contains(page, "<svg ") {
		t.Error("a lake without commits and a WAL has something over a limit, or something to draw")
	}
}
