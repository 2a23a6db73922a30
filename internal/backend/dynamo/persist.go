package dynamo

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/lakebench/lakebench/internal/attr"
	"github.com/lakebench/lakebench/internal/backend/disk"
	"github.com/lakebench/lakebench/internal/backend/dynamo/rows"
	"github.com/lakebench/lakebench/internal/sim/task"
)

// What a directory holds, by bucket:
//
//	account       "created" → how many tables have been made
//	tables        table number → definition, JSON
//	items/number  identity of a row → the rest of it
//	tokens        time and token → the transaction that completed under it
//
// Numbers are decimal text. Changes name tables by number, so a write that races with
// its table's deletion does no harm.
const (
	accountBucket = "account"
	tablesBucket  = "tables"
	tokensBucket  = "tokens"

	createdKey = "created"
)

// diskFormat changes with the above.
const diskFormat = "dynamodb 1"

func (t *table) key() string { return strconv.Itoa(t.number) }

func (t *table) bucket() string { return "items/" + t.key() }

// Restored is what an engine found in its directory.
type Restored struct{ Tables, Items int }

// Open returns an engine whose tables survive the process. It answers a request once
// the directory has, on disk, everything that the answer may show, be it the
// request's own writes or another's. A directory that does not exist is made. One
// that another process has open is refused; damage is a *disk.DamageError. A request
// that was not answered when the process ended has happened as a whole or not at all.
//
// The caller calls [Engine.Close] at the end.
func Open(cfg Config, dir string) (*Engine, Restored, error) {
	if cfg.VisibleOneByOne {
		return nil, Restored{}, errors.New("dynamo: Config.VisibleOneByOne is for engines in memory: a directory keeps transactions whole")
	}
	e, err := New(cfg)
	if err != nil {
		return nil, Restored{}, err
	}
	if e.disk, err = disk.Open(dir, diskFormat); err != nil {
		return nil, Restored{}, err
	}
	e.disk.Append(disk.Create(accountBucket), disk.Create(tablesBucket), disk.Create(tokensBucket))
	e.tokens.forgotten = func(c completion) { e.disk.Append(disk.Delete(tokensBucket, c.key())) }
	found, err := e.restore()
	if err != nil {
		return nil, Restored{}, errors.Join(fmt.Errorf("%s: %w", dir, err), e.disk.Close())
	}
	return e, found, nil
}

// Close writes what is not yet on disk and lets go of the directory. No request may
// be under way. Engines in memory have nothing to close.
func (e *Engine) Close() error {
	if e.disk == nil {
		return nil
	}
	return e.disk.Close()
}

// watchEvery is how often Watch looks.
const watchEvery = 100 * time.Millisecond

// Watch waits until ctx ends or the directory can no longer be written, which is its
// error; what was acknowledged before is safe. Engines in memory wait for ctx alone.
func (e *Engine) Watch(ctx context.Context) error {
	for task.Sleep(ctx, watchEvery) == nil {
		if e.disk != nil && e.disk.Err() != nil {
			return e.disk.Err()
		}
	}
	return nil
}

// settle waits until everything done so far is on disk, since an answer may show
// any of it.
func (e *Engine) settle(ctx context.Context) *serviceError {
	if e.disk == nil {
		return nil
	}
	if err := e.disk.Sync(ctx); err != nil {
		return &serviceError{code: internalServerError, message: "embedded DynamoDB: " + err.Error()}
	}
	return nil
}

