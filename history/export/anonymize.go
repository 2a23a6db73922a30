package export

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"strings"
	"unicode/utf8"

	"github.com/lakebench/lakebench/store/keyspace"
)

// MinKeyBytes is the shortest key that NewAnonymizer takes.
const MinKeyBytes = 16

// An Anonymizer replaces every path segment of a key but the family. A segment
// is replaced by text of the same length in bytes, the same one wherever it
// occurs, and two segments never by one: so prefixes, families, sizes and counts
// stay what they were.
//
// Segments of 16 bytes and more become letters, digits, - and _ from an
// HMAC-SHA256 of the segment, 96 bits at least. A shorter hash would collide (one
// of four bytes after some thousand segments) and two records would become one;
// so shorter segments go through a keyed permutation that is made from
// HMAC-SHA256 instead.
//
// What an anonymized file still tells: the families; the number of segments of a
// key and their lengths; which keys share a segment; in segments of less than 16
// bytes, where they have punctuation, control characters or characters beyond
// ASCII; the size of every item. The order of keys is lost. Whoever has the key
// can test a guess, and undo short segments: throw the key away, or keep it to
// give two exports the same names. An Anonymizer is for one goroutine at a time.
type Anonymizer struct {
	mac   hash.Hash
	sum   [sha256.Size]byte
	known map[string]string // segments seen lately
}

// NewAnonymizer returns an anonymizer; one key always gives the same names. The
// key has at least MinKeyBytes and should be random.
func NewAnonymizer(key []byte) (*Anonymizer, error) {
	if len(key) < MinKeyBytes {
		return nil, fmt.Errorf("anonymize: key of %d bytes, expected at least %d", len(key), MinKeyBytes)
	}
	return &Anonymizer{mac: hmac.New(sha256.New, key), known: map[string]string{}}, nil
}

// Key returns the replacement of a key, which must be UTF-8. A key without a
// slash has the family root by itself, so all of it is replaced.
func (a *Anonymizer) Key(key string) string {
	family := keyspace.Family(key)
	rest, qualified := strings.CutPrefix(key, family+"/")
	segments := strings.Split(rest, "/")
	for i, segment := range segments {
		segments[i] = a.segment(segment)
	}
	if rest = strings.Join(segments, "/"); qualified {
		return family + "/" + rest
	}
	return rest
}

// maxKnown bounds the memory for segments: some thousand tables.
const maxKnown = 8192

func (a *Anonymizer) segment(segment string) string {
	replacement, known := a.known[segment]
	if !known {
		if len(segment) >= hashedFrom {
			replacement = a.hashed(segment)
		} else {
			replacement = a.permuted(segment)
		}
		if len(a.known) >= maxKnown {
			clear(a.known)
		}
		a.known[segment] = replacement
	}
	return replacement
}

// alphabet is that of URLs' base64: safe in keys, paths and shells.
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// hashedFrom is the length from which segments are hashed: 16 characters of 64
// are 96 bits.
const hashedFrom = 16

func (a *Anonymizer) hashed(segment string) string {
	out := make([]byte, len(segment))
	for i := range out {
		at := i % sha256.Size
		if at == 0 {
			a.prf('h', i/sha256.Size, []byte(segment))
		}
		out[i] = alphabet[a.sum[at]%64]
	}
	return string(out)
}

// prf computes the next 32 pseudorandom bytes into a.sum.
func (a *Anonymizer) prf(domain byte, counter int, input []byte) {
	var prefix [5]byte
	prefix[0] = domain
	binary.BigEndian.PutUint32(prefix[1:], uint32(counter))
	a.mac.Reset()
	a.mac.Write(prefix[:])
	a.mac.Write(input)
	a.mac.Sum(a.sum[:0])
}

// rounds of the permutation: ten, as in NIST SP 800-38G, since the domains are
// small.
const rounds = 10

// A digit is one of the two digits that a character is written in, see class.
type digit struct{ value, radix int }

// permuted is a Feistel network over the digits of the segment's characters (as
// in NIST SP 800-38G, with HMAC-SHA256 as the round function): in each round one
// half of the digits is shifted by amounts that depend on the other half. Since
// every character stays in its class, it is a permutation of the segments that
// have the same classes in the same places.
func (a *Anonymizer) permuted(segment string) string {
	var shape []byte // which class each character is of
	var digits []digit
	for _, c := range segment {
		k := classOf(c)
		shape = append(shape, byte(k))
		high, low := classes[k].digits(c)
		digits = append(digits, high, low)
	}
	half := len(digits) / 2
	left, right := digits[:half], digits[half:]
	input := make([]byte, 0, 64)
	for round := range rounds {
		input = append(input[:0], shape...)
		for _, d := range right {
			input = binary.BigEndian.AppendUint16(input, uint16(d.value))
		}
		a.prf('p', round, input)
		// At most 15 characters, so 15 digits: two bytes of the hash each.
		for i, d := range left {
			shift := int(binary.BigEndian.Uint16(a.sum[2*i:]))
			left[i].value = (d.value + shift) % d.radix
		}
		left, right = right, left
	}
	out := make([]byte, 0, len(segment))
	for i, k := range shape {
		out = utf8.AppendRune(out, classes[k].char(digits[2*i], digits[2*i+1]))
	}
	return string(out)
}
