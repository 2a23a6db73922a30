package mutant

import "testing"

func TestPattern(t *testing.T) {
	tests := []string{"TestA", "TestAB", "TestC"}
	for _, c := range []struct {
		text    string
		matches bool // every alternative matches one of the tests
		names   []string
		not     []string
	}{
		{"^TestA$", true, []string{"TestA", "TestA/x", "TestA/x/y"}, []string{"TestAB", "TestC"}},
		{"^TestA", true, []string{"TestA", "TestAB"}, []string{"TestC"}},
		{"^(TestA|TestC)$", true, []string{"TestA", "TestC"}, []string{"TestAB"}},
		{"^TestA$/^x$", true, []string{"TestA/x", "TestA/x/y"}, []string{"TestA", "TestA/y", "TestC/x"}},
		{"^TestA$/^x$|^TestC$", true, []string{"TestA/x", "TestC"}, []string{"TestA", "TestA/y"}},
		{"^TestA$/^(x/z|y)$", true, []string{"TestA/y"}, []string{"TestA/x"}},
		{"^TestD$", false, nil, nil},
		{"^TestA$|^TestD$", false, []string{"TestA"}, []string{"TestC"}},
	} {
		p, err := parsePattern(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if err := p.check(tests); (err == nil) != c.matches {
			t.Errorf("%s on %q: %v, want a match: %v", c.text, tests, err, c.matches)
		}
		for _, name := range c.names {
			if !p.names(name) {
				t.Errorf("%s does not name %s", c.text, name)
			}
		}
		for _, name := range c.not {
			if p.names(name) {
				t.Errorf("%s names %s", c.text, name)
			}
		}
	}
}

// The binary that runs has this test among those that it lists.
func TestTestNames(t *testing.T) {
	names, err := testNames(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := parsePattern("^" + t.Name() + "$")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.check(names); err != nil {
		t.Errorf("%v, of %q", err, names)
	}
}
