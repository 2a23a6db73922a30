package gate

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The elements of JUnit's format that test dashboards read.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
		Out      string      `xml:"system-out,omitempty"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure"` // one: some readers take no more
	}
	junitFailure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the report as JUnit XML: a suite for each result, in it a case
// for each series and one for the result as a whole; and a suite for what is about no
// single result, with a case for each file that could not be read. The message of a
// case is its worst failure.
func (r Report) WriteJUnit(w io.Writer) error {
	all := junitSuites{Name: "lakebench gate"}
	for _, v := range r.Verdicts {
		all.add(suiteOf(v.Workload, v.Places, v.Failures))
	}
	if len(r.Failures) > 0 || len(r.Notes) > 0 {
		suite := suiteOf("lakebench", nil, byCause(r.Failures))
		suite.Out = printable(strings.Join(r.Notes, "; "))
		all.add(suite)
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

func (s *junitSuites) add(suite junitSuite) {
	s.Suites = append(s.Suites, suite)
	s.Tests += suite.Tests
	s.Failures += suite.Failures
}

// suiteOf makes a case of each place, and one of the whole. A place that is not
// among them, such as a curve, has a case if it fails.
func suiteOf(name string, places []string, failures []Finding) junitSuite {
	const whole = "the result as a whole"
	s := junitSuite{Name: name, Cases: []junitCase{{Class: name, Name: whole}}}
	at := map[string]int{"": 0}
	find := func(place string) *junitCase {
		i, ok := at[place]
		if !ok {
			i = len(s.Cases)
			at[place] = i
			s.Cases = append(s.Cases, junitCase{Class: name, Name: place})
		}
		return &s.Cases[i]
	}
	for _, p := range places {
		find(p)
	}
	of := map[string]int{}
	for _, f := range failures {
		of[f.Place]++
		c := find(f.Place)
		message := printable(f.Message)
		if c.Failure == nil {
			c.Failure = &junitFailure{Type: string(f.Kind), Message: message}
		}
		c.Failure.Text += "\n" + string(f.Kind) + ": " + message
	}
	s.Tests = len(s.Cases)
	for place, n := range of {
		s.Failures++
		find(place).Failure.Message += more(n - 1)
	}
	for i := range s.Cases {
		s.Cases[i].Name = printable(s.Cases[i].Name)
	}
	return s
}

// printable leaves out what XML cannot hold.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, s)
}
