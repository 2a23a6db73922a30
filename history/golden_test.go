package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"testing"
	"time"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden files")

func describe(w io.Writer, op Op, value []byte) {
	fmt.Fprintf(w, "%-14v %-6s %s v%d %d B", op.At, op.Kind, op.Record.Key, op.Record.Version, op.Record.ItemBytes)
	if value != nil {
		fmt.Fprintf(w, " %x", value)
	}
	fmt.Fprintln(w)
}

// The first seconds of a lake, to be read.
func TestStreamGolden(t *testing.T) {
	cfg := small()
	cfg.Tables, cfg.Retention = 3, 4*time.Second
	var got bytes.Buffer
	fmt.Fprintf(&got, "# version %d, seed 1: 3 tables, 2 commits/s, retention 4s, leases 700ms\n", Version)
	for op := range mustNew(t, cfg, 1).Ops(0, 7*time.Second) {
		describe(&got, op, nil)
	}
	const path = "testdata/stream.golden"
	if *rewrite {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the stream changed. If on purpose: raise Version, then go test ./history -run TestStreamGolden -rewrite. Now:\n%s", &got)
	}
}

// streamDigest pins 50,000 operations, values included, of Version 1. Whoever
// has to change it has changed what is measured: raise Version.
const streamDigest = "ffabe35514f564f2520e11566a28691d4e79fa7848098ebc736195390ac469f1"

func TestStreamDigest(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Retention = time.Hour
	h := sha256.New()
	n := 0
	for op := range mustNew(t, cfg, 42).Ops(0, Horizon) {
		describe(h, op, Value(42, op.Record))
		if n++; n == 50_000 {
			break
		}
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != streamDigest || Version != 1 {
		t.Errorf("digest %s of version %d, expected %s of version 1: raise Version whenever the stream changes", got, Version, streamDigest)
	}
}
