package metadata

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/lakebench/lakebench/internal/backend/fault"
	"github.com/lakebench/lakebench/internal/quantity"
	"github.com/lakebench/lakebench/internal/sim/explore"
	"github.com/lakebench/lakebench/internal/sim/explore/simulated"
	"github.com/lakebench/lakebench/internal/spelling"
	"github.com/lakebench/lakebench/internal/yamlfile"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/keyspace"
)

// Parse reads a scenario file. It accepts nothing that it does not understand in
// full; name is the file's, for errors, which are *yamlfile.Error or, in its faults,
// *fault.SyntaxError.
func Parse(name string, text []byte) (Config, error) {
	r := &reader{name: name, lines: strings.Split(string(text), "\n")}
	top, err := yamlfile.Read(bytes.NewReader(text), name, "a scenario")
	if err != nil {
		return Config{}, err
	}
	cfg := Config{Mix: map[string]Mix{}, Services: simulated.DefaultConfig(), Limits: defaultLimits()}
	if err := top.Fields(r.scenario(&cfg)...); err != nil {
		return Config{}, err
	}
	if err := r.mixes(top, cfg); err != nil {
		return Config{}, err
	}
	if err := cfg.Validate(); err != nil {
		return Config{}, &yamlfile.Error{File: name, Msg: err.Error()}
	}
	return cfg, nil
}

// A reader turns a file's nodes into a Config.
type reader struct {
	name  string
	lines []string
}

// required and optional are keys and what their values are read by.
func required(key string, read func(yamlfile.Node) error) yamlfile.Field {
	return yamlfile.Field{Name: key, Required: true, Read: read}
}

func optional(key string, read func(yamlfile.Node) error) yamlfile.Field {
	return yamlfile.Field{Name: key, Read: read}
}

func (r *reader) scenario(c *Config) []yamlfile.Field {
	return []yamlfile.Field{
		required("layout", func(n yamlfile.Node) error { return r.layout(n, &c.Layout) }),
		required("actors", func(n yamlfile.Node) error { return r.actors(n, c) }),
		required("operations", r.number(&c.Operations, 1, maxOperations)),
		required("keys", func(n yamlfile.Node) error { return r.groups(n, c) }),
		required("values", func(n yamlfile.Node) error {
			return n.Fields(
				required("shared", r.texts(&c.Shared, nil)),
				required("unique", r.probability(&c.Unique)),
			)
		}),
		required("mix", func(n yamlfile.Node) error {
			return n.Fields(optional(Writers, r.mix(c, Writers)), optional(Readers, r.mix(c, Readers)))
		}),
		optional("transport", func(n yamlfile.Node) error { return r.transport(n, &c.Services.Transport) }),
		optional("latency", r.duration(&c.Services.Latency)),
		optional("commit_delay", r.duration(&c.Services.Engine.CommitDelay)),
		required("page_limit", r.number(&c.PageLimit, 0, 1000)),
		required("shards", r.number(&c.Shards, 1, 64)),
		required("parallel", r.number(&c.Parallel, 1, 64)),
		optional("faults", func(n yamlfile.Node) error { return r.faults(n, c) }),
		required("checks", r.texts(&c.Checks, knownChecks())),
		required("policies", func(n yamlfile.Node) error { return r.policies(n, c) }),
	}
}

func (r *reader) layout(n yamlfile.Node, to *store.Layout) error {
	l, err := ParseLayout(n.Value)
	if err != nil || n.Kind != yaml.ScalarNode {
		return n.Errorf("layout is %q, expected v1 or v2", n.Value)
	}
	*to = l
	return nil
}

func (r *reader) transport(n yamlfile.Node, to *simulated.Transport) error {
	t, err := simulated.ParseTransport(n.Value)
	if err != nil {
		return n.Errorf("%v", err)
	}
	*to = t
	return nil
}

// ParseLayout reads a layout's name.
func ParseLayout(text string) (store.Layout, error) {
	for _, l := range []store.Layout{store.V1, store.V2} {
		if l.String() == text {
			return l, nil
		}
	}
	return 0, fmt.Errorf("no layout is named %q, expected v1 or v2", text)
}

func (r *reader) actors(n yamlfile.Node, c *Config) error {
	err := n.Fields(
		optional(Writers, r.number(&c.Writers, 0, maxActors)),
		optional(Readers, r.number(&c.Readers, 0, maxActors)),
	)
	switch {
	case err != nil:
		return err
	case c.Writers+c.Readers < 1:
		return n.Errorf("no actors, expected at least one writer or reader")
	case c.Writers+c.Readers > maxActors:
		return n.Errorf("%d actors, at most %d are possible", c.Writers+c.Readers, maxActors)
	}
	return nil
}

