package generation_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/lakebench/lakebench/wal/entry"
	"github.com/lakebench/lakebench/wal/generation"
)

// What is built has the newest row of every key, by a scan and by the index, and
// says so of no other key.
func TestBuiltGenerationsAreRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.StringMatching(`[a-d]{0,3}`), 1, 60).Draw(t, "keys")
		var rows []entry.Row
		newest := map[string]string{}
		for i, key := range keys {
			value := fmt.Sprint(i)
			rows = append(rows, entry.Row{Key: key, Value: []byte(value)})
			newest[key] = value
		}
		cfg := generation.DefaultConfig()
		cfg.BloomBytes, cfg.PageRows = 64, rapid.IntRange(1, 5).Draw(t, "page")
		b, err := generation.Build(3, rows, rapid.IntRange(0, 2).Draw(t, "indexes"), cfg, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		if (b.Deletions != nil) != (len(newest) < len(rows)) {
			t.Fatalf("deletions: %v, for %d rows of %d keys", b.Deletions != nil, len(rows), len(newest))
		}
		got, err := b.Contents.Rows(b.Data.Body)
		if err != nil || len(got) != len(newest) {
			t.Fatalf("%d rows (%v), expected %d", len(got), err, len(newest))
		}
		for _, r := range got {
			if string(r.Value) != newest[r.Key] {
				t.Errorf("%q is %q, expected %q", r.Key, r.Value, newest[r.Key])
			}
		}
		for _, key := range append(keys, "e", "", "aaaa") {
			value, found := lookUp(t, b, key)
			if want, there := newest[key]; found != there || value != want {
				t.Errorf("the index has %q, %v for %q, expected %q, %v", value, found, key, want, there)
			}
		}
	})
}

// lookUp is a point read of what was built.
func lookUp(t *rapid.T, b *generation.Built, key string) (value string, found bool) {
	page, ok := b.Contents.Lookup.Find(key)
	if !ok {
		return "", false
	}
	row, found, err := page.Row(b.KeyIndex[0].Body[page.Offset:page.Offset+page.Bytes], key)
	if err != nil {
		t.Fatal(err)
	}
	if !found {
		return "", false
	}
	if !b.Contents.Bloom.MayHold(key) {
		t.Fatalf("the filter has no %q, and the index has", key)
	}
	r, err := b.Contents.Row(b.Data.Body, row, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(r.Value), true
}

// A filter of ten bits a key takes about one absent key in a hundred for a present
// one; five in a hundred is far from what chance allows.
func TestTheFilterTellsMostAbsentKeys(t *testing.T) {
	const keys = 1000
	var rows []entry.Row
	for i := range keys {
		rows = append(rows, entry.Row{Key: fmt.Sprint("there-", i)})
	}
	cfg := generation.DefaultConfig()
	cfg.BloomBytes = keys * 10 / 8
	b, err := generation.Build(1, rows, 0, cfg, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i := range 10_000 {
		if b.Contents.Bloom.MayHold(fmt.Sprint("absent-", i)) {
			wrong++
		}
	}
	if wrong > 500 {
		t.Errorf("%d of 10,000 absent keys may be there, expected about 100", wrong)
	}
}

// The description of a generation says everything that its objects need, and comes
// back as it was.
func TestDescriptionsAreReadStrictly(t *testing.T) {
	b, err := generation.Build(1, []entry.Row{{Key: "a"}, {Key: "a"}}, 1, generation.DefaultConfig(), rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	o, err := b.Last.Encode()
	if err != nil {
		t.Fatal(err)
	}
	v, err := generation.DecodeVersion(o.Body)
	if err != nil || v.Deletions == nil || *v.Deletions != *b.Last.Deletions || v.Data != b.Last.Data || len(v.UserIndexes) != 1 {
		t.Errorf("%+v (%v)", v, err)
	}
	for _, body := range []string{"", "{}", string(o.Body) + "{}", `{"format":"lakebench-generation-1","newer":1}`, `{"format":"lakebench-generation-2"}`} {
		if _, err := generation.DecodeVersion([]byte(body)); err == nil {
			t.Errorf("%q is accepted", body)
		}
	}
}
