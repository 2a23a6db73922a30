package results

import (
	"bytes"
	_ "embed"
)

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (2020-12) of a result file. Decode refuses more
// than a schema can say: hashes, sums, and series that appear twice.
func Schema() []byte { return bytes.Clone(schema) }
