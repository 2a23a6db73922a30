package durable_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/dynamo/durable"
)

// FuzzOpen: whatever a log's file holds, it is opened, with what is whole at its
// beginning, or the damage is named; and what was opened once opens again alike.
func FuzzOpen(f *testing.F) {
	contents, ends := logOf(f, 3)
	f.Add(contents)
	f.Add(contents[:ends[1]+5])
	f.Add(append(contents[:ends[0]:ends[0]], make([]byte, 100)...))
	f.Fuzz(func(t *testing.T, contents []byte) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, firstLog), contents)
		var s state
		l, _, err := durable.Open(dir, s.restore)
		if err != nil {
			if damage := new(durable.DamageError); !errors.As(err, &damage) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %v, want a DamageError of one line", err)
			}
			return
		}
		closeLog(t, l)
		l, again, _ := open(t, dir)
		wantState(t, again, s)
		closeLog(t, l)
	})
}
