package build

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

const (
	// programName is the compiled program within its folder of the cache. Windows runs no file without an extension.
	programName = "program.exe"
	// sumName is the file with the checksum of the program.
	sumName = "program.sha256"
	// unusedFor is how long a program is kept that nobody runs.
	unusedFor = 30 * 24 * time.Hour
	// halfBuilt marks the folders in which programs are being built.
	halfBuilt = "building-"
)

// cache is a folder with one folder for each compiled program, named by the hash of its sources. A folder appears in it
// complete, by renaming, so that any number of processes can share it.
type cache struct{ dir string }

func openCache(dir string) (*cache, error) {
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no place to keep compiled specs: %w", err)
		}
		dir = filepath.Join(user, "sngdgen")
	}
	// For the user alone: what lies here is run.
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("no place to keep compiled specs: %w", err)
	}
	return &cache{dir}, nil
}

// find returns the program with a key, and notes that it is used. One that is not what was built is removed.
func (c *cache) find(key string) (program string, ok bool) {
	dir := filepath.Join(c.dir, key)
	program = filepath.Join(dir, programName)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", false
	}
	want, err := os.ReadFile(filepath.Join(dir, sumName))
	if sum, err2 := checksum(program); err != nil || err2 != nil || sum != string(want) {
		c.discard(dir)
		return "", false
	}
	now := time.Now()
	_ = os.Chtimes(dir, now, now) // a cache on a read-only disk is still good to read
	return program, true
}

// discard removes a program. It is first given the name of one that is being built, so that it is gone at once.
func (c *cache) discard(dir string) {
	away, err := os.MkdirTemp(c.dir, halfBuilt)
	if err != nil {
		return
	}
	if err := os.Rename(dir, filepath.Join(away, "damaged")); err == nil {
		_ = os.RemoveAll(away)
	} else {
		_ = os.Remove(away)
	}
}

// checksum returns that of a program, in hexadecimal digits.
func checksum(program string) (string, error) {
	info, err := os.Lstat(program)
	if err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, errors.New("not a regular file"))
	}
	f, err := os.Open(program)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// add builds a program in a folder of its own, then gives it its place. When another process was faster, its program
// is as good.
func (c *cache) add(key string, build func(dir string) error) (program string, err error) {
	dir, err := os.MkdirTemp(c.dir, halfBuilt)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if err := build(dir); err != nil {
		return "", err
	}
	sum, err := checksum(filepath.Join(dir, programName))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, sumName), []byte(sum), 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("cannot keep the compiled spec: %w", err)
	}
	err = os.Rename(dir, filepath.Join(c.dir, key))
	if program, ok := c.find(key); ok {
		c.trim(time.Now().Add(-unusedFor))
		return program, nil
	}
	return "", fmt.Errorf("cannot keep the compiled spec: %w", err)
}

// trim removes what was not used since a time. It is best effort: a program in use on Windows cannot be removed.
func (c *cache) trim(since time.Time) {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		ours := len(e.Name()) == hex.EncodedLen(sha256.Size) || strings.HasPrefix(e.Name(), halfBuilt)
		if err == nil && ours && info.ModTime().Before(since) {
			_ = os.RemoveAll(filepath.Join(c.dir, e.Name()))
		}
	}
}

// hash names a program after all that it is made of. The version of Go is that of this command, so that a compiled
// program is found without asking a toolchain, which need not be there any more.
func hash(files []File) string {
	h := sha256.New()
	fmt.Fprintln(h, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, f := range files {
		fmt.Fprintf(h, "%q %d\n", f.Name, len(f.Data))
		h.Write(f.Data)
	}
	return hex.EncodeToString(h.Sum(nil))
}
