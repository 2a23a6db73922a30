// Package latency gives requests to the embedded services the time that they
// would take over a network, for runs on the virtual clock.
//
// These times are a model, kept in a dated file with its sources
// (service-times.yaml). They are drawn from integer tables by a seeded stream: a run
// takes the same time to the nanosecond on every machine, and its counts do not
// depend on the times.
package latency

import (
	"bytes"
	"context"
	_ "embed" // the file of service times
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/lakebench/lakebench/internal/sim/task"
)

//go:embed service-times.yaml
var builtIn []byte

// A Table holds the service times of all services.
type Table struct {
	// Date is when the values were chosen, Sources what they rest on.
	Date     string             `yaml:"date"`
	Sources  []string           `yaml:"sources"`
	Services map[string]Service `yaml:"services"`
}

// Service holds the service times of a service by operation.
type Service struct {
	// Default is for operations without times of their own.
	Default    Profile            `yaml:"default"`
	Operations map[string]Profile `yaml:"operations"`
}

// Profile is how long one operation takes.
type Profile struct {
	Distribution Distribution `yaml:"distribution"`
	// MedianUS is in microseconds, and so is PerKBUS for each started 1,024
	// bytes of items read or written.
	MedianUS int64 `yaml:"median_us"`
	PerKBUS  int64 `yaml:"per_kb_us"`
}

// Distribution is how times lie around their median.
type Distribution string

// The distributions.
const (
	// Constant times are always the median.
	Constant Distribution = "constant"
	// LogNormal times are spread with σ = 0.4: one of a hundred takes more than
	// 2.5 medians.
	LogNormal Distribution = "log-normal"
)

// maxUS bounds a time of a table: a minute, by when everybody has given up.
const maxUS = 60_000_000

// Default returns the built-in table.
func Default() (Table, error) { return Load(bytes.NewReader(builtIn), "service-times.yaml") }

// Load reads a table strictly; file names it in errors.
func Load(r io.Reader, file string) (Table, error) {
	var t Table
	dec := yaml.NewDecoder(r)
	dec.KnownFields(true)
	if err := dec.Decode(&t); err != nil {
		return Table{}, fmt.Errorf("%s: %w", file, err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return Table{}, fmt.Errorf("%s: more than one YAML document, expected one", file)
	}
	if err := t.Validate(); err != nil {
		return Table{}, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

// Validate reports the first thing that is wrong with the table.
func (t Table) Validate() error {
	if _, err := time.Parse(time.DateOnly, t.Date); err != nil {
		return fmt.Errorf("date is %q, expected one like 2026-11-29", t.Date)
	}
	if len(t.Sources) == 0 {
		return errors.New("sources are missing: say what the times rest on")
	}
	for _, name := range slices.Sorted(maps.Keys(t.Services)) {
		s := t.Services[name]
		if err := s.Default.validate(); err != nil {
			return fmt.Errorf("service %s: default: %w", name, err)
		}
		for _, op := range slices.Sorted(maps.Keys(s.Operations)) {
			if err := s.Operations[op].validate(); err != nil {
				return fmt.Errorf("service %s: operation %s: %w", name, op, err)
			}
		}
	}
	return nil
}

func (p Profile) validate() error {
	switch {
	case p.Distribution != Constant && p.Distribution != LogNormal:
		return fmt.Errorf("distribution is %q, expected %s or %s", p.Distribution, Constant, LogNormal)
	case p.MedianUS < 0 || p.MedianUS > maxUS:
		return fmt.Errorf("median_us is %d, expected 0 to %d", p.MedianUS, maxUS)
	case p.PerKBUS < 0 || p.PerKBUS > maxUS:
		return fmt.Errorf("per_kb_us is %d, expected 0 to %d", p.PerKBUS, maxUS)
	}
	return nil
}

// profile returns the times of an operation; a service that is not in the table
// takes no time.
func (t Table) profile(service, operation string) Profile {
	s, ok := t.Services[service]
	if !ok {
		return Profile{Distribution: Constant}
	}
	if p, ok := s.Operations[operation]; ok {
		return p
	}
	return s.Default
}

// A Model draws service times. It may be used by several tasks at once.
type Model struct {
	table Table

	mu    sync.Mutex // never held over a yield
	draws *rand.Rand
}

// streamTimes tells these random numbers from others of the same seed.
const streamTimes = 0x7365727669636574

// NewModel returns a model whose draws follow from the seed.
func NewModel(t Table, seed uint64) *Model {
	return &Model{table: t, draws: rand.New(rand.NewPCG(seed, streamTimes))}
}

// Draw returns how long one request takes that read or wrote n bytes of
// items.
func (m *Model) Draw(service, operation string, itemBytes int64) time.Duration {
	p := m.table.profile(service, operation)
	us := p.MedianUS + p.PerKBUS*((max(itemBytes, 0)+1023)/1024)
	if p.Distribution == Constant {
		return time.Duration(us) * time.Microsecond
	}
	m.mu.Lock()
	factor := logNormal[m.draws.IntN(len(logNormal))]
	m.mu.Unlock()
	// Microseconds times per mille are nanoseconds.
	return time.Duration(us * factor)
}

// Wait lets the time of one request pass on ctx's clock. It returns ctx's cause
// if that ends first: the caller is gone, and whatever the service did is done.
func (m *Model) Wait(ctx context.Context, service, operation string, itemBytes int64) error {
	return task.Sleep(ctx, m.Draw(service, operation, itemBytes))
}
