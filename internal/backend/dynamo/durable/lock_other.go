//go:build !unix

package durable

import (
	"errors"
	"fmt"
	"io"
)

// lockDir cannot keep a second process out here.
func lockDir(dir string) (io.Closer, error) {
	return nil, fmt.Errorf("%s: data directories: %w on this system, which has no flock", dir, errors.ErrUnsupported)
}
