package dynamo

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/lakebench/lakebench/internal/backend/dynamo/attr"
	"github.com/lakebench/lakebench/internal/backend/dynamo/rows"
)

// A journal record is what one request changed, all of it, as changes one after
// the other. Changes say what is, not what became different, and name tables by
// number, so that a write that races with its table's deletion does no harm:
//
//	'T' definition (JSON)           a table is made or changed
//	'X' table                       a table is gone
//	'P' table, row                  an item is stored
//	'D' table, row without attributes
//	'K' token, request, time, images    a transaction has completed under a token
//	'C' number                      so many tables have been made; in snapshots
//
// Numbers are varints; rows and definitions have their length before them.
const (
	changeTable   = 'T'
	changeDropped = 'X'
	changePut     = 'P'
	changeDelete  = 'D'
	changeToken   = 'K'
	changeCreated = 'C'
)

// tableRecord is a table's definition in the journal.
type tableRecord struct {
	Number   int         `json:"number"`
	Name     string      `json:"name"`
	Keys     []keyRecord `json:"keys"`
	Created  time.Time   `json:"created"`
	Read     int64       `json:"read,omitempty"`
	Write    int64       `json:"write,omitempty"`
	OnDemand time.Time   `json:"onDemand"`
	Tags     []tag       `json:"tags,omitempty"`
}

type keyRecord struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

func (t *table) record() tableRecord {
	r := tableRecord{
		Number: t.number, Name: t.name, Created: t.created,
		Read: t.provisioned.read, Write: t.provisioned.write, OnDemand: t.onDemand, Tags: t.tags,
	}
	for _, k := range t.keys() {
		r.Keys = append(r.Keys, keyRecord{k.name, k.kind.String()})
	}
	return r
}

// definition is the change that the table is there, as it is.
func (t *table) definition() []byte {
	definition, err := json.Marshal(t.record())
	if err != nil {
		panic(fmt.Errorf("dynamo: a table's definition has no JSON: %w", err)) // strings and numbers always have
	}
	return appendText([]byte{changeTable}, string(definition))
}

func appendDropped(dst []byte, t *table) []byte {
	return binary.AppendVarint(append(dst, changeDropped), int64(t.number))
}

// appendChange appends what the write changes.
func (w *write) appendChange(dst []byte) []byte {
	switch w.kind {
	case writePut, writeUpdate:
		return appendRow(dst, w.table, w.row)
	case writeDelete:
		dst = binary.AppendVarint(append(dst, changeDelete), int64(w.table.number))
		return appendText(dst, string(w.row))
	case writeCheck:
	}
	return dst
}

func appendRow(dst []byte, t *table, row rows.Row) []byte {
	dst = binary.AppendVarint(append(dst, changePut), int64(t.number))
	return appendText(dst, string(row))
}

// appendChanges appends what a transaction changes, its token included.
func (c *completed) appendChanges(dst []byte, writes []write) []byte {
	for i := range writes {
		dst = writes[i].appendChange(dst)
	}
	if c.state == nil {
		return dst
	}
	return c.appendChange(dst)
}

// appendChange appends that the transaction has completed under its token.
func (c *completed) appendChange(dst []byte) []byte {
	dst = append(dst, changeToken)
	dst = append(dst, c.token[:]...)
	dst = append(dst, c.state.request[:]...)
	dst = binary.AppendVarint(dst, c.at.UnixNano())
	dst = binary.AppendVarint(dst, int64(len(c.state.images)))
	for _, image := range c.state.images {
		dst = binary.AppendVarint(dst, int64(image))
	}
	return dst
}

func appendCreated(dst []byte, n int) []byte {
	return binary.AppendVarint(append(dst, changeCreated), int64(n))
}

// errChange is the error of a record that holds no change.
var errChange = errors.New("it does not hold a change of this service")

// restore makes the changes of a record.
func (e *Engine) restore(record []byte) error {
	r := &changeReader{rest: record}
	for len(r.rest) > 0 && !r.bad {
		if err := e.restoreChange(r); err != nil {
			return err
		}
	}
	if r.bad {
		return errChange
	}
	return nil
}

func (e *Engine) restoreChange(r *changeReader) error {
	switch r.byte() {
	case changeTable:
		return e.restoreTable(r.bytes(r.int()))
	case changeDropped:
		if t := e.numbered(r.int()); t != nil {
			delete(e.tables, t.name)
		}
	case changePut:
		if t, row := e.numbered(r.int()), r.row(); t != nil && !r.bad {
			t.rows.Set(row)
		}
	case changeDelete:
		if t, row := e.numbered(r.int()), r.row(); t != nil && !r.bad {
			t.rows.Delete(row)
		}
	case changeToken:
		e.restoreToken(r)
	case changeCreated:
		e.created = max(e.created, r.int())
	default:
		return errChange
	}
	return nil
}

func (e *Engine) restoreTable(definition []byte) error {
	var d tableRecord
	if err := json.Unmarshal(definition, &d); err != nil {
		return fmt.Errorf("a table's definition: %w", err)
	}
	if len(d.Keys) < 1 || len(d.Keys) > 2 {
		return errChange
	}
	t := e.numbered(d.Number)
	if t == nil {
		t = e.newTable(d.Name)
	}
	t.number, t.created, t.tags = d.Number, d.Created, d.Tags
	t.billing = billing{throughput{d.Read, d.Write}, d.OnDemand}
	for i, key := range []*keyAttribute{&t.partition, &t.sort}[:len(d.Keys)] {
		*key = keyAttribute{d.Keys[i].Name, attr.KindOf(d.Keys[i].Kind)}
		if !key.kind.IsKey() {
			return errChange
		}
	}
	e.created = max(e.created, t.number)
	e.tables[t.name] = t
	return nil
}

// restoreToken remembers a transaction; one whose time is over is forgotten when
// the next one begins.
func (e *Engine) restoreToken(r *changeReader) {
	c := completed{completion{token: r.digest()}, &tokenState{request: r.digest(), images: []int32{}}}
	c.at = time.Unix(0, r.varint())
	for n := r.int(); n > 0 && !r.bad; n-- {
		c.state.images = append(c.state.images, int32(r.varint()))
	}
	if !r.bad {
		e.tokens.restore(c)
	}
}

// numbered finds a table by number; there are few.
func (e *Engine) numbered(n int) *table {
	for _, t := range e.tables {
		if t.number == n {
			return t
		}
	}
	return nil
}

// changeReader reads a record. The first thing that does not fit sets bad, and
// what is read after it means nothing.
type changeReader struct {
	rest []byte
	bad  bool
}

func (r *changeReader) varint() int64 {
	n, size := binary.Varint(r.rest)
	if size <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// int reads a number that is not negative and counts something in memory.
func (r *changeReader) int() int {
	n := r.varint()
	if n < 0 || n > 1<<31-1 {
		r.bad, r.rest = true, nil
		return 0
	}
	return int(n)
}

func (r *changeReader) bytes(n int) []byte {
	if n > len(r.rest) {
		r.bad, r.rest = true, nil
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// row reads a row. That its bytes are those that were written, a checksum has
// vouched for.
func (r *changeReader) row() rows.Row {
	row := rows.Row(r.bytes(r.int()))
	r.bad = r.bad || !row.Valid()
	return row
}

func (r *changeReader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *changeReader) digest() digest {
	if b := r.bytes(len(digest{})); b != nil {
		return digest(b)
	}
	return digest{}
}