func (r *reader) groups(n yamlfile.Node, c *Config) error {
	entries, _ := n.Items()
	if len(entries) == 0 {
		return n.Errorf("expected a list of keys that guard others, with their targets")
	}
	for _, entry := range entries {
		var g Group
		err := entry.Fields(
			required("guard", func(n yamlfile.Node) error { return r.key(n, c, &g.Guard) }),
			required("targets", r.texts(&g.Targets, nil)),
		)
		if err != nil {
			return err
		}
		c.Groups = append(c.Groups, g)
	}
	seen := map[string]bool{}
	for _, key := range c.Keys() {
		if seen[key] {
			return n.Errorf("key %q is there twice", key)
		}
		seen[key] = true
		if err := store.CheckKey(key, keyspace.MaxKeyBytes); err != nil {
			return n.Errorf("%v", err)
		}
	}
	return nil
}

func (r *reader) key(n yamlfile.Node, _ *Config, to *string) error {
	if n.Kind != yaml.ScalarNode || n.Value == "" {
		return n.Errorf("expected a key")
	}
	*to = n.Value
	return nil
}

// mix reads the weights of one role's operations.
func (r *reader) mix(c *Config, role string) func(n yamlfile.Node) error {
	return func(n yamlfile.Node) error {
		weights := make([]int, len(knownOperations()))
		var known []yamlfile.Field
		for i, op := range knownOperations() {
			known = append(known, optional(op, r.number(&weights[i], 0, 1000)))
		}
		if err := n.Fields(known...); err != nil {
			return err
		}
		c.Mix[role] = Mix{}
		sum := 0
		for i, op := range knownOperations() {
			c.Mix[role][op] = weights[i]
			sum += weights[i]
		}
		if sum == 0 {
			return n.Errorf("%s do nothing, expected an operation with a part of 1 or more", role)
		}
		return nil
	}
}

// mixes refuses actors without operations.
func (r *reader) mixes(top yamlfile.Node, c Config) error {
	for role, actors := range map[string]int{Writers: c.Writers, Readers: c.Readers} {
		if actors > 0 && c.Mix[role] == nil {
			return top.Errorf("mix says nothing of %s, of which there are %d", role, actors)
		}
	}
	return nil
}

func (r *reader) policies(n yamlfile.Node, c *Config) error {
	var texts []string
	if err := r.texts(&texts, nil)(n); err != nil {
		return err
	}
	items, _ := n.Items()
	for i, text := range texts {
		p, err := explore.ParsePolicy(text)
		if err != nil {
			return items[i].Errorf("%v", err)
		}
		c.Policies = append(c.Policies, p)
	}
	return nil
}

// faults reads rules. Places in them are made places in the file.
func (r *reader) faults(n yamlfile.Node, c *Config) error {
	if n.Kind != yaml.ScalarNode || n.Style&(yaml.LiteralStyle) == 0 {
		return n.Errorf("expected rules, a line each, below \"faults: |\"")
	}
	rules, err := fault.Parse(r.name, n.Value)
	var syntax *fault.SyntaxError
	if errors.As(err, &syntax) {
		line := strings.Split(n.Value, "\n")[syntax.Line-1]
		syntax.Line += n.Line
		syntax.Column += max(strings.Index(r.lines[syntax.Line-1], line), 0)
	}
	c.Faults = rules
	return err
}

// texts reads a list of texts, each of known unless that is nil.
func (r *reader) texts(to *[]string, known []string) func(n yamlfile.Node) error {
	return func(n yamlfile.Node) error {
		items, _ := n.Items()
		if len(items) == 0 {
			return n.Errorf("expected a list of at least one")
		}
		for _, item := range items {
			switch {
			case item.Kind != yaml.ScalarNode || item.Value == "":
				return item.Errorf("expected a word")
			case known != nil && !slices.Contains(known, item.Value):
				return item.Errorf("%s", spelling.Unknown("word", item.Value, known))
			case slices.Contains(*to, item.Value):
				return item.Errorf("%q is there twice", item.Value)
			}
			*to = append(*to, item.Value)
		}
		return nil
	}
}

func (r *reader) number(to *int, least, most int) func(n yamlfile.Node) error {
	return func(n yamlfile.Node) error {
		v, err := quantity.Int(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || v < int64(least) || v > int64(most) {
			return n.Errorf("%q is no number from %d to %d", n.Value, least, most)
		}
		*to = int(v)
		return nil
	}
}

func (r *reader) probability(to *float64) func(n yamlfile.Node) error {
	return func(n yamlfile.Node) error {
		v, err := strconv.ParseFloat(n.Value, 64)
		switch {
		case n.Kind != yaml.ScalarNode || err != nil || n.Tag != "!!float" && n.Tag != "!!int":
			return n.Errorf("%q is no probability such as 0.5", n.Value)
		case v < 0 || v > 1:
			return n.Errorf("a probability of %s is impossible; it is 0 to 1", n.Value)
		}
		*to = v
		return nil
	}
}

func (r *reader) duration(to *time.Duration) func(n yamlfile.Node) error {
	return func(n yamlfile.Node) error {
		v, err := quantity.Duration(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || v < 0 || v > maxLatency {
			return n.Errorf("%q is no duration from 0s to %v, such as 2ms", n.Value, maxLatency)
		}
		*to = v
		return nil
	}
}
