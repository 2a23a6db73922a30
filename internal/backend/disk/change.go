package disk

import (
	"errors"
	"hash/crc32"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

// A Change is made by Create, Drop, Put or Delete.
type Change struct {
	kind               kind
	bucket, key, value string
}

type kind int

const (
	createBucket kind = iota
	dropBucket
	putEntry
	deleteEntry
)

// Create makes a bucket, unless it exists.
func Create(bucket string) Change { return Change{kind: createBucket, bucket: bucket} }

// Drop removes a bucket with all that is in it. Later changes to it have no effect.
func Drop(bucket string) Change { return Change{kind: dropBucket, bucket: bucket} }

// Put stores a value under a key, which is of 1 to 32,768 bytes.
func Put(bucket, key, value string) Change {
	return Change{kind: putEntry, bucket: bucket, key: key, value: value}
}

// Delete removes a key, if it exists.
func Delete(bucket, key string) Change {
	return Change{kind: deleteEntry, bucket: bucket, key: key}
}

func (c *Change) apply(tx *bbolt.Tx) error {
	name := []byte(c.bucket)
	switch c.kind {
	case createBucket:
		_, err := tx.CreateBucketIfNotExists(name)
		return err
	case dropBucket:
		err := tx.DeleteBucket(name)
		if errors.Is(err, bbolterrors.ErrBucketNotFound) {
			return nil
		}
		return err
	case putEntry, deleteEntry:
	}
	if b := tx.Bucket(name); b != nil {
		return c.applyTo(b)
	}
	return nil
}

// applyTo puts or deletes the entry, and keeps the bucket's sum.
func (c *Change) applyTo(b *bbolt.Bucket) error {
	key, total := []byte(c.key), b.Sequence()
	if old := b.Get(key); old != nil {
		total -= sum(key, old)
	}
	if c.kind == deleteEntry {
		return errors.Join(b.Delete(key), b.SetSequence(total))
	}
	value := []byte(c.value)
	return errors.Join(b.Put(key, value), b.SetSequence(total+sum(key, value)))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum is an entry's part of its bucket's sum, which bbolt keeps as the bucket's
// sequence number. The parts are added, so the sum follows from the change alone;
// an entry that is lost, damaged or there twice makes it differ.
func sum(key, value []byte) uint64 {
	return uint64(crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, value))
}
