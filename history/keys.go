package history

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/lakebench/lakebench/store/keyspace"
)

// A recordKind is what a record is for. The order is that in which a commit
// writes.
type recordKind int

const (
	kindLease recordKind = iota
	kindAppend
	kindManifest
	kindTable
	kindTombstone
	kindRoot
)

// Lengths of the variable parts of keys.
const (
	tableDigits   = 6
	versionDigits = 20
	rootDigits    = 2
	idLength      = 36
)

// words begin the names of tables. Changing them changes every key: see Version.
var words = [...]string{
	"orders", "clicks", "sessions", "payments", "inventory", "shipments",
	"users", "events", "impressions", "ledger", "metrics", "reviews",
}

func tableName(table int) string {
	return string(appendPadded([]byte(words[table%len(words)]+"_"), uint64(table), tableDigits))
}

// longestKey returns the length of the longest key that a lake can have: an
// append-operation record of a table whose word is the longest.
func longestKey() int {
	word := 0
	for _, w := range words {
		word = max(word, len(w))
	}
	return len(keyspace.Appends+"/") + word + len("_") + tableDigits + len("/") + idLength
}

func rootKey(number int) string {
	return string(appendPadded([]byte("lake-setting-"), uint64(number), rootDigits))
}

// key returns the key of the record of that kind which c writes.
func (l *Lake) key(kind recordKind, c commit) string {
	name := l.names[c.table]
	buf := make([]byte, 0, 96) // does not escape: longestKey is less
	switch kind {
	case kindTable:
		buf = append(append(buf, keyspace.Tables+"/"...), name...)
	case kindManifest:
		buf = append(append(buf, keyspace.Manifests+"/"...), name...)
		buf = appendPadded(append(buf, '/'), c.version, versionDigits)
	case kindAppend:
		buf = appendID(append(append(append(buf, keyspace.Appends+"/"...), name...), '/'), c)
	case kindLease:
		buf = appendID(append(append(append(buf, keyspace.Leases+"/"...), name...), '/'), c)
	case kindTombstone:
		buf = appendID(append(append(append(buf, keyspace.Tombstones+"/"...), name...), '/'), c)
	default:
		panic("history: no commit writes kind " + strconv.Itoa(int(kind)))
	}
	return string(buf)
}

func appendPadded(dst []byte, n uint64, width int) []byte {
	var digits [versionDigits]byte
	text := strconv.AppendUint(digits[:0], n, 10)
	for range width - len(text) {
		dst = append(dst, '0')
	}
	return append(dst, text...)
}

// epoch is when a lake's history begins, as its ids have it: 2026-01-01 UTC.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// appendID appends the commit's id: a UUIDv7 (RFC 9562 §5.7) whose 12 bits of
// rand_a are the fraction of the millisecond (§6.2 method 3). Commits never
// share a microsecond, so ids are unique and sort by time.
func appendID(dst []byte, c commit) []byte {
	us := uint64(epoch.UnixMicro()) + uint64(c.at/time.Microsecond)
	var id [16]byte
	binary.BigEndian.PutUint64(id[:8], us/1000<<16|7<<12|us%1000*4096/1000)
	binary.BigEndian.PutUint64(id[8:], 1<<63|c.random>>2)
	dst = hex.AppendEncode(dst, id[:4])
	for _, part := range [][]byte{id[4:6], id[6:8], id[8:10], id[10:]} {
		dst = hex.AppendEncode(append(dst, '-'), part)
	}
	return dst
}