// tableRecord is a table's definition on disk.
type tableRecord struct {
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

// persist stores the table's definition.
func (t *table) persist() disk.Change {
	r := tableRecord{
		Name: t.name, Created: t.created,
		Read: t.provisioned.read, Write: t.provisioned.write, OnDemand: t.onDemand, Tags: t.tags,
	}
	for _, k := range t.keys() {
		r.Keys = append(r.Keys, keyRecord{k.name, k.kind.String()})
	}
	definition, err := json.Marshal(r)
	if err != nil {
		panic(fmt.Errorf("dynamo: a table's definition has no JSON: %w", err)) // strings and numbers always have
	}
	return disk.Put(tablesBucket, t.key(), string(definition))
}

// persistCreated keeps a table that has just been made.
func (e *Engine) persistCreated(t *table) {
	if e.disk != nil {
		e.disk.Append(disk.Create(t.bucket()), t.persist(), disk.Put(accountBucket, createdKey, strconv.Itoa(e.created)))
	}
}

// persistChanged keeps how a table is billed.
func (e *Engine) persistChanged(t *table) {
	if e.disk != nil {
		e.disk.Append(t.persist())
	}
}

// persistDeleted removes a table.
func (e *Engine) persistDeleted(t *table) {
	if e.disk != nil {
		e.disk.Append(disk.Drop(t.bucket()), disk.Delete(tablesBucket, t.key()))
	}
}

// persistWrites keeps what writes have changed and, of a transaction, its token,
// together.
func (e *Engine) persistWrites(writes []write, done completed) {
	if e.disk == nil {
		return
	}
	changes := make([]disk.Change, 0, len(writes)+1)
	for i := range writes {
		w := &writes[i]
		key, contents := w.row.Split()
		switch w.kind {
		case writePut, writeUpdate:
			changes = append(changes, disk.Put(w.table.bucket(), key, contents))
		case writeDelete:
			changes = append(changes, disk.Delete(w.table.bucket(), key))
		case writeCheck:
		}
	}
	if done.state != nil {
		changes = append(changes, disk.Put(tokensBucket, done.key(), done.record()))
	}
	e.disk.Append(changes...)
}

// key returns when the transaction completed, in nanoseconds since 1970, and its token.
// The keys of transactions that complete together, or are forgotten together, are
// neighbours, so that few pages of the database change.
func (c completion) key() string {
	key := binary.BigEndian.AppendUint64(nil, uint64(c.at.UnixNano()))
	return string(append(key, c.token[:]...))
}

// record returns the transaction's request, and how many bytes each action was charged
// for.
func (c *completed) record() string {
	record := slices.Clone(c.state.request[:])
	for _, image := range c.state.images {
		record = binary.AppendVarint(record, int64(image))
	}
	return string(record)
}

// restore reads the directory into the engine, in which there is nothing yet.
func (e *Engine) restore() (found Restored, err error) {
	read := func(bucket string, restore func(key, value []byte) error) {
		if err != nil {
			return
		}
		err = e.disk.Each(bucket, func(key, value []byte) error {
			if err := restore(key, value); err != nil {
				return fmt.Errorf("bucket %s, key %q: %w", bucket, key, err)
			}
			return nil
		})
	}
	read(accountBucket, e.restoreAccount)
	read(tablesBucket, e.restoreTable)
	read(tokensBucket, e.tokens.restore)
	for _, t := range e.tables {
		read(t.bucket(), t.restoreItem)
		found.Tables++
		found.Items += t.rows.Len()
	}
	return found, err
}

func (e *Engine) restoreAccount(key, value []byte) (err error) {
	if string(key) == createdKey {
		e.created, err = strconv.Atoi(string(value))
	}
	return err
}

// errRecord is the error of an entry that this package did not write.
var errRecord = errors.New("it does not have the form of this service")

func (e *Engine) restoreTable(key, definition []byte) error {
	var d tableRecord
	if err := json.Unmarshal(definition, &d); err != nil {
		return fmt.Errorf("a table's definition: %w", err)
	}
	number, err := strconv.Atoi(string(key))
	if err != nil || len(d.Keys) < 1 || len(d.Keys) > 2 {
		return errRecord
	}
	t := e.newTable(d.Name)
	t.number, t.created, t.tags = number, d.Created, d.Tags
	t.billing = billing{throughput{d.Read, d.Write}, d.OnDemand}
	for i, key := range []*keyAttribute{&t.partition, &t.sort}[:len(d.Keys)] {
		*key = keyAttribute{d.Keys[i].Name, attr.KindOf(d.Keys[i].Kind)}
		if !key.kind.IsKey() {
			return errRecord
		}
	}
	e.tables[t.name] = t
	return nil
}

func (t *table) restoreItem(key, contents []byte) error {
	row, ok := rows.Join(key, contents)
	if !ok {
		return errRecord
	}
	t.rows.Set(row)
	return nil
}

// restore remembers a transaction of an earlier process. One whose time is over is
// forgotten when the next one begins.
func (k *tokens) restore(key, record []byte) error {
	const timeBytes, digestBytes = 8, len(digest{})
	if len(key) != timeBytes+digestBytes || len(record) < digestBytes {
		return errRecord
	}
	state := &tokenState{request: digest(record[:digestBytes]), images: []int32{}}
	for rest := record[digestBytes:]; len(rest) > 0; {
		image, size := binary.Varint(rest)
		if size <= 0 {
			return errRecord
		}
		state.images, rest = append(state.images, int32(image)), rest[size:]
	}
	c := completion{digest(key[timeBytes:]), time.Unix(0, int64(binary.BigEndian.Uint64(key)))}
	if k.known == nil {
		k.known = map[digest]*tokenState{}
	}
	k.known[c.token] = state
	k.done = append(k.done, c)
	return nil
}
