package run

import (
	"fmt"

	"github.com/lakebench/lakebench/run/load"
)

// Memory is what the process may use, in bytes.
type Memory struct {
	// Available is what the machine, or the limit of a container, has to give; 0 is
	// unknown.
	Available float64
	// Limit is the soft limit of Go's runtime (GOMEMLIMIT); 0 is none. With one the
	// runtime collects garbage before it takes more.
	Limit float64
}

// A MemoryError is a point of a run that does not fit into memory.
type MemoryError struct {
	Workload, Point string
	Needs, Has      float64 // bytes
	// Limited reports whether what lives there would fit: with a limit the heap takes
	// less than twice that.
	Limited bool
}

func (e *MemoryError) Error() string {
	const gb = 1e9
	text := fmt.Sprintf("workload %s: the point %s needs about %.1f GB of memory, %.1f GB are available: measure smaller values, or fewer variants at a time",
		e.Workload, e.Point, e.Needs/gb, e.Has/gb)
	if e.Limited {
		text += fmt.Sprintf("; or set GOMEMLIMIT=%.0fMiB, which takes longer", 0.9*e.Has/(1<<20))
	}
	return text
}

// garbage is how much memory the heap takes for each byte that lives, with Go's
// default setting: the next collection begins when the heap has doubled (package
// runtime, GOGC).
const garbage = 2

// FitsMemory returns a *MemoryError for the first point at which the embedded services
// would need more memory than there is.
func (c Config) FitsMemory(m Memory) error {
	if c.Workload.Held == nil {
		return nil
	}
	factor := float64(garbage)
	if m.Limit > 0 {
		factor = 1
		if m.Available == 0 || m.Limit < m.Available {
			m.Available = m.Limit
		}
	}
	if m.Available == 0 {
		return nil
	}
	n := 0
	for p := range load.Points(c.Workload.Axes(c.Params)) {
		n++
		here := c
		if here.Variants = c.variantsAt(n); len(here.Variants) == 0 {
			continue
		}
		held := c.Workload.Held(here, p)
		if needs := factor * held; needs > m.Available {
			return &MemoryError{c.Workload.Name, PointText(p), needs, m.Available, needs > held && held < 0.9*m.Available}
		}
	}
	return nil
}
