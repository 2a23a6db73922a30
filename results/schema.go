package results

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/lakebench/lakebench/internal/counts"
)

// schema is the JSON Schema but for the counts of a Usage: "(series)" and
// "(units)" stand for those that are in a series and in its units.
//
//go:embed schema.json
var schema string

// Schema returns the JSON Schema (2020-12) of a result file. Decode refuses more
// than a schema can say: hashes, sums, and series that appear twice.
func Schema() []byte {
	names, members := map[string][]string{}, map[string][]string{}
	for _, f := range counts.Fields() {
		kind := "amount"
		if f.Whole {
			kind = "count"
		}
		names[f.Group] = append(names[f.Group], fmt.Sprintf("%q", f.Name))
		members[f.Group] = append(members[f.Group], fmt.Sprintf(`%q: { "$ref": "#/$defs/%s" }`, f.Name, kind))
	}
	return []byte(strings.NewReplacer(
		`"(series)": {}`, strings.Join(members[""], ", "), `"(series)"`, strings.Join(names[""], ", "),
		`"(units)": {}`, strings.Join(members["units"], ", "), `"(units)"`, strings.Join(names["units"], ", "),
	).Replace(schema))
}
