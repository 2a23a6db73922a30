package manifest

import "sync"

// A position is what a store knows of the tip. It never moves back: an answer that
// arrives late, after that of a later request, changes nothing.
type position struct {
	mu     sync.Mutex // never held over a yield
	held   Manifest   // was the tip once; its version is 0 if there is none
	serves bool       // held was the tip as far as this store can know
	floor  uint64     // a version that exists, held's or a later one
	hinted uint64     // what storage has as the hint, as far as this store knows
}

// serve returns the manifest that may be served without asking storage.
func (p *position) serve() (Manifest, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held, p.serves
}

// start returns a manifest that was the tip once, to search from.
func (p *position) start() (Manifest, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held, p.held.Version > 0
}

// adopt takes a manifest that is the tip, or was while it was asked for, unless a
// later version is known to exist. It returns the newest that may be served, which
// is m or one adopted meanwhile.
func (p *position) adopt(m Manifest) Manifest {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.Version >= p.floor {
		p.held, p.serves, p.floor = m, true, m.Version
	}
	if p.serves {
		return p.held
	}
	return m
}

// drop stops serving: version, if not 0, is known to exist by another writer's
// commit.
func (p *position) drop(version uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.serves = false
	p.floor = max(p.floor, version)
}

// hintDue reports whether the hint is to be written for a version, given that it may
// lag behind by fewer than every. One that is too high helps no reader.
func (p *position) hintDue(version, every uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hinted > version || version-p.hinted >= every
}

// setHinted notes what the hint is.
func (p *position) setHinted(version uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hinted = version
}
