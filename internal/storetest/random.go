package storetest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/store"
)

const (
	randomSeeds = 6   // programs
	randomSteps = 150 // operations each
)

// testRandom runs random programs against a model that is a map. A seed's program
// is always the same; its test's name replays it.
func testRandom(t *testing.T, open func(t *testing.T) Fixture) {
	for seed := range uint64(randomSeeds) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			p := &program{t: t, f: open(t), rand: rand.New(rand.NewPCG(seed, 0)), pool: torture(), model: make(map[string][]byte)}
			for step := 0; step < randomSteps && !t.Failed(); step++ {
				p.step()
			}
			if t.Failed() {
				t.Logf("seed %d, after:\n%s", seed, strings.Join(p.log, "\n"))
				t.Logf("replay: go test -count=1 -run '^%s$' with this package", strings.ReplaceAll(t.Name(), "/", "$/^"))
			}
		})
	}
}

// A program is a random sequence of operations and what they should have left.
type program struct {
	t     *testing.T
	f     Fixture
	rand  *rand.Rand
	pool  []string
	model map[string][]byte
	log   []string
}

func (p *program) step() {
	s := p.f.Store
	if p.rand.IntN(4) == 0 {
		s = p.f.Peer
	}
	switch p.rand.IntN(10) {
	case 0, 1, 2:
		p.cas(s)
	case 3, 4:
		p.guarded(s)
	case 5:
		p.delete(s)
	case 6, 7:
		p.get(s)
	case 8:
		p.pages(s)
	default:
		p.list(s)
	}
}

// note logs an operation and returns its text.
func (p *program) note(format string, args ...any) string {
	line := fmt.Sprintf("%3d %s", len(p.log), fmt.Sprintf(format, args...))
	p.log = append(p.log, line)
	return line
}

// key picks one of a few keys, so that operations meet.
func (p *program) key() string { return p.pool[(p.rand.IntN(6)*11)%len(p.pool)] }

func (p *program) value() []byte {
	return [][]byte{{}, []byte("1"), []byte("2"), []byte("22"), {0xff, 0}}[p.rand.IntN(5)]
}

// expectation is what the model holds, or, one time in three, something random.
func (p *program) expectation(key string) store.Expectation {
	if p.rand.IntN(3) > 0 {
		if v, ok := p.model[key]; ok {
			return store.Exactly(v)
		}
		return store.Absent()
	}
	if p.rand.IntN(3) == 0 {
		return store.Absent()
	}
	return store.Exactly(p.value())
}

func (p *program) met(key string, e store.Expectation) bool {
	v, ok := p.model[key]
	return e.Met(v, ok)
}

func (p *program) found(key string) store.Found {
	v, ok := p.model[key]
	return store.Found{Value: v, Exists: ok}
}

func (p *program) cas(s store.MetaStore) {
	key, next := p.key(), p.value()
	expected := p.expectation(key)
	what := p.note("CAS %.40q from %v to %q", key, expected, next)
	err := s.CAS(context.Background(), key, expected, next)
	if !p.met(key, expected) {
		wantConflict(p.t, what, err, key, p.found(key))
		return
	}
	p.noError(what, err)
	p.model[key] = next
}

func (p *program) delete(s store.MetaStore) {
	key, expected := p.key(), p.value()
	if v, ok := p.model[key]; ok && p.rand.IntN(3) > 0 {
		expected = v
	}
	what := p.note("delete %.40q from %q", key, expected)
	err := s.Delete(context.Background(), key, expected)
	switch v, ok := p.model[key]; {
	case !ok:
		wantError(p.t, what, err, store.ErrNotFound)
	case !bytes.Equal(v, expected):
		wantConflict(p.t, what, err, key, p.found(key))
	default:
		p.noError(what, err)
		delete(p.model, key)
	}
}

func (p *program) guarded(s store.MetaStore) {
	g := store.Guard{Key: p.key()}
	g.Expect = p.expectation(g.Key)
	m := store.Mutation{Key: p.key()}
	m.Expect = p.expectation(m.Key)
	if _, exists := m.Expect.Value(); exists && p.rand.IntN(3) == 0 {
		m.Delete = true
	} else {
		m.Next = p.value()
	}
	what := p.note("guarded by %.40q %v: %.40q from %v to %q, delete %v", g.Key, g.Expect, m.Key, m.Expect, m.Next, m.Delete)
	err := s.GuardedMutate(context.Background(), g, m)
	switch {
	case g.Key == m.Key:
		wantError(p.t, what, err, store.ErrInvalid)
	case !p.met(g.Key, g.Expect):
		wantGuard(p.t, what, err, g.Key, p.found(g.Key))
	case !p.met(m.Key, m.Expect):
		wantConflict(p.t, what, err, m.Key, p.found(m.Key))
	case m.Delete:
		p.noError(what, err)
		delete(p.model, m.Key)
	default:
		p.noError(what, err)
		p.model[m.Key] = m.Next
	}
}

func (p *program) get(s store.MetaStore) {
	key := p.key()
	p.note("get %.40q", key)
	if v, ok := p.model[key]; ok {
		wantValue(p.t, s, key, v)
	} else {
		wantAbsent(p.t, s, key)
	}
}

// prefix is the first part of a key, with a slash in it.
func (p *program) prefix() string {
	for {
		key := p.pool[p.rand.IntN(len(p.pool))]
		if at := strings.Index(key, "/"); at >= 0 {
			rest := []rune(key[at+1:])
			return key[:at+1] + string(rest[:p.rand.IntN(len(rest)+1)])
		}
	}
}

func (p *program) under(prefix string) map[string]string {
	want := make(map[string]string)
	for key, v := range p.model {
		if strings.HasPrefix(key, prefix) {
			want[key] = string(v)
		}
	}
	return want
}

func (p *program) pages(s store.MetaStore) {
	prefix, limit := p.prefix(), p.rand.IntN(5)
	what := p.note("pages of %d under %.40q", limit, prefix)
	wantListing(p.t, what, pages(p.t, s, prefix, limit, func(int, store.Page) {}), p.under(prefix))
}

func (p *program) list(s store.MetaStore) {
	if p.rand.IntN(2) == 0 {
		prefix := p.prefix()
		what := p.note("list %.40q", prefix)
		wantListing(p.t, what, s.List(context.Background(), prefix), p.under(prefix))
		return
	}
	what := p.note("list the root family")
	want := p.under("root/")
	for key, v := range p.model {
		if !strings.Contains(key, "/") {
			want[key] = string(v)
		}
	}
	wantListing(p.t, what, s.ListFamily(context.Background(), "root"), want)
}

func (p *program) noError(what string, err error) {
	p.t.Helper()
	if err != nil {
		p.t.Errorf("%s: %v", what, err)
	}
}
