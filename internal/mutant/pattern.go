package mutant

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// A pattern names tests as the flag -run does: alternatives separated by |, each a
// list of expressions separated by /, one a level of subtests.
type pattern struct {
	text         string
	alternatives [][]*regexp.Regexp
}

// anchored is how an alternative must begin, so that it cannot match every test.
var anchored = regexp.MustCompile(`^\^\(?Test`)

func parsePattern(text string) (pattern, error) {
	p := pattern{text: text}
	for _, alternative := range split(text, '|') {
		if !anchored.MatchString(alternative) {
			return pattern{}, fmt.Errorf("tests %q: want ^TestName$, ^TestName$/^subtest$, or several separated by |", text)
		}
		var levels []*regexp.Regexp
		for _, level := range split(alternative, '/') {
			expression, err := regexp.Compile(level)
			if err != nil {
				return pattern{}, fmt.Errorf("tests %q: %w", text, err)
			}
			levels = append(levels, expression)
		}
		p.alternatives = append(p.alternatives, levels)
	}
	return p, nil
}

// split splits where separator is outside of brackets, as package testing does.
func split(text string, separator byte) []string {
	var parts []string
	depth, begin := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case separator:
			if depth == 0 {
				parts = append(parts, text[begin:i])
				begin = i + 1
			}
		}
	}
	return append(parts, text[begin:])
}

// check returns an error if an alternative of the pattern matches none of a package's
// tests.
func (p pattern) check(tests []string) error {
	for _, levels := range p.alternatives {
		if !slices.ContainsFunc(tests, levels[0].MatchString) {
			return fmt.Errorf("%s matches no test of the package", levels[0])
		}
	}
	return nil
}

// names reports whether the pattern names a test or one around it. It does not name
// the test around a subtest that it names.
func (p pattern) names(test string) bool {
	path := strings.Split(test, "/")
	return slices.ContainsFunc(p.alternatives, func(levels []*regexp.Regexp) bool {
		if len(path) < len(levels) {
			return false
		}
		for i, level := range levels {
			if !level.MatchString(path[i]) {
				return false
			}
		}
		return true
	})
}

// testNames lists the tests of the binary that runs.
func testNames(ctx context.Context) ([]string, error) {
	binary, err := os.Executable()
	if err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, binary, "-test.list", "^Test").Output()
	if err != nil {
		return nil, fmt.Errorf("list the tests: %w", err)
	}
	names := strings.Fields(string(out))
	if len(names) == 0 {
		return nil, errors.New("list the tests: there are none")
	}
	return names, nil
}
