package control

import (
	"fmt"

	"github.com/lakebench/lakebench/store"
)

// A Mode is how a node sees the two layouts (docs/spec/metadata-store.md §4). The zero
// Mode is none.
type Mode int

// The modes, in the order of a migration.
const (
	_ Mode = iota
	// ModeV1 reads and writes v1 alone.
	ModeV1
	// ModeDual reads v1 and writes both, unless the write barrier is there.
	ModeDual
	// ModeV2Authoritative reads v2 and writes both.
	ModeV2Authoritative
	// ModeV2Only reads and writes v2 alone.
	ModeV2Only
)

var modeNames = map[Mode]string{
	ModeV1: "v1", ModeDual: "dual", ModeV2Authoritative: "v2-authoritative", ModeV2Only: "v2-only",
}

// Modes returns all modes, in the order of a migration.
func Modes() []Mode { return []Mode{ModeV1, ModeDual, ModeV2Authoritative, ModeV2Only} }

func (m Mode) String() string {
	if name, ok := modeNames[m]; ok {
		return name
	}
	return fmt.Sprintf("Mode(%d)", int(m))
}

// ParseMode returns the mode of that name.
func ParseMode(name string) (Mode, error) {
	for _, m := range Modes() {
		if modeNames[m] == name {
			return m, nil
		}
	}
	return 0, fmt.Errorf("%w: mode %q; the modes are v1, dual, v2-authoritative and v2-only", store.ErrInvalid, name)
}

// Validate refuses what is no mode.
func (m Mode) Validate() error {
	if _, ok := modeNames[m]; !ok {
		return fmt.Errorf("%w: %v; the modes are v1, dual, v2-authoritative and v2-only", store.ErrInvalid, m)
	}
	return nil
}

// ReadsV2 reports whether v2 is the authority in this mode; else v1 is.
func (m Mode) ReadsV2() bool { return m == ModeV2Authoritative || m == ModeV2Only }

// WritesV1 reports whether mutations write v1 in this mode.
func (m Mode) WritesV1() bool { return m != ModeV2Only }

// WritesV2 reports whether mutations write v2 in this mode.
func (m Mode) WritesV2() bool { return m != ModeV1 }

// MarshalText implements encoding.TextMarshaler.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), m.Validate() }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Mode) UnmarshalText(text []byte) error {
	parsed, err := ParseMode(string(text))
	if err != nil {
		return err
	}
	*m = parsed
	return nil
}
