//go:build unix

package durable

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// lockDir takes hold of a directory until it is closed or the process ends.
func lockDir(dir string) (io.Closer, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = inUse(f, dir)
	}
	if err == nil {
		err = errors.Join(f.Truncate(0), writePID(f))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func inUse(f *os.File, dir string) error {
	pid, _ := io.ReadAll(io.LimitReader(f, 20)) // only for the message
	return fmt.Errorf("%s is in use by process %s: stop that one first, or choose another directory", dir, pid)
}

func writePID(f *os.File) error {
	_, err := fmt.Fprint(f, os.Getpid())
	return err
}
