//go:build real

package report

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/price"
	"github.com/lakebench/lakebench/internal/render"
	"github.com/lakebench/lakebench/internal/resultstest"
	"github.com/lakebench/lakebench/plan"
	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/workloads"
)

// probe asks the page itself, when it has been laid out, for what is wider than
// the window, outside of what scrolls, and for what a screen reader would miss.
const probe = `<script>
addEventListener("load", () => {
  const faults = [];
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > wide) faults.push("the page is " + document.documentElement.scrollWidth + " wide");
  for (const e of document.querySelectorAll("body *")) {
    if (e.closest(".scroll, pre, .skip, svg")) continue;
    if (e.getBoundingClientRect().right > wide + 1) faults.push(e.tagName + " sticks out: " + e.textContent.trim().slice(0, 40));
  }
  const levels = [...document.querySelectorAll("h1, h2, h3")].map(h => +h.tagName[1]);
  levels.forEach((l, i) => { if (i && l > levels[i - 1] + 1) faults.push("heading " + i + " skips a level"); });
  if (document.querySelectorAll("h1").length != 1 || !document.querySelector("main")) faults.push("no single h1, or no main");
  for (const t of document.querySelectorAll("table")) if (!t.querySelector("th[scope=col]") || !t.querySelector("th[scope=row]")) faults.push("a table without headings");
  for (const s of document.querySelectorAll("svg")) if (s.getAttribute("role") != "img" || !s.querySelector("title")) faults.push("a picture without words");
  for (const s of document.querySelectorAll(".scroll, pre")) if (s.tabIndex != 0) faults.push("what scrolls cannot be reached by keyboard");
  const told = parent.document.documentElement;
  told.setAttribute("data-width", innerWidth);
  told.setAttribute("data-height", document.documentElement.scrollHeight);
  told.setAttribute("data-faults", faults.join("; "));
});
</script></body>`

// TestRealBrowser opens reports and a plan in headless Chromium at the width of a phone and
// of a desk: nothing on the console, nothing that sticks out of the page, and a
// structure for keyboards and screen readers. LAKEBENCH_TEST_CHROMIUM is the
// browser's path.
func TestRealBrowser(t *testing.T) {
	browser := os.Getenv("LAKEBENCH_TEST_CHROMIUM")
	if browser == "" {
		t.Fatal("LAKEBENCH_TEST_CHROMIUM is not set; run make test-real")
	}
	troubled := resultstest.CatalogRefresh(1, 0, 100, 1000, 10_000)
	troubled.Partial = true
	troubled.Warnings = []string{strings.Repeat("a-very-long-word-without-a-space", 10)}
	troubled.Checks = append(troubled.Checks, results.Check{Name: "sums", Status: results.Failed, Detail: strings.Repeat("many words ", 40)})
	good := resultstest.CatalogRefresh(1, 0, 100, 1000, 10_000)
	for _, w := range workloads.All() {
		t.Run(w.Name, func(t *testing.T) {
			const screens, screen = 6, 900 // pixels
			if n := look(t, browser, 1440, htmlOf(t, fullRun(t, w))); n > screens*screen {
				t.Errorf("the report of a default run is %d pixels long: expected %d screens of %d at most", n, screens, screen)
			}
		})
	}
	pages := map[string]string{"one": htmlOf(t, good), "several": htmlOf(t, good, troubled, good), "plan": planOf(t)}
	for name, page := range pages {
		for _, width := range []int{390, 1440} {
			t.Run(fmt.Sprintf("%s/%d", name, width), func(t *testing.T) { look(t, browser, width, page) })
		}
	}
}

func planOf(t *testing.T) string {
	t.Helper()
	p, err := plan.Make(plan.DefaultScale(), price.Default())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := render.HTML(&b, p.Page()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// look lays a page out in a window of some width, and returns its height.
func look(t *testing.T, browser string, width int, page string) int {
	t.Helper()
	// In a frame: a headless window has a least width, which is more than a phone's.
	probed := strings.Replace(page, "</body>", probe, 1)
	framed := fmt.Sprintf("<!DOCTYPE html><title>frame</title><iframe srcdoc=\"%s\" style=\"width:%dpx; height:900px; border:0\"></iframe>", html.EscapeString(probed), width)
	file := filepath.Join(t.TempDir(), "frame.html")
	if err := os.WriteFile(file, []byte(framed), 0o600); err != nil {
		t.Fatal(err)
	}
	var console bytes.Buffer
	cmd := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
		"--user-data-dir="+t.TempDir(), "--window-size=1600,900", "--virtual-time-budget=5000", "--dump-dom", "file://"+file)
	cmd.Stderr = &console
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", browser, err, console.String())
	}
	if m := regexp.MustCompile(`(?m)^.*CONSOLE.*$`).FindString(console.String()); m != "" {
		t.Errorf("on the console: %s", m)
	}
	if got := attribute(t, dom, "data-width"); got != fmt.Sprint(width) {
		t.Fatalf("laid out %s wide, want %d", got, width)
	}
	if faults := attribute(t, dom, "data-faults"); faults != "" {
		t.Error(faults)
	}
	height, err := strconv.Atoi(attribute(t, dom, "data-height"))
	if err != nil {
		t.Fatal(err)
	}
	return height
}

// attribute reads an attribute that the probe wrote.
func attribute(t *testing.T, dom []byte, name string) string {
	t.Helper()
	m := regexp.MustCompile(name + `="([^"]*)"`).FindSubmatch(dom)
	if m == nil {
		t.Fatalf("the probe wrote no %s: it did not run", name)
	}
	return string(m[1])
}
