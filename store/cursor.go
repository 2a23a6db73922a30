package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
)

// A Layout names how records are stored; cursors carry it.
type Layout byte

// The two layouts.
const (
	V1 Layout = 1
	V2 Layout = 2
)

func (l Layout) String() string { return fmt.Sprintf("v%d", byte(l)) }

// A Scope is a digest of what a drain reads: cursors of one drain are of no use
// to another.
type Scope [16]byte

// PrefixScope is the scope of a prefix read of a table.
func PrefixScope(table, prefix string) Scope { return scope("prefix", table, prefix) }

// FamilyScope is the scope of a read of a whole family of a table.
func FamilyScope(table, family string) Scope { return scope("family", table, family) }

func scope(kind, table, name string) (s Scope) {
	// Table names hold no zero byte, so the parts cannot run into each other.
	sum := sha256.Sum256([]byte(kind + "\x00" + table + "\x00" + name))
	copy(s[:], sum[:])
	return s
}

// A Cursor is a place in a drain: what is read, the shard, and the last key that
// was evaluated completely ("" at the start of a shard).
type Cursor struct {
	Layout Layout
	Scope  Scope
	Shard  int // always 0 in v1
	Last   string
}

// A token is version, layout, scope, shard, last key and checksum, in base64.
// The checksum finds damage; it does not keep anybody from making a cursor.
const (
	cursorVersion  = 1
	cursorHead     = 2 + len(Scope{}) + 4
	cursorChecksum = 8
)

// Token returns the cursor as the opaque text that callers pass around.
func (c Cursor) Token() string {
	b := append(make([]byte, 0, cursorHead+len(c.Last)+cursorChecksum), cursorVersion, byte(c.Layout))
	b = append(b, c.Scope[:]...)
	b = binary.BigEndian.AppendUint32(b, uint32(c.Shard))
	b = append(b, c.Last...)
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(append(b, sum[:cursorChecksum]...))
}

// ParseCursor reads a token. Whether the cursor belongs to a drain is for Check
// to say. Errors are ErrBadCursor.
func ParseCursor(token string) (Cursor, error) {
	b, err := base64.RawURLEncoding.DecodeString(token)
	// The decoder lets line ends and stray bits pass; encoding again does not.
	if err != nil || len(b) < cursorHead+cursorChecksum || base64.RawURLEncoding.EncodeToString(b) != token {
		return Cursor{}, fmt.Errorf("%w: it is damaged", ErrBadCursor)
	}
	body, checksum := b[:len(b)-cursorChecksum], b[len(b)-cursorChecksum:]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:cursorChecksum], checksum) {
		return Cursor{}, fmt.Errorf("%w: it is damaged", ErrBadCursor)
	}
	if body[0] != cursorVersion {
		return Cursor{}, fmt.Errorf("%w: it has version %d, this program reads version %d", ErrBadCursor, body[0], cursorVersion)
	}
	c := Cursor{Layout: Layout(body[1]), Shard: int(binary.BigEndian.Uint32(body[2+len(Scope{}):])), Last: string(body[cursorHead:])}
	copy(c.Scope[:], body[2:])
	return c, nil
}

// Check refuses, with ErrBadCursor, a cursor made by another layout or scope.
func (c Cursor) Check(layout Layout, scope Scope) error {
	if c.Layout != layout {
		return fmt.Errorf("%w: it was made by layout %v, this is %v", ErrBadCursor, c.Layout, layout)
	}
	if c.Scope != scope {
		return fmt.Errorf("%w: it was made for another table or prefix", ErrBadCursor)
	}
	return nil
}
