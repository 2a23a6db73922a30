package task

import "iter"

// A bag holds members in no order. A member's entry knows its place, so that
// taking it out costs the same however many there are.
type bag[M any] struct{ entries []*entry[M] }

// An entry is a member's place in one bag. The zero place is none.
type entry[M any] struct {
	member M
	place  int // from 1
}

func (e *entry[M]) in() bool { return e.place > 0 }

func (b *bag[M]) len() int { return len(b.entries) }

func (b *bag[M]) add(e *entry[M]) {
	b.entries = append(b.entries, e)
	e.place = len(b.entries)
}

func (b *bag[M]) remove(e *entry[M]) {
	last := len(b.entries) - 1
	moved := b.entries[last]
	b.entries[e.place-1], moved.place = moved, e.place
	b.entries[last] = nil
	b.entries = b.entries[:last]
	e.place = 0
}

// all yields the members. The bag must not change meanwhile.
func (b *bag[M]) all() iter.Seq[M] {
	return func(yield func(M) bool) {
		for _, e := range b.entries {
			if !yield(e.member) {
				return
			}
		}
	}
}

// A readyQueue holds the tasks that can run, the one that has been able to for
// longest first. It is a ring whose size is a power of two.
type readyQueue struct {
	ring  []*virtualTask
	first int
	n     int
}

func (q *readyQueue) len() int { return q.n }

func (q *readyQueue) slot(i int) *(*virtualTask) { return &q.ring[(q.first+i)&(len(q.ring)-1)] }

func (q *readyQueue) at(i int) *virtualTask { return *q.slot(i) }

func (q *readyQueue) push(t *virtualTask) {
	if q.n == len(q.ring) {
		q.grow()
	}
	*q.slot(q.n) = t
	q.n++
}

func (q *readyQueue) grow() {
	ring := make([]*virtualTask, max(8, 2*len(q.ring)))
	for i := range q.n {
		ring[i] = q.at(i)
	}
	q.ring, q.first = ring, 0
}

// remove takes out the i-th and keeps the order of the others.
func (q *readyQueue) remove(i int) *virtualTask {
	t := q.at(i)
	for ; i > 0; i-- {
		*q.slot(i) = q.at(i - 1)
	}
	*q.slot(0) = nil
	q.first = (q.first + 1) & (len(q.ring) - 1)
	q.n--
	return t
}
