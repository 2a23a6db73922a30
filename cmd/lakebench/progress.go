package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progressAfter is how long a command may work in silence, and how often it
// then reports progress if standard error is not a terminal.
const (
	progressAfter = 2 * time.Second
	progressEvery = 5 * time.Second
)

// A progress shows on standard error how far long work has come: a bar on a
// terminal, a line every few seconds elsewhere.
type progress struct {
	mu      sync.Mutex
	out     io.Writer
	bar     *progressbar.ProgressBar // nil: lines
	started time.Time
	last    time.Time
}

// newProgress shows progress on w. Nothing appears for work shorter than
// progressAfter.
func newProgress(w io.Writer) *progress {
	p := &progress{out: w, started: time.Now()}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions64(1,
			progressbar.OptionSetWriter(w),
			progressbar.OptionSetWidth(20),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetRenderBlankState(false),
			progressbar.OptionShowElapsedTimeOnFinish(),
			progressbar.OptionSetPredictTime(false),
		)
	}
	return p
}

// at reports the current work and its progress, done of total; total 0 means
// unknown.
func (p *progress) at(what string, done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Sub(p.started) < progressAfter {
		return
	}
	if p.bar != nil {
		p.bar.ChangeMax64(max(total, 1))
		p.bar.Describe(fmt.Sprintf("%-40.40s", what))
		_ = p.bar.Set64(done) // a bar that cannot be drawn stops nothing
		return
	}
	if now.Sub(p.last) < progressEvery {
		return
	}
	p.last = now
	if total > 0 {
		fmt.Fprintf(p.out, "lakebench: %s: %d of %d (%.0f s)\n", what, done, total, now.Sub(p.started).Seconds())
	} else {
		fmt.Fprintf(p.out, "lakebench: %s (%.0f s)\n", what, now.Sub(p.started).Seconds())
	}
}

// end takes the bar off the terminal.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear() // nothing depends on it
	}
}
