//go:build real

package wal_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/lakebench/lakebench/internal/backend/backendtest"
	"github.com/lakebench/lakebench/internal/sim/task"
	"github.com/lakebench/lakebench/manifest"
	"github.com/lakebench/lakebench/wal"
)

// openService opens a bucket, which the test removes, on the server that
// LAKEBENCH_TEST_S3 names.
func openService(t testing.TB) *service {
	t.Helper()
	return openBackend(t.Context(), t, backendtest.S3Server(t, os.Getenv("LAKEBENCH_TEST_S3")))
}

// TestReal runs the suite on a real server: the same requests, the same answers to
// the same faults, which happen on this side of the wire.
func TestReal(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"ARowGoesAllTheWay": TestARowGoesAllTheWay, "Requests": TestRequests, "ReadFlushCompact": TestReadFlushCompact,
		"FlushAddOns": TestFlushAddOns, "ReopenClean": TestReopenClean, "ReopenWithACursor": TestReopenWithACursor,
		"AnswersToTheEntry": TestAnswersToTheEntry, "ARefusedEntry": TestARefusedEntry, "WhoLostTheShard": TestWhoLostTheShard,
		"AnAppendDuringTheOpening": TestAnAppendDuringTheOpening, "AFailedFlushComesFirst": TestAFailedFlushComesFirst,
		"AFlushThatLandedUnseen": TestAFlushThatLandedUnseen, "EntriesThatReplayRefuses": TestEntriesThatReplayRefuses,
		"AGap": TestAGap, "AnOpenerThatStalls": TestAnOpenerThatStalls, "AnEntryCreatedAgain": TestAnEntryCreatedAgain,
		"SentinelsStay": TestSentinelsStay, "ASentinelOfALoser": TestASentinelOfALoser, "AReaderThatComesTooLate": TestAReaderThatComesTooLate,
		"ASealByAnotherProcess": TestASealByAnotherProcess, "AShardOfTheRealSystem": TestAShardOfTheRealSystem, "ADamagedGeneration": TestADamagedGeneration,
	} {
		t.Run(name, test)
	}
}

// TestRealCrashes: a writer that crashes at some of the requests of its life; all of
// them take too long on a server.
func TestRealCrashes(t *testing.T) {
	for _, kind := range []manifest.Kind{manifest.Serialized, manifest.Probe} {
		for i := 1; i < 60; i += 7 {
			crashAt(t, kind, "crash-after", i)
			if t.Failed() {
				t.Fatalf("%v: the writer crashed at request %d", kind, i)
			}
		}
	}
}

// TestRealAppendsAtOnce: many tasks append on real time; all of it is there once.
func TestRealAppendsAtOnce(t *testing.T) {
	s := openService(t)
	w, err := wal.Open(t.Context(), s.config(manifest.Serialized, s.client()))
	if err != nil {
		t.Fatal(err)
	}
	g := task.NewGroup(t.Context(), 0)
	for i := range 8 {
		g.Go(fmt.Sprint(i), func(ctx context.Context) error {
			for j := range 20 {
				if _, err := w.Append(ctx, row(fmt.Sprintf("%d/%d", i, j), "v")); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	there := counts(s.holdings(t.Context(), t))
	for i := range 8 {
		for j := range 20 {
			if key := fmt.Sprintf("%d/%d", i, j); there[key] != 1 {
				t.Errorf("%s is there %d times", key, there[key])
			}
		}
	}
}
