package fault

import (
	"strings"
	"testing"
)

// Rules on one line are the same rules, whatever their patterns hold.
func TestInlineRules(t *testing.T) {
	const text = `on dynamodb key "a;b\";c" nth 3 : error-after
on any actor "it's; #1" p 0.5 : delay 1ms
on dynamodb PutItem : cut`
	inline := mustParse(t, text).Inline()
	if strings.Contains(inline, "\n") {
		t.Errorf("%q is not one line", inline)
	}
	got, err := ParseInline("--faults", inline)
	if err != nil || got.String() != mustParse(t, text).String() {
		t.Errorf("%q is read as %v, %v", inline, got, err)
	}
	for text, want := range map[string]string{
		"":                                   "",
		";;on any : cut-off":                 "--faults:3:10: expected an effect",
		"on any : delay 1ms; on any : delay": "--faults:2:16: expected a duration",
	} {
		got, err := ParseInline("--faults", text)
		if want == "" && (err != nil || len(got) != 0) || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: %v, %v; want %q", text, got, err, want)
		}
	}
}
