package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/lakebench/lakebench/migrate"
)

// A rateProgress shows how far a verb has come, how fast it goes, and how long it
// will take at that rate.
type rateProgress struct {
	shown *progress

	mu    sync.Mutex
	steps map[string]*pace
}

// A pace is when a step began, and with how much done before.
type pace struct {
	began time.Time
	from  int64
}

func newRateProgress(w io.Writer) *rateProgress {
	return &rateProgress{shown: newProgress(w), steps: map[string]*pace{}}
}

func (r *rateProgress) at(p migrate.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	began, known := r.steps[p.Step]
	if !known {
		began = &pace{time.Now(), p.Done}
		r.steps[p.Step] = began
	}
	r.shown.at(p.Step+began.rate(p, time.Now()), p.Done, p.Total)
}

// rate is "" while nothing can be said.
func (b *pace) rate(p migrate.Progress, now time.Time) string {
	passed := now.Sub(b.began).Seconds()
	if passed < 1 || p.Done <= b.from {
		return ""
	}
	perSecond := float64(p.Done-b.from) / passed
	text := fmt.Sprintf(", %.0f items/s", perSecond)
	if p.Total > p.Done {
		left := time.Duration(float64(p.Total-p.Done) / perSecond * float64(time.Second))
		text += fmt.Sprintf(", %v left", left.Round(time.Second))
	}
	return text
}

func (r *rateProgress) end() { r.shown.end() }
