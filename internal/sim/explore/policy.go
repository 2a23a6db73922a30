package explore

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// A Policy says who runs next in a search: "fifo", "random" or "pct:DEPTH".
type Policy struct {
	Name  string
	Depth int // of pct
}

// The names of the policies that a search knows (see package task).
const (
	FIFO   = "fifo"
	Random = "random"
	PCT    = "pct"
)

// DefaultDepth is the depth of pct without one. Most bugs show when three pairs
// of steps come in the right order (Burckhardt et al., see task.PCT).
const DefaultDepth = 3

// maxDepth bounds the depth: chances fall with each step of it by the number of
// choices in a run.
const maxDepth = 100

// DefaultPolicies are all of them.
func DefaultPolicies() []Policy {
	return []Policy{{Name: FIFO}, {Name: Random}, {Name: PCT, Depth: DefaultDepth}}
}

// ErrPolicy is a policy that does not exist.
var ErrPolicy = errors.New("no such policy")

// ParsePolicy reads what Policy.String writes; pct without a depth has
// DefaultDepth.
func ParsePolicy(text string) (Policy, error) {
	name, depth, given := strings.Cut(text, ":")
	p := Policy{Name: name}
	switch {
	case !given && (name == FIFO || name == Random):
		return p, nil
	case name != PCT:
		return p, fmt.Errorf("%w: %q, expected fifo, random, pct or pct:DEPTH", ErrPolicy, text)
	case !given:
		p.Depth = DefaultDepth
		return p, nil
	}
	var err error
	if p.Depth, err = strconv.Atoi(depth); err != nil || p.Depth < 1 || p.Depth > maxDepth {
		return p, fmt.Errorf("%w: %q, the depth of pct is a number from 1 to %d", ErrPolicy, text, maxDepth)
	}
	return p, nil
}

func (p Policy) String() string {
	if p.Name == PCT {
		return fmt.Sprintf("%s:%d", p.Name, p.Depth)
	}
	return p.Name
}

// task returns the policy for a run of about that many choices.
func (p Policy) task(choices int64) task.Policy {
	switch p.Name {
	case Random:
		return task.Random{}
	case PCT:
		return task.PCT{Depth: p.Depth, Choices: max(choices, 1)}
	default:
		return task.FIFO{}
	}
}
