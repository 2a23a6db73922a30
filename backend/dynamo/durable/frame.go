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
//	checksum of the record  4 bytes, CRC-32C
//	checksum of the above   4 bytes, CRC-32C
//	the record
//
// The header has a checksum of its own so that a frame that ends with its file
// too early can be told from one whose length is wrong: the first is a write that
// was cut off, the second is damage.
const frameHeader = 20

// maxRecord bounds a record, in bytes; the largest, a transaction, is of 4 MB and
// a little.
const maxRecord = 64 << 20

var (
	logMagic      = [16]byte([]byte("lakebench-log-1\n"))
	snapshotMagic = [16]byte([]byte("lakebench-snp-1\n"))
	castagnoli    = crc32.MakeTable(crc32.Castagnoli)
)

func appendFrame(dst []byte, number uint64, record []byte) []byte {
	start := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(record)))
	dst = binary.LittleEndian.AppendUint64(dst, number)
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(record, castagnoli))
	dst = binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
	return append(dst, record...)
}

// What a frame can be instead of whole.
var (
	// errCutOff: the file ends within a frame whose beginning, as far as it is
	// there, is good.
	errCutOff = errors.New("cut off")
	// errZeros: nothing but zeros up to the end of the file, which a file system
	// can leave where a write was under way when the machine stopped.
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
	var header [frameHeader]byte
	switch n, err := io.ReadFull(r.src, header[:]); {
	case errors.Is(err, io.EOF):
		return nil, io.EOF
	case errors.Is(err, io.ErrUnexpectedEOF):
		if isZero(header[:n]) {
			return nil, errZeros
		}
		return nil, errCutOff
	case err != nil:
		return nil, err
	}
	length := binary.LittleEndian.Uint32(header[0:])
	number := binary.LittleEndian.Uint64(header[4:])
	sum := binary.LittleEndian.Uint32(header[12:])
	switch {
	case isZero(header[:]):
		return nil, r.zeros()
	case crc32.Checksum(header[:16], castagnoli) != binary.LittleEndian.Uint32(header[16:]) || length > maxRecord:
		return nil, errors.New("its header's checksum differs")
	case number != r.number+1:
		return nil, fmt.Errorf("it is record %d", number)
	}
	return r.record(length, sum)
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
