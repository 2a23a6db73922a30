package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

const fileName = "result.json"

// fullDisk fails at one step of writing.
type fullDisk struct {
	tempFile
	failWrite, failSync, failClose bool
}

func (f fullDisk) Write(p []byte) (int, error) {
	if f.failWrite {
		n, err := f.tempFile.Write(p[:len(p)/2])
		return n, errors.Join(err, syscall.ENOSPC)
	}
	return f.tempFile.Write(p)
}

func (f fullDisk) Sync() error {
	if f.failSync {
		return syscall.ENOSPC
	}
	return f.tempFile.Sync()
}

func (f fullDisk) Close() error {
	err := f.tempFile.Close()
	if f.failClose {
		return syscall.ENOSPC
	}
	return err
}

// A write that fails, at whatever step, leaves the file that was there as it
// was, or none, and no temporary file.
func TestWriteIsAllOrNothing(t *testing.T) {
	for name, fail := range map[string]fullDisk{
		"write": {failWrite: true}, "sync": {failSync: true}, "close": {failClose: true},
	} {
		for _, before := range []string{"", "what was there"} {
			t.Run(name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "run", fileName)
				if before != "" {
					if err := Write(path, []byte(before)); err != nil {
						t.Fatal(err)
					}
				}
				d := disk{func(dir, pattern string) (tempFile, error) {
					f, err := createTemp(dir, pattern)
					fail.tempFile = f
					return fail, err
				}, true}
				if err := d.write(path, []byte("new content")); !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("error is %v, want ENOSPC", err)
				}
				got, err := os.ReadFile(path)
				if string(got) != before || (before == "") != errors.Is(err, os.ErrNotExist) {
					t.Errorf("under the final name: %q, %v; want %q", got, err, before)
				}
				left, err := os.ReadDir(filepath.Dir(path))
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range left {
					if e.Name() != fileName {
						t.Errorf("left behind: %s", e.Name())
					}
				}
			})
		}
	}
}

func TestWriteReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "c.txt")
	for _, content := range []string{"first, and longer", "second"} {
		if err := Write(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); string(got) != content || err != nil {
			t.Errorf("content %q, %v; want %q", got, err, content)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v; want readable by others", info.Mode(), err)
	}
}

// A folder that cannot be made, here because a file is in the way, is named.
func TestWriteNamesTheFile(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := Write(filepath.Join(blocked, "x"), nil)
	if err == nil || !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("error is %v, want ENOTDIR", err)
	}
}

// syncs counts the syncs of a file.
type syncs struct {
	tempFile
	n *int
}

func (s syncs) Sync() error { *s.n++; return s.tempFile.Sync() }

func TestOnlyWriteSyncs(t *testing.T) {
	for durable, want := range map[bool]int{true: 1, false: 0} {
		n, path := 0, filepath.Join(t.TempDir(), fileName)
		d := disk{func(dir, pattern string) (tempFile, error) {
			f, err := createTemp(dir, pattern)
			return syncs{f, &n}, err
		}, durable}
		if err := d.write(path, []byte("new")); err != nil || n != want {
			t.Errorf("durable %v: %v after %d syncs, want %d", durable, err, n, want)
		}
		if got, err := os.ReadFile(path); string(got) != "new" {
			t.Errorf("durable %v: %q, %v", durable, got, err)
		}
	}
}

// A probe finds what would keep Write from writing, and leaves nothing behind.
func TestProbe(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, fileName)
	if err := os.WriteFile(file, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		file: true, filepath.Join(dir, "new"): true, filepath.Join(dir, "a", "b", "new"): true,
		dir: false, filepath.Join(file, "new"): false, filepath.Join(file, "a", "new"): false,
	} {
		if err := Probe(path); (err == nil) != want {
			t.Errorf("%s: %v, want it to be possible: %v", path, err, want)
		}
		if err := Write(path, []byte("before")); (err == nil) != want {
			t.Errorf("%s: the probe is not what Write does: %v", path, err)
		}
		for _, made := range []string{"new", "a"} {
			if err := os.RemoveAll(filepath.Join(dir, made)); err != nil {
				t.Fatal(err)
			}
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("%s: %v is left, %v", path, left, err)
		}
	}
}
