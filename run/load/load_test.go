package load

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClosedRunsEveryOperationOnceByItsClient(t *testing.T) {
	for _, c := range []Closed{{Clients: 1, Operations: 1}, {Clients: 1, Operations: 7}, {Clients: 3, Operations: 7}, {Clients: 8, Operations: 3}} {
		var mu sync.Mutex
		by := map[int]int{}
		err := c.Run(t.Context(), func(_ context.Context, s Start) error {
			mu.Lock()
			defer mu.Unlock()
			if _, twice := by[s.Index]; twice {
				t.Errorf("%+v: operation %d ran twice", c, s.Index)
			}
			by[s.Index] = s.Client
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(by) != c.Operations {
			t.Errorf("%+v ran %d operations", c, len(by))
		}
		for i, client := range by {
			if client != i%c.Clients {
				t.Errorf("%+v: operation %d ran on client %d", c, i, client)
			}
		}
	}
}

// Several workers run what one does, each operation on one of them, and by the
// same client.
func TestWorkersDivideTheOperations(t *testing.T) {
	for _, c := range []Closed{{Clients: 1, Operations: 7}, {Clients: 3, Operations: 20}, {Clients: 8, Operations: 3}} {
		for workers := 1; workers <= 5; workers++ {
			var mu sync.Mutex
			ran := map[int]int{}
			for w := range workers {
				c.Worker, c.Workers = w, workers
				err := c.Run(t.Context(), func(_ context.Context, s Start) error {
					mu.Lock()
					defer mu.Unlock()
					ran[s.Index]++
					if s.Client != s.Index%c.Clients {
						t.Errorf("%+v: operation %d ran on client %d", c, s.Index, s.Client)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			for i := range c.Operations {
				if ran[i] != 1 {
					t.Errorf("%+v: operation %d ran %d times", c, i, ran[i])
				}
			}
			if len(ran) != c.Operations {
				t.Errorf("%+v: %d operations ran", c, len(ran))
			}
		}
	}
}

func TestClosedBoundsWhatIsInFlight(t *testing.T) {
	const clients = 3
	var mu sync.Mutex
	inFlight, most := 0, 0
	both := make(chan struct{})
	err := Closed{Clients: clients, Operations: 30}.Run(t.Context(), func(_ context.Context, s Start) error {
		mu.Lock()
		inFlight++
		most = max(most, inFlight)
		if inFlight == clients && s.Index < clients {
			close(both)
		}
		mu.Unlock()
		if s.Index < clients {
			<-both // the first of each client meet, so all of them are seen at once
		}
		mu.Lock()
		inFlight--
		mu.Unlock()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if most != clients {
		t.Errorf("%d operations in flight at most, expected %d", most, clients)
	}
}

func TestClosedStopsAtTheFirstError(t *testing.T) {
	boom := errors.New("boom")
	for _, clients := range []int{1, 4} {
		ran := 0
		var mu sync.Mutex
		err := Closed{Clients: clients, Operations: 1000}.Run(t.Context(), func(ctx context.Context, s Start) error {
			mu.Lock()
			ran++
			mu.Unlock()
			if s.Index == 2 {
				return boom
			}
			if clients > 1 && s.Index > 10 {
				<-ctx.Done() // only the error ends these
				return context.Cause(ctx)
			}
			return nil
		})
		if !errors.Is(err, boom) {
			t.Errorf("%d clients: %v", clients, err)
		}
		if ran == 1000 {
			t.Errorf("%d clients went on after the error", clients)
		}
	}
}

func TestClosedStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("interrupted")
	ran := 0
	err := Closed{Clients: 1, Operations: 10}.Run(ctx, func(context.Context, Start) error {
		if ran++; ran == 3 {
			cancel(why)
		}
		return nil
	})
	if !errors.Is(err, why) || ran != 3 {
		t.Errorf("ran %d, %v", ran, err)
	}
}

func TestClosedRefusesNothing(t *testing.T) {
	for _, c := range []Closed{{Clients: 0, Operations: 1}, {Clients: 1, Operations: 0}, {Clients: -1, Operations: 5}, {Clients: 1, Operations: 1, Worker: 2, Workers: 2}, {Clients: 1, Operations: 1, Worker: -1}} {
		if err := c.Run(t.Context(), nil); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
}

func TestPoints(t *testing.T) {
	axes := []Axis{{"a", []any{1, 2}}, {"b", []any{"x"}}, {"c", []any{true, false}}}
	var got []Point
	for p := range Points(axes) {
		got = append(got, p)
	}
	want := []Point{
		{"a": 1, "b": "x", "c": true}, {"a": 1, "b": "x", "c": false},
		{"a": 2, "b": "x", "c": true}, {"a": 2, "b": "x", "c": false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if Count(axes) != len(want) {
		t.Errorf("Count = %d", Count(axes))
	}
	for range Points(axes) {
		break // stopping early must not call yield again
	}
	n := 0
	for range Points(nil) {
		n++
	}
	if n != 1 {
		t.Errorf("no axes: %d points, expected the one of no values", n)
	}
}
