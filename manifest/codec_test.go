package manifest_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lakebench/lakebench/manifest"
)

// realDir is a manifest that the real system wrote (testdata/orders/README.md).
func realDir() string { return filepath.Join("testdata/orders/_mem_wal", shard.String(), "manifest") }

func realVersion(t *testing.T, version uint64) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(realDir(), manifest.Name(version, manifest.ManifestExtension)))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clip(body)
}

// TestRealManifest: what the real system wrote is read as its README says, and
// written back as it was, byte for byte.
func TestRealManifest(t *testing.T) {
	first := manifest.Generation{Number: 1, Path: "71c5733f_gen_1"}
	second := manifest.Generation{Number: 2, Path: "33c30589_gen_2"}
	base := manifest.Manifest{Shard: shard, Spec: manifest.Spec{ID: 1}}
	for _, want := range []struct {
		version, epoch, replayAfter, lastSeen, current uint64
		generations                                    []manifest.Generation
	}{
		{1, 1, 0, 0, 1, nil},
		{2, 1, 2, 2, 2, []manifest.Generation{first}},
		{3, 2, 2, 2, 2, []manifest.Generation{first}},
		{4, 2, 2, 3, 2, []manifest.Generation{first}},
		{5, 2, 5, 5, 3, []manifest.Generation{first, second}},
		{6, 3, 5, 5, 3, []manifest.Generation{first, second}},
		{7, 3, 5, 6, 3, []manifest.Generation{first, second}},
	} {
		body := realVersion(t, want.version)
		got, err := manifest.Decode("here", body)
		if err != nil {
			t.Fatalf("version %d: %v", want.version, err)
		}
		m := base
		m.Version, m.WriterEpoch, m.ReplayAfter, m.LastSeen = want.version, want.epoch, want.replayAfter, want.lastSeen
		m.CurrentGeneration, m.Generations = want.current, want.generations
		if diff := cmp.Diff(m, got, cmpopts.IgnoreUnexported(manifest.Manifest{}, manifest.Generation{})); diff != "" {
			t.Errorf("version %d (-want +got):\n%s", want.version, diff)
		}
		if again, err := got.Encode(); err != nil || !bytes.Equal(again, body) {
			t.Errorf("version %d is written as %x, %v; want %x", want.version, again, err, body)
		}
	}
}

// A field is one of a protobuf message, by its number.
func field(message []byte, number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(message, number, protowire.BytesType), value)
}

func varint(message []byte, number protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(message, number, protowire.VarintType), value)
}

// everything is a manifest with every field of the public format, written by its
// field numbers alone (docs/facts/memwal.md §1), and in each message a newer one.
func everything() []byte {
	generation := varint(nil, 1, 4)
	generation = field(generation, 2, []byte("00c0ffee_gen_4"))
	generation = varint(varint(varint(generation, 3, 1<<20), 4, 0), 5, 77)
	generation = varint(generation, 6, 9)
	value := field(field(nil, 1, []byte("region")), 2, []byte{1, 0, 0, 0})
	value = varint(value, 3, 9)
	m := varint(nil, 1, 12)
	m = varint(varint(varint(varint(m, 2, 3), 3, 40), 4, 41), 6, 5)
	m = field(m, 8, generation)
	m = varint(m, 10, 2)
	m = field(m, 11, varint(field(nil, 1, shard[:]), 2, 9))
	m = field(m, 14, value)
	m = varint(m, 15, 1)
	return field(m, 16, []byte("newer"))
}

