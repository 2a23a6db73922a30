package durable

import (
	"errors"
	"os"
	"syscall"
)

// syncData is File.Sync without what only says when the file was written.
func syncData(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var synced error
	if err := raw.Control(func(fd uintptr) {
		for synced = syscall.EINTR; errors.Is(synced, syscall.EINTR); {
			synced = syscall.Fdatasync(int(fd))
		}
	}); err != nil {
		return err
	}
	if synced != nil {
		return &os.PathError{Op: "fdatasync", Path: f.Name(), Err: synced}
	}
	return nil
}
