package attempt

import (
	"encoding/hex"
	"math/rand/v2"
)

// ID draws an id of n random bytes, in hexadecimal digits. The caller locks random.
func ID(random rand.Source, n int) string {
	id := make([]byte, n)
	for i := range id {
		id[i] = byte(random.Uint64() >> 56)
	}
	return hex.EncodeToString(id)
}
