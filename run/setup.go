package run

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/store/item"
)

// loadersAtOnce is how many batches are under way while a table is loaded.
const loadersAtOnce = 4

// loadTogether is how many records are read before they are written to each of
// several tables: 40 batches for one, of some 100 KB of keys.
const loadTogether = 1000

// A Table is where records are loaded to, and the form that they have there.
type Table struct {
	Name string
	Item func(key string, value []byte) map[string]types.AttributeValue
}

// Load reads records, once, and writes each to all tables; total is how many there
// are, for progress.
func (s *Site) Load(ctx context.Context, records iter.Seq2[history.Record, error], total int64, tables ...Table) error {
	var names []string
	configs := make([]item.LoadConfig, len(tables))
	for i, t := range tables {
		names = append(names, t.Name)
		configs[i] = item.DefaultLoadConfig()
		configs[i].Parallel = loadersAtOnce
		configs[i].Random = s.Random("load " + t.Name)
	}
	client, err := s.loader()
	if err != nil {
		return err
	}
	var done int64
	chunk := make([]history.Record, 0, loadTogether)
	write := func() error {
		for i, t := range tables {
			items := func(yield func(map[string]types.AttributeValue) bool) {
				for _, r := range chunk {
					if !yield(t.Item(r.Key, s.Value(r))) {
						return
					}
				}
			}
			if _, err := item.Load(ctx, client, t.Name, items, configs[i]); err != nil {
				return err
			}
		}
		done += int64(len(chunk))
		chunk = chunk[:0]
		s.Progress("loading "+strings.Join(names, " and "), done, total)
		return nil
	}
	for r, err := range records {
		if err != nil {
			return err
		}
		if chunk = append(chunk, r); len(chunk) == loadTogether {
			if err := write(); err != nil {
				return err
			}
		}
	}
	return write()
}

// loader returns the client that loads tables: on the embedded services one without
// HTTP, which is three times as fast, and whose requests are counted alike.
func (s *Site) loader() (item.BatchWriter, error) {
	if s.Backend.Kind() == backend.Embedded {
		return s.Backend.Direct(s.setup, nil)
	}
	return s.SetupClient(), nil
}

// Value is what the record with that key and version holds.
func (s *Site) Value(r history.Record) []byte { return history.Value(s.Config.Seed, r) }

// Random returns the source of request tokens and waits of one user of the
// services, whose name must be another than that of all others at the site.
func (s *Site) Random(user string) rand.Source {
	if s.Backend.Kind() == backend.Endpoint {
		return s.Config.Tokens
	}
	return rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "%d/%d/%s", s.Config.Seed, s.Number, user)))
}
