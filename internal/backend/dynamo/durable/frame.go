package durable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A file begins with its kind and version. A record stands in a frame:
//
//	length of the record    4 bytes, all numbers little-endian
//	number of the record    8 bytes
//	number of the first     8 bytes: of the records that were written together
//	checksum of the record  4 bytes, CRC-32C
//	checksum of the above   4 bytes, CRC-32C
//	the record
//
// The header has a checksum of its own so that a frame that ends with its file
// too early can be told from one whose length is wrong: the first is a write that
// was cut off, the second is damage. That a later write was begun says that the one
// before had ended: a bad record before that is damage, and not a write's torn end.
const frameHeader = 28

// maxRecord bounds a record, in bytes; the largest, a transaction, is of 4 MB and
// a little.
const maxRecord = 64 << 20

var (
	logMagic      = [16]byte([]byte("lakebench-log-2\n"))
	snapshotMagic = [16]byte([]byte("lakebench-snp-2\n"))
	castagnoli    = crc32.MakeTable(crc32.Castagnoli)
)

// header is what stands before a record.
type header struct {
	length        uint32
	number, first uint64
	sum           uint32
}

func appendFrame(dst []byte, number, first uint64, record []byte) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(record)))
	dst = binary.LittleEndian.AppendUint64(dst, number)
	dst = binary.LittleEndian.AppendUint64(dst, first)
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(record, castagnoli))
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
	return append(dst, record...)
}

// frameHeaderOf reads the header that b begins with. ok is false if that is none.
func frameHeaderOf(b []byte) (h header, ok bool) {
	if len(b) < frameHeader {
		return header{}, false
	}
	h = header{
		length: binary.LittleEndian.Uint32(b),
		number: binary.LittleEndian.Uint64(b[4:]),
		first:  binary.LittleEndian.Uint64(b[12:]),
		sum:    binary.LittleEndian.Uint32(b[20:]),
	}
	return h, h.length <= maxRecord && crc32.Checksum(b[:24], castagnoli) == binary.LittleEndian.Uint32(b[24:])
}

// What a frame can be instead of whole.
var (
	// errCutOff: the file ends within a frame whose beginning, as far as it is
	// there, is good.
	errCutOff = errors.New("cut off")
	// errZeros: nothing but zeros up to the end of the file, the room for records
	// to come.
	errZeros = errors.New("zeros")
)

// frameReader reads the frames of one file.
type frameReader struct {
	src    io.Reader
	at     int64 // where the next frame begins
	number uint64
	buf    []byte
}

// next returns the next record, good until the next call. At the end of the file
// the error is io.EOF.
func (r *frameReader) next() ([]byte, error) {
	var b [frameHeader]byte
	switch n, err := io.ReadFull(r.src, b[:]); {
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case errors.Is(err, io.ErrUnexpectedEOF):
		if isZero(b[:n]) {
			return nil, errZeros
		}
		return nil, errCutOff
	case err != nil:
		return nil, err
	}
	switch h, ok := frameHeaderOf(b[:]); {
	case isZero(b[:]):
		return nil, r.zeros()
	case !ok:
		return nil, errors.New("its header's checksum differs")
	case h.number != r.number+1:
		return nil, fmt.Errorf("it is record %d", h.number)
	default:
		return r.record(h.length, h.sum)
	}
}

func (r *frameReader) record(length, sum uint32) ([]byte, error) {
	if cap(r.buf) < int(length) {
		r.buf = make([]byte, length)
	}
	record := r.buf[:length]
	switch _, err := io.ReadFull(r.src, record); {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return nil, errCutOff
	case err != nil:
		return nil, err
	case crc32.Checksum(record, castagnoli) != sum:
		return nil, errors.New("its checksum differs")
	}
	r.at += frameHeader + int64(length)
	r.number++
	return record, nil
}

// zeros reads on to see whether anything but zeros follows.
func (r *frameReader) zeros() error {
	var buf [4096]byte
	for {
		n, err := r.src.Read(buf[:])
		if !isZero(buf[:n]) {
			return errors.New("it is overwritten with zeros")
		}
		if errors.Is(err, io.EOF) {
			return errZeros
		}
		if err != nil {
			return err
		}
	}
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
