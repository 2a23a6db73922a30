package results

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
)

// Params are a workload's parameters: JSON values, lists for swept ones.
type Params map[string]any

// UnmarshalJSON keeps whole numbers whole, so that what is read hashes as what
// was written.
func (p *Params) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var m map[string]any
	if err := dec.Decode(&m); err != nil {
		return err
	}
	for name, v := range m {
		w, err := plainNumbers(v)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m[name] = w
	}
	*p = m
	return nil
}

// plainNumbers replaces every json.Number in v by an int64 or uint64, or by a
// float64 where those do not hold it.
func plainNumbers(v any) (any, error) {
	var err error
	switch x := v.(type) {
	case json.Number:
		if n, err := x.Int64(); err == nil && x != "-0" {
			return n, nil
		}
		if n, err := strconv.ParseUint(x.String(), 10, 64); err == nil {
			return n, nil
		}
		return x.Float64()
	case []any:
		for i := range x {
			if x[i], err = plainNumbers(x[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name := range x {
			if x[name], err = plainNumbers(x[name]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
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
