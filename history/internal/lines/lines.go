// Package lines reads files of one record a line, gzip or plain, with lines of
// bounded length.
package lines

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// ErrTooLong is returned for a line over the limit.
var ErrTooLong = errors.New("line too long")

// Plain returns what r holds, uncompressed if r is gzip. The first bytes tell,
// since files get renamed. An empty r is an empty file.
func Plain(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReaderSize(r, 64<<10)
	// A shorter file makes Peek fail, and is not gzip.
	if magic, err := buffered.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, err
		}
		return z, nil
	}
	return buffered, nil
}

// A Reader yields the lines of a plain reader.
type Reader struct {
	r     *bufio.Reader
	limit int
	buf   []byte
	line  int
}

// NewReader returns a reader of lines of at most limit bytes, without the line
// feed.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// Line returns the number of the line that Next returned last, from 1.
func (r *Reader) Line() int { return r.line }

// Next returns the next line without its line feed; it is valid until the next
// call. The last line needs no line feed. At the end the error is io.EOF. After
// ErrTooLong the line has been passed and Next may be called again; every other
// error is final.
func (r *Reader) Next() ([]byte, error) {
	r.buf = r.buf[:0]
	length := 0
	for {
		part, err := r.r.ReadSlice('\n')
		length += len(part)
		if length <= r.limit+1 {
			r.buf = append(r.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && length == 0:
			return nil, io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			r.line++
			return nil, err
		}
		r.line++
		if err == nil {
			length--
		}
		if length > r.limit {
			return nil, fmt.Errorf("%w: %d bytes, expected at most %d", ErrTooLong, length, r.limit)
		}
		return r.buf[:length], nil
	}
}
