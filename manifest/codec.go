package manifest

import (
	"encoding/json"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/lakebench/lakebench/manifest/shardpb"
)

// newerFields are those of the manifest's own messages that are newer than this
// program, as they were read.
type newerFields struct{ manifest, shard []byte }

// A NewerField is a field that this program does not know, and keeps.
type NewerField struct {
	Message string // that it is in: "manifest", "shard id", "generation 3" or "field value x"
	Number  int    // of the field
	Bytes   int    // of its encoding
}

// NewerFields lists the fields that are newer than this program.
func (m Manifest) NewerFields() []NewerField {
	fields := appendFields(nil, "manifest", m.newer.manifest)
	fields = appendFields(fields, "shard id", m.newer.shard)
	for _, g := range m.Generations {
		fields = appendFields(fields, fmt.Sprintf("generation %d", g.Number), g.newer)
	}
	for _, f := range m.Spec.Fields {
		fields = appendFields(fields, "field value "+f.FieldID, f.newer)
	}
	return fields
}

func appendFields(fields []NewerField, message string, raw []byte) []NewerField {
	for len(raw) > 0 {
		number, _, n := protowire.ConsumeField(raw)
		if n < 0 {
			return fields // they were well-formed when they were read
		}
		fields = append(fields, NewerField{Message: message, Number: int(number), Bytes: n})
		raw = raw[n:]
	}
	return fields
}

// Encode returns the manifest in the public format. Fields come in the order of
// their numbers, as the real system writes them; those that this program does not
// know come last.
func (m Manifest) Encode() ([]byte, error) {
	message := &shardpb.ShardManifest{
		Version: m.Version, WriterEpoch: m.WriterEpoch, ReplayAfter: m.ReplayAfter, LastSeen: m.LastSeen,
		CurrentGeneration: m.CurrentGeneration, SpecId: m.Spec.ID, Status: shardpb.Status(m.Status),
		ShardId: &shardpb.Uuid{Value: m.Shard[:]},
	}
	message.ProtoReflect().SetUnknown(m.newer.manifest)
	message.ShardId.ProtoReflect().SetUnknown(m.newer.shard)
	for _, g := range m.Generations {
		generation := &shardpb.Generation{
			Number: g.Number, Path: g.Path,
			InMemoryBytes: g.InMemoryBytes, PhysicalRows: g.PhysicalRows, PrimaryKeyBytes: g.PrimaryKeyBytes,
		}
		generation.ProtoReflect().SetUnknown(g.newer)
		message.Generations = append(message.Generations, generation)
	}
	for _, f := range m.Spec.Fields {
		value := &shardpb.FieldValue{FieldId: f.FieldID, Value: f.Value}
		value.ProtoReflect().SetUnknown(f.newer)
		message.FieldValues = append(message.FieldValues, value)
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(message)
}

// Decode reads a manifest in the public format. What cannot be a version of a
// manifest is a *DamagedError that names path.
func Decode(path string, body []byte) (Manifest, error) {
	var message shardpb.ShardManifest
	if err := proto.Unmarshal(body, &message); err != nil {
		return Manifest{}, &DamagedError{Path: path, Reason: fmt.Sprintf("its %d bytes are no shard manifest", len(body)), Err: err}
	}
	m := Manifest{
		Version: message.GetVersion(), WriterEpoch: message.GetWriterEpoch(), ReplayAfter: message.GetReplayAfter(),
		LastSeen: message.GetLastSeen(), CurrentGeneration: message.GetCurrentGeneration(),
		Spec: Spec{ID: message.GetSpecId()}, Status: Status(message.GetStatus()),
		newer: newerFields{
			manifest: message.ProtoReflect().GetUnknown(),
			shard:    message.GetShardId().ProtoReflect().GetUnknown(),
		},
	}
	if n := copy(m.Shard[:], message.GetShardId().GetValue()); n != len(m.Shard) || n != len(message.GetShardId().GetValue()) {
		return Manifest{}, &DamagedError{Path: path, Reason: fmt.Sprintf("its shard id has %d bytes; want %d", len(message.GetShardId().GetValue()), len(m.Shard))}
	}
	for _, g := range message.GetGenerations() {
		again := func(have Generation) bool { return have.Number == g.GetNumber() && have.Path == g.GetPath() }
		if slices.ContainsFunc(m.Generations, again) {
			m.repeated = append(m.repeated, g.GetNumber())
			continue
		}
		m.Generations = append(m.Generations, Generation{
			Number: g.GetNumber(), Path: g.GetPath(),
			InMemoryBytes: g.InMemoryBytes, PhysicalRows: g.PhysicalRows, PrimaryKeyBytes: g.PrimaryKeyBytes,
			newer: g.ProtoReflect().GetUnknown(),
		})
	}
	for _, f := range message.GetFieldValues() {
		m.Spec.Fields = append(m.Spec.Fields, FieldValue{FieldID: f.GetFieldId(), Value: f.GetValue(), newer: f.ProtoReflect().GetUnknown()})
	}
	if wrong := m.check(); wrong != "" {
		return Manifest{}, &DamagedError{Path: path, Reason: wrong}
	}
	return m, nil
}

// decodeAt reads the manifest that a location has under a version.
func decodeAt(l Location, version uint64, body []byte) (Manifest, error) {
	path := l.URL(l.ManifestKey(version))
	m, err := Decode(path, body)
	switch {
	case err != nil:
		return Manifest{}, err
	case m.Version != version:
		return Manifest{}, &DamagedError{Path: path, Reason: fmt.Sprintf("it says that it is version %d; its name says %d", m.Version, version)}
	case m.Shard != l.Shard:
		return Manifest{}, &DamagedError{Path: path, Reason: fmt.Sprintf("it says that it is of shard %v", m.Shard)}
	}
	return m, nil
}

// encodeHint is the hint as the real system writes it.
func encodeHint(version uint64) []byte { return fmt.Appendf(nil, `{"version":%d}`, version) }

// DecodeHint reads the version hint; 0, which is no version's number, is a damaged
// one.
func DecodeHint(body []byte) uint64 {
	var hint struct{ Version uint64 }
	if err := json.Unmarshal(body, &hint); err != nil {
		return 0
	}
	return hint.Version
}
