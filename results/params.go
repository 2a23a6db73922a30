package results

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Params are a workload's parameters: JSON values, lists for swept ones.
type Params map[string]any

// UnmarshalJSON keeps numbers as they are written (json.Number), so that what is
// read hashes as what was written.
func (p *Params) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return dec.Decode((*map[string]any)(p))
}

// HashWorkload identifies what was run: SHA-256 over the canonical JSON (sorted
// keys, no space, shortest numbers) of name, version and params, in hex. Seed,
// repeats and worker are no part of it: runs that differ in them alone measured
// the same thing. It fails for params that JSON cannot hold.
func HashWorkload(name string, version int, params Params) (string, error) {
	if params == nil {
		params = Params{}
	}
	var canonical bytes.Buffer
	enc := json.NewEncoder(&canonical)
	enc.SetEscapeHTML(false)
	err := enc.Encode(map[string]any{"name": name, "version": version, "params": map[string]any(params)})
	if err != nil {
		return "", fmt.Errorf("hash workload %s: %w", name, err)
	}
	sum := sha256.Sum256(bytes.TrimSuffix(canonical.Bytes(), []byte("\n")))
	return hex.EncodeToString(sum[:]), nil
}
