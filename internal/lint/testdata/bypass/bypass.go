// Package bypass goes around package task in every way that the lint knows.
package bypass

import (
	"context"
	_ "crypto/rand"  // want "import"
	_ "hash/maphash" // want "import"
	_ "math/rand"    // want "import"
	"math/rand/v2"
	_ "os/signal" // want "import"
	"runtime"
	. "strings" // want "dot"
	"sync"
	_ "testing/synctest" // want "import"
	"time"
	clock "time"

	_ "golang.org/x/sync/errgroup"     // want "import"
	_ "golang.org/x/sync/semaphore"    // want "import"
	_ "golang.org/x/sync/singleflight" // want "import"
)

type shared struct {
	done  chan struct{}  // want "channel"
	group sync.WaitGroup // want "sync"
	cond  *sync.Cond     // want "sync"
	once  sync.Once      // want "sync"
	timer *time.Timer    // want "clock"
	mu    sync.Mutex
	rng   *rand.Rand
}

var started = time.Now() // want "clock"

func goroutines(s *shared) {
	go func() {}()                 // want "go"
	go s.group.Wait()              // want "go"
	made := make(chan int, 1)      // want "channel"
	made <- 1                      // want "channel"
	<-made                         // want "channel"
	for range (<-chan int)(made) { // want "channel"
	}
	select { // want "channel"
	case v := <-made: // want "channel"
		_ = v
	default:
	}
	runtime.Gosched()             // want "sync"
	_ = sync.OnceFunc(func() {})  // want "sync"
	_ = sync.NewCond(&s.mu)       // want "sync"
	_ = TrimSpace("a dot import") // hides its package
}

func clocks() {
	time.Sleep(time.Second)      // want "clock"
	clock.Sleep(clock.Second)    // want "clock"
	<-time.After(1)              // want "channel", "clock"
	time.AfterFunc(1, func() {}) // want "clock"
	_ = time.NewTimer(1)         // want "clock"
	_ = time.NewTicker(1)        // want "clock"
	_ = time.Tick(1)             // want "clock"
	_ = time.Since(started)      // want "clock"
	_ = time.Until(started)      // want "clock"
	now := time.Now              // want "clock"
	_ = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	_ = now
}

func contexts(ctx context.Context) {
	_, cancel := context.WithCancel(ctx)                // want "context"
	_, _ = context.WithCancelCause(ctx)                 // want "context"
	_, _ = context.WithTimeout(ctx, 1)                  // want "context"
	_, _ = context.WithTimeoutCause(ctx, 1, nil)        // want "context"
	_, _ = context.WithDeadline(ctx, started)           // want "context"
	_, _ = context.WithDeadlineCause(ctx, started, nil) // want "context"
	_ = context.AfterFunc(ctx, cancel)                  // want "context"
	_ = context.Background()                            // want "context"
	_ = context.TODO()                                  // want "context"
	_ = context.WithoutCancel(ctx)
	_ = context.WithValue(ctx, 1, 2)
	<-ctx.Done() // want "channel"
}

func randomness(s *shared) {
	_ = rand.IntN(3)     // want "random"
	rand.Shuffle(1, nil) // want "random"
	s.rng = rand.New(rand.NewPCG(1, 2))
	_ = s.rng.IntN(3)
}

// Variables that have the names of packages are none.
func variables() {
	var time struct{ Now int }
	_ = time.Now
	rand := map[string]int{}
	_ = rand
}
