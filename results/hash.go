package results

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// HashWorkload identifies what was run: SHA-256 over the canonical JSON (sorted
// keys, no space, shortest numbers) of name, version and params, in hex. Seed,
// repeats and worker are no part of it: runs that differ in them alone measured
// the same thing. It fails for params that JSON cannot hold.
func HashWorkload(name string, version int, params Params) (string, error) {
	canonical, err := json.Marshal(map[string]any{"name": name, "version": version, "params": params})
	if err != nil {
		return "", fmt.Errorf("hash workload %s: %w", name, err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}
