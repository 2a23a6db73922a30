package run

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/history"
	"github.com/lakebench/lakebench/internal/backend"
	"github.com/lakebench/lakebench/store/item"
)

// loadersAtOnce is how many batches are under way while a table is loaded.
const loadersAtOnce = 4

// progressRecords is after how many records loading says how far it is.
const progressRecords = 1000

// Load writes records to a table, in the form that asItem gives them; total is how
// many there are, for progress.
func (s *Site) Load(ctx context.Context, table string, records iter.Seq2[history.Record, error], total int64,
	asItem func(string, []byte) map[string]types.AttributeValue,
) error {
	var (
		failed error
		done   int64
	)
	items := func(yield func(map[string]types.AttributeValue) bool) {
		for r, err := range records {
			if err != nil {
				failed = err
				return
			}
			if !yield(asItem(r.Key, s.Value(r))) {
				return
			}
			if done++; done%progressRecords == 0 {
				s.Progress("loading "+table, done, total)
			}
		}
	}
	cfg := item.DefaultLoadConfig()
	cfg.Parallel = loadersAtOnce
	cfg.Random = s.Random("load " + table)
	_, err := item.Load(ctx, s.SetupClient(), table, items, cfg)
	return errors.Join(err, failed)
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
