package task

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
)

// A Policy decides, at each step of a virtual run, who runs next among the tasks
// that can. The policies are FIFO, Random, PCT and Replay.
type Policy interface {
	Validate() error
	String() string
	chooser(rng *rand.Rand) chooser
}

// A chooser is a policy at work in one run.
type chooser interface {
	// admit is told of each new task.
	admit(t *virtualTask)
	// choose returns stay or the index in r.ready of the task to run next. cur
	// is nil when the running task cannot go on, else it is one to choose from;
	// yields means that it asks for another.
	choose(r *virtual, cur *virtualTask, yields bool) int
}

// FIFO lets a task run until it yields or waits, and then the one that has been
// able to run for longest. It needs no seed.
type FIFO struct{}

// Validate always succeeds.
func (FIFO) Validate() error { return nil }

func (FIFO) String() string { return "fifo" }

func (FIFO) chooser(*rand.Rand) chooser { return FIFO{} }

func (FIFO) admit(*virtualTask) {}

func (FIFO) choose(r *virtual, cur *virtualTask, yields bool) int {
	if yields {
		return 0
	}
	return r.usual(cur)
}

// Random picks every task with the same probability at each step.
type Random struct{}

// Validate always succeeds.
func (Random) Validate() error { return nil }

func (Random) String() string { return "random" }

func (Random) chooser(rng *rand.Rand) chooser { return randomly{rng} }

type randomly struct{ rng *rand.Rand }

func (randomly) admit(*virtualTask) {}

func (c randomly) choose(r *virtual, cur *virtualTask, _ bool) int {
	n := r.ready.len()
	if cur == nil {
		return c.rng.IntN(n)
	}
	if i := c.rng.IntN(n + 1); i < n {
		return i
	}
	return stay
}

// PCT runs the task with the highest priority. Priorities are random, and at
// Depth-1 random moments the task about to run gets one below all those. It is
// the priority-change scheduler of Burckhardt, Kothari, Musuvathi and Nagarakatti, "A
// Randomized Scheduler with Probabilistic Guarantees of Finding Bugs" (ASPLOS
// 2010).
//
// A bug of depth d is one that shows whenever d certain pairs of steps come in
// the right order. One run with Depth d finds it with a probability of at least
//
//	1 / (n·k^(d-1))
//
// in a program of at most n tasks and k choices (Trace.Choices), where k is
// Choices. The bound holds as long as no task goes through 10,000 choices in a
// row without waiting: then, so that a loop that yields until another task is
// done comes to its end, it falls behind all others.
type PCT struct {
	// Depth is at least 1; most bugs have a depth of 1 to 3.
	Depth int
	// Choices is about how many choices a run makes; take it from the trace of
	// another one. Priorities change within the first Choices choices.
	Choices int64
}

// Validate reports a depth or a number of choices below 1.
func (p PCT) Validate() error {
	if p.Depth < 1 || p.Choices < 1 {
		return fmt.Errorf("task: policy %v: depth and choices must be 1 or more", p)
	}
	return nil
}

func (p PCT) String() string { return fmt.Sprintf("pct depth=%d choices=%d", p.Depth, p.Choices) }

func (p PCT) chooser(rng *rand.Rand) chooser {
	c := &priorities{rng: rng, drops: make([]drop, p.Depth-1)}
	for i := range c.drops {
		c.drops[i] = drop{at: 1 + rng.Int64N(p.Choices), priority: int64(i - p.Depth)}
	}
	slices.SortFunc(c.drops, func(a, b drop) int { return cmp.Compare(a.at, b.at) })
	c.lowest = int64(-p.Depth)
	return c
}

// priorities is PCT at work. Tasks start with 0 or more; drops and lost patience
// lead below.
type priorities struct {
	rng    *rand.Rand
	drops  []drop // still to come, in order
	lowest int64
}

// A drop sets the priority of the task that the at-th choice falls on.
type drop struct {
	at       int64
	priority int64
}

func (c *priorities) admit(t *virtualTask) { t.priority = c.rng.Int64() }

func (c *priorities) choose(r *virtual, cur *virtualTask, _ bool) int {
	if cur != nil && r.inRow >= patience {
		c.lowest--
		cur.priority = c.lowest
	}
	i := highest(r, cur)
	for len(c.drops) > 0 && c.drops[0].at <= r.choices {
		t := cur
		if i != stay {
			t = r.ready.at(i)
		}
		t.priority = c.drops[0].priority
		c.drops = c.drops[1:]
		i = highest(r, cur)
	}
	return i
}

func highest(r *virtual, cur *virtualTask) int {
	best, priority := stay, int64(0)
	if cur != nil {
		priority = cur.priority
	}
	for i := range r.ready.len() {
		if t := r.ready.at(i); best == stay && cur == nil || t.priority > priority {
			best, priority = i, t.priority
		}
	}
	return best
}

func (p Replay) chooser(*rand.Rand) chooser {
	c := &replayer{total: len(p.Schedule), scripts: map[ID][]Switch{}}
	for _, sw := range p.Schedule {
		c.scripts[sw.Task] = append(c.scripts[sw.Task], sw)
	}
	for _, script := range c.scripts {
		slices.SortStableFunc(script, func(a, b Switch) int { return cmp.Compare(a.Step, b.Step) })
	}
	return c
}

// replayer is Replay at work.
type replayer struct {
	total, made int
	scripts     map[ID][]Switch // by task, in order of steps
}

func (c *replayer) admit(t *virtualTask) { t.script = c.scripts[t.id()] }

func (c *replayer) choose(r *virtual, cur *virtualTask, _ bool) int {
	t := r.current
	for len(t.script) > 0 && t.script[0].Step < t.steps {
		t.script = t.script[1:]
	}
	if len(t.script) == 0 || t.script[0].Step > t.steps {
		return r.usual(cur)
	}
	to := t.script[0].To
	if cur != nil && cur.id() == to {
		c.made++
		return stay
	}
	for i := range r.ready.len() {
		if r.ready.at(i).id() == to {
			c.made++
			return i
		}
	}
	return r.usual(cur)
}
