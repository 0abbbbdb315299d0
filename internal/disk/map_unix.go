//go:build unix

package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// Supported says whether files can be mapped on this system.
const Supported = true

var errUnsupported error

func mapFile(f *os.File, offset int64, length int, writable bool) ([]byte, error) {
	protection := unix.PROT_READ
	if writable {
		protection |= unix.PROT_WRITE
	}
	return unix.Mmap(int(f.Fd()), offset, length, protection, unix.MAP_SHARED)
}

func unmap(memory []byte) { _ = unix.Munmap(memory) }

func readNumbers(*os.File, int64, int) ([]float64, error) { return nil, nil }
