package generation

import (
	"encoding/binary"
	"slices"
)

// encodeDeletions writes the numbers of rows in ascending order, each as four
// bytes, little-endian.
func encodeDeletions(rows []uint32) []byte {
	sorted := slices.Sorted(slices.Values(rows))
	out := make([]byte, 0, 4*len(sorted))
	for _, r := range sorted {
		out = binary.LittleEndian.AppendUint32(out, r)
	}
	return out
}

// DecodeDeletions reads the rows that are replaced.
func DecodeDeletions(body []byte) (map[uint32]bool, error) {
	if len(body)%4 != 0 {
		return nil, damaged("%d bytes of deletions; each takes 4", len(body))
	}
	rows := make(map[uint32]bool, len(body)/4)
	for ; len(body) > 0; body = body[4:] {
		rows[binary.LittleEndian.Uint32(body)] = true
	}
	return rows, nil
}

func setOf(rows []uint32) map[uint32]bool {
	set := make(map[uint32]bool, len(rows))
	for _, r := range rows {
		set[r] = true
	}
	return set
}