// TestEveryField: each field of the public format has its number, and newer ones
// are kept wherever they are, through an update too.
func TestEveryField(t *testing.T) {
	body := everything()
	got, err := manifest.Decode("here", body)
	if err != nil {
		t.Fatal(err)
	}
	number := func(n uint64) *uint64 { return &n }
	want := manifest.Manifest{
		Shard: shard, Version: 12, WriterEpoch: 3, ReplayAfter: 40, LastSeen: 41, CurrentGeneration: 5, Status: manifest.Sealed,
		Spec: manifest.Spec{ID: 2, Fields: []manifest.FieldValue{{FieldID: "region", Value: []byte{1, 0, 0, 0}}}},
		Generations: []manifest.Generation{{
			Number: 4, Path: "00c0ffee_gen_4", InMemoryBytes: number(1 << 20), PhysicalRows: number(0), PrimaryKeyBytes: number(77),
		}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(manifest.Manifest{}, manifest.Generation{}, manifest.FieldValue{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	wantNewer := []manifest.NewerField{
		{Message: "manifest", Number: 16, Bytes: 8}, {Message: "shard id", Number: 2, Bytes: 2},
		{Message: "generation 4", Number: 6, Bytes: 2}, {Message: "field value region", Number: 3, Bytes: 2},
	}
	if diff := cmp.Diff(wantNewer, got.NewerFields()); diff != "" {
		t.Errorf("newer fields (-want +got):\n%s", diff)
	}
	next := got.Next()
	next.Version--
	if again, err := next.Encode(); err != nil || !bytes.Equal(again, body) {
		t.Errorf("written as %x, %v; want %x", again, err, body)
	}
}

// A generation that is listed again with the same path counts once, and is named.
func TestGenerationListedAgain(t *testing.T) {
	whole := realVersion(t, 7)
	want, err := manifest.Decode("", whole)
	if err != nil || len(want.Repeated()) > 0 {
		t.Fatalf("%v, repeated %v", err, want.Repeated())
	}
	last := want.Generations[len(want.Generations)-1]
	got, err := manifest.Decode("", field(whole, 8, field(varint(nil, 1, last.Number), 2, []byte(last.Path))))
	if err != nil || len(got.Generations) != len(want.Generations) || !slices.Equal(got.Repeated(), []uint64{last.Number}) {
		t.Errorf("%d generations, repeated %v (%v); want %d and %d", len(got.Generations), got.Repeated(), err, len(want.Generations), last.Number)
	}
}

// TestDamagedManifest: bytes that cannot be a version are refused, and the error
// names where they are.
func TestDamagedManifest(t *testing.T) {
	whole := realVersion(t, 7)
	for what, c := range map[string]struct {
		body []byte
		says string
	}{
		"empty":                     {nil, "shard id has 0 bytes"},
		"cut in a field":            {whole[:len(whole)-3], "are no shard manifest"},
		"cut between fields":        {whole[:len(whole)-20], "shard id has 0 bytes"},
		"not protobuf":              {[]byte(`{"version":7}`), "are no shard manifest"},
		"short shard id":            {field(varint(nil, 1, 7), 11, field(nil, 1, shard[:15])), "shard id has 15 bytes"},
		"long shard id":             {field(varint(nil, 1, 7), 11, field(nil, 1, append(shard[:], 0))), "shard id has 17 bytes"},
		"no current generation":     {field(varint(nil, 1, 7), 11, field(nil, 1, shard[:])), "current generation is 0"},
		"a generation twice":        {field(whole, 8, field(varint(nil, 1, 2), 2, []byte("x"))), "lists generation 2 twice"},
		"a generation to come":      {field(whole, 8, field(varint(nil, 1, 3), 2, []byte("x"))), "lists generation 3"},
		"generation 0":              {field(whole, 8, field(nil, 2, []byte("x"))), "lists generation 0"},
		"a generation elsewhere":    {field(realVersion(t, 4), 8, field(varint(nil, 1, 0), 2, nil)), "lists generation 0"},
		"a directory above":         {field(varint(realVersion(t, 4), 6, 9), 8, field(varint(nil, 1, 2), 2, []byte(".."))), "no directory of the shard"},
		"a path to somewhere else":  {field(varint(realVersion(t, 4), 6, 9), 8, field(varint(nil, 1, 2), 2, []byte("../x"))), "no directory of the shard"},
		"a generation without path": {field(varint(realVersion(t, 4), 6, 9), 8, varint(nil, 1, 2)), "no directory of the shard"},
	} {
		_, err := manifest.Decode("s3://b/k", c.body)
		var damaged *manifest.DamagedError
		if !errors.As(err, &damaged) || !errors.Is(err, manifest.ErrDamaged) || damaged.Path != "s3://b/k" || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want a DamagedError that says %q", what, err, c.says)
		}
	}
}

// FuzzDecode: whatever can be read can be written and read again as the same.
func FuzzDecode(f *testing.F) {
	f.Add(everything())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := manifest.Decode("here", body)
		if err != nil {
			return
		}
		again, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		back, err := manifest.Decode("here", again)
		if err != nil {
			t.Fatalf("%v of %x, which was written for %x", err, again, body)
		}
		if third, err := back.Encode(); err != nil || !bytes.Equal(third, again) {
			t.Errorf("%x, %v after %x", third, err, again)
		}
	})
}
