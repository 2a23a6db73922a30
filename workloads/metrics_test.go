package workloads

import "testing"

// Every metric that the specification names is declared, and workloads that share
// a name mean the same by it.
func TestMetrics(t *testing.T) {
	all := Metrics()
	for _, name := range []string{
		"requests/op", "evaluated/op", "returned/op", "rru/op", "wru/op", "s3-class-a/op", "s3-class-b/op", "bytes/op", "usd/op", "retries/op",
		"p50-ns", "p99-ns", "p999-ns", "max-ns", "service-p50-ns", "service-p99-ns", "service-p999-ns", "service-max-ns",
		"usd/day", "rru/day", "wru/day", "conflicts/op", "ceiling-units/s", "ceiling-conflicts/s", "requests/item", "wru/item",
		"pause-requests", "own-requests/op", "scans/op", "lost-attempts/op", "given-up/op", "requests/landed", "requests-to-first-append",
	} {
		if !all.Declares(name) {
			t.Errorf("%s is not declared", name)
		}
	}
	for _, w := range All() {
		seen := map[string]bool{}
		for _, m := range w.AllMetrics() {
			same := all.Lookup(m.Name)
			same.Doc = m.Doc // what it is made of is the workload's to say
			if same != m {
				t.Errorf("%s declares %+v, another workload %+v", w.Name, m, same)
			}
			if seen[m.Name] {
				t.Errorf("%s declares %s twice", w.Name, m.Name)
			}
			seen[m.Name] = true
		}
	}
}
